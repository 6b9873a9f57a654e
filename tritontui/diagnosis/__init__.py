"""What went wrong, said to a human: findings by stable id, and their words in the learner's language."""

from tritontui.diagnosis.catalogue import Entry, entry, identifiers
from tritontui.diagnosis.finding import Failure, Finding, Frame, LaneRange, Severity
from tritontui.diagnosis.ranking import rank
from tritontui.diagnosis.recognition import recognise
from tritontui.diagnosis.syntax import check_syntax
from tritontui.diagnosis.wording import Explanation, explain

__all__ = [
    "Entry",
    "Explanation",
    "Failure",
    "Finding",
    "Frame",
    "LaneRange",
    "Severity",
    "check_syntax",
    "entry",
    "explain",
    "identifiers",
    "rank",
    "recognise",
]
