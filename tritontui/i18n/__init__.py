"""The interface's own words in the learner's language: English stands in the source, Italian in a catalogue.

    tr = translator(choose_language(None, os.environ))
    tr("Saved {time}", time="10:42")
    tr.plural("{n} lane", "{n} lanes", 24)
    tr.number(4323.5, 1)

Words that are only marked for the catalogue, and translated where they are shown, stand in ``N_("…")``.
"""

from tritontui.i18n.language import LANGUAGES, Language, choose_language
from tritontui.i18n.numbers import localised, number, percent, percents
from tritontui.i18n.plain import harmless, plain, plain_json
from tritontui.i18n.translation import N_, Translator, translator

__all__ = [
    "LANGUAGES",
    "N_",
    "Language",
    "Translator",
    "choose_language",
    "harmless",
    "localised",
    "number",
    "percent",
    "percents",
    "plain",
    "plain_json",
    "translator",
]
