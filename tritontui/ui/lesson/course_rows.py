"""What stands on the course map: lessons and steps with their signs, and all that is known of one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from textual.content import Content

from tritontui.course.model import Course, Language, Lesson, Step
from tritontui.course.outcomes import missing, reached
from tritontui.course.records import MeasurementRecord
from tritontui.course.scoreboard import Tally
from tritontui.course.search import contains, fold, words_of
from tritontui.i18n import Translator
from tritontui.ui.learner.desk import Place
from tritontui.ui.learner.study import Study
from tritontui.ui.lesson.searching import Hit
from tritontui.ui.views.status import KINDS
from tritontui.ui.views.words import prose
from tritontui.ui.widgets.text_view import BLANK, Block, line

DONE, RECORDED, OPEN = ("✓", "$success"), ("◇", "$success"), ("·", "$faint")
REACHED, NOT_REACHED = ("✓", "bold $success"), ("○", "$muted")
KIND_WIDTH = 9


@dataclass(frozen=True)
class Overview:
    """The course with what the learner has done in it; read once for a visit of the map."""

    course: Course
    done: Mapping[str, frozenset[str]]
    """By lesson the steps that are done."""
    spent: Mapping[str, Mapping[str, float]]
    """Seconds by lesson and step."""
    bests: Mapping[str, list[MeasurementRecord]]
    attempts: Mapping[str, int]
    only_recorded: frozenset[Place]
    """Steps that, where they are done, are only half of it: by recorded figures, or skipped."""
    folded: Mapping[Place, str] = field(default_factory=dict)
    """By place what the filter looks at, in every language."""
    predictions: Tally | None = None
    """How many of the learner's came out as they said; None before the first."""

    @classmethod
    def of(cls, study: Study) -> Overview:
        course = study.desk.course
        return cls(
            course,
            {lesson.id: frozenset(study.done(lesson)) for lesson in course.lessons},
            {lesson.id: dict(study.time_spent.of(lesson)) for lesson in course.lessons},
            study.history.bests(),
            study.history.attempt_counts(),
            frozenset(
                Place(i, j)
                for i, lesson in enumerate(course.lessons)
                for j, step in enumerate(lesson.steps)
                if study.hollow(lesson, step)
            ),
            {
                Place(i, j): fold(" ".join((_title(lesson), *step.title.values(), *_outcomes(lesson, step), step.id)))
                for i, lesson in enumerate(course.lessons)
                for j, step in enumerate(lesson.steps)
            },
            study.scoreboard().overall,
        )

    def matching(self, query: str) -> dict[int, list[int]]:
        """By lesson the steps whose title, lesson or outcomes contain every word of ``query``."""
        words = words_of(query)
        found: dict[int, list[int]] = {}
        for place, text in self.folded.items():
            if contains(text, words):
                found.setdefault(place.lesson, []).append(place.step)
        return found

    def sign(self, place: Place) -> tuple[str, str]:
        """Done, done by recorded figures, or open."""
        lesson = self.course.lessons[place.lesson]
        if lesson.steps[place.step].id not in self.done[lesson.id]:
            return OPEN
        return RECORDED if place in self.only_recorded else DONE

    def counts(self, lesson: Lesson) -> tuple[int, int]:
        """Steps done, outcomes reached."""
        done = self.done[lesson.id]
        return sum(step.id in done for step in lesson.steps), len(reached(lesson, done))


def summary(overview: Overview, tr: Translator) -> str:
    """The whole course in a line."""
    lessons = overview.course.lessons
    counts = [overview.counts(lesson) for lesson in lessons]
    steps, outcomes = (sum(column) for column in zip(*counts, strict=True))
    parts = [
        tr("{done}/{total} steps", done=steps, total=sum(len(lesson.steps) for lesson in lessons)),
        tr("{done}/{total} outcomes", done=outcomes, total=sum(len(lesson.outcomes) for lesson in lessons)),
        duration(sum(sum(spent.values()) for spent in overview.spent.values()), tr),
    ]
    if overview.predictions is not None:
        tally = overview.predictions
        parts.append(tr("{right}/{total} predictions", right=tally.right, total=tally.total))
    return " · ".join(filter(None, parts))


def duration(seconds: float, tr: Translator) -> str:
    """``38 min``, ``2 h 10 min``; nothing for less than a minute."""
    hours, minutes = divmod(int(seconds) // 60, 60)
    if hours:
        return tr("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return tr("{minutes} min", minutes=minutes) if minutes else ""


def map_blocks(overview: Overview, query: str, language: Language, tr: Translator) -> Iterator[Block]:
    """Lessons with their steps, those that the filter leaves; each step can be chosen."""
    matching = overview.matching(query)
    for lesson_index, steps in matching.items():
        lesson = overview.course.lessons[lesson_index]
        done, outcomes = overview.counts(lesson)
        said = [f"{done}/{len(lesson.steps)}"]
        if lesson.outcomes:
            said.append(tr("outcomes {reached}/{total}", reached=outcomes, total=len(lesson.outcomes)))
        said.append(duration(sum(overview.spent[lesson.id].values()), tr))
        yield line(
            (f"{lesson.number} {lesson.title[language]}", "bold $primary"),
            ("  " + " · ".join(filter(None, said)), "$muted"),
        )
        for step_index in steps:
            yield _step_row(overview, Place(lesson_index, step_index), language, tr)
        yield BLANK
    if not matching:
        yield line((tr("No step is called that."), "$muted"))
        yield BLANK


def hit_blocks(hits: list[Hit], course: Course, language: Language, tr: Translator) -> Iterator[Block]:
    """What the search has found in the texts."""
    yield line((tr("In the lessons"), "bold $primary"), (f"  {len(hits)}", "$muted"))
    for hit in hits:
        place = hit.passage.place
        lesson = course.lessons[place.lesson]
        where = f"{lesson.number}.{place.step + 1} {_plain(lesson.steps[place.step].title[language])}"
        other = "" if hit.passage.language == language else f"  ({hit.passage.language})"
        yield line((f"{where}{other}\n", "$muted"), hit.text, target=hit, indent=2)
    yield BLANK


def detail_blocks(overview: Overview, place: Place, language: Language, tr: Translator) -> Iterator[Block]:
    """All that is known of one step and its lesson."""
    lesson = overview.course.lessons[place.lesson]
    step = lesson.steps[place.step]
    yield line((_plain(step.title[language]), "bold $primary"))
    yield line((" · ".join(filter(None, _step_facts(overview, place, tr))), "$muted"))
    if step.exercise is not None:
        yield from _best_rows(overview, step.exercise.id, tr)
    yield BLANK
    yield line((f"{lesson.number} {lesson.title[language]}", "bold $primary"))
    done = overview.done[lesson.id]
    if lesson.outcomes:
        yield line((tr("What you can do afterwards:"), "$muted"))
    for outcome in lesson.outcomes:
        lacking = missing(lesson, outcome, done)
        sign, style = NOT_REACHED if lacking else REACHED
        yield Block(prose(outcome.text[language]), first=Content.styled(f"{sign} ", style), rest=Content("  "))
        if lacking:
            names = "; ".join(_plain(one.title[language]) for one in lacking)
            words = tr("still to do: {steps}", steps=names)
            yield Block(Content.styled(words, "$muted"), first=Content("  "), rest=Content("  "))


def _step_facts(overview: Overview, place: Place, tr: Translator) -> Iterator[str]:
    lesson = overview.course.lessons[place.lesson]
    step = lesson.steps[place.step]
    sign = overview.sign(place)
    yield tr(KINDS[step.kind])
    yield {DONE: tr("done"), RECORDED: tr("done with recorded figures"), OPEN: tr("not done yet")}[sign]
    yield duration(overview.spent[lesson.id].get(step.id, 0.0), tr)
    if step.exercise is not None and (times := overview.attempts.get(step.exercise.id)):
        yield tr.plural("judged once", "judged {n} times", times)


def _best_rows(overview: Overview, exercise: str, tr: Translator) -> Iterator[Block]:
    for best in overview.bests.get(exercise, []):
        figures = f"{tr.number(best.median_us, 1)} µs · {tr.number(best.gbps)} GB/s"
        yield line((tr("best: "), "$muted"), (figures, "bold"), (f"  {best.device}, {best.case}", "$muted"))


def _step_row(overview: Overview, place: Place, language: Language, tr: Translator) -> Block:
    lesson = overview.course.lessons[place.lesson]
    step = lesson.steps[place.step]
    sign, style = overview.sign(place)
    bests = overview.bests.get(step.exercise.id, []) if step.exercise is not None else []
    best = f"  {tr.number(bests[0].gbps)} GB/s" if bests else ""
    kind = f"{tr(KINDS[step.kind]):<{KIND_WIDTH}}"
    first = Content.assemble("  ", (f"{sign} ", style), (f"{kind} ", "$muted"))
    text = Content.assemble(_plain(step.title[language]), (best, "$accent"))
    return Block(text, first=first, rest=Content(" " * first.cell_length), target=place)


def _title(lesson: Lesson) -> str:
    return " ".join((str(lesson.number), *lesson.title.values()))


def _outcomes(lesson: Lesson, step: Step) -> Iterator[str]:
    for outcome in lesson.outcomes:
        if outcome.id in step.outcomes:
            yield from (outcome.id, *outcome.text.values())


def _plain(title: str) -> str:
    return title.replace("`", "")
