"""The words of a lesson, or of anything beside it, in every language: sections found, kept in step, faults noted."""

from __future__ import annotations

from pathlib import Path

from tritontui.course import markdown
from tritontui.course.faults import Problem
from tritontui.course.markdown import Section
from tritontui.course.model import LANGUAGES, Language, Text
from tritontui.course.structure import Table


class Words:
    """``{stem}en.md`` and ``{stem}it.md`` of a folder, in sections; what is wrong in them goes to ``problems``."""

    def __init__(self, folder: Path, problems: list[Problem], *, stem: str = "", holds: str = "step") -> None:
        self._paths = {language: folder / f"{stem}{language}.md" for language in LANGUAGES}
        self._problems = problems
        self._holds = holds
        self.roots = {language: self._read(path) for language, path in self._paths.items()}

    def _read(self, path: Path) -> Section:
        empty = Section("", 0, "", 1)
        try:
            root = markdown.split(path.read_text(encoding="utf-8"))
        except OSError:
            self._problems.append(Problem(path, None, "is missing"))
            return empty
        except UnicodeDecodeError as error:
            self._problems.append(Problem(path, None, f"is not UTF-8: {error.reason}"))
            return empty
        if root.text.strip():
            self._problems.append(Problem(path, 1, f"text before the first '# Title {{#{self._holds}}}'"))
        elif not root.sections:
            wanted = f"holds no {self._holds}: each begins with '# Title {{#{self._holds}}}'"
            self._problems.append(Problem(path, 1, wanted))
        return root

    def note(self, language: Language, line: int, message: str) -> None:
        """Something is wrong on a line of that language's file."""
        self._problems.append(Problem(self._paths[language], line, message))

    def sections(
        self, parents: dict[Language, Section], identifier: str, what: str, table: Table
    ) -> dict[Language, Section]:
        """The section ``identifier`` in every language; an empty one, noted, where it is missing."""
        found = {}
        for language, parent in parents.items():
            section = parent.find(identifier)
            if section is None:
                if parent.title or parent.sections:  # what is missing is reported once, not for each of its parts
                    self.note(language, parent.line, f"the {what} '{identifier}' has no text here")
                section = Section(identifier, parent.level + 1, "", parent.line)
            elif not section.title:
                self.note(language, section.line, f"the {what} '{identifier}' needs a heading")
            found[language] = section
        if len({section.fences for section in found.values() if section.title}) > 1:
            counts = ", ".join(f"{language}: {section.fences}" for language, section in found.items())
            table.fault(f"the {what} '{identifier}' differs in code blocks ({counts})", "id")
        return found

    def check_order(self, parents: dict[Language, Section], wanted: list[str], ordered: bool = True) -> None:
        """No section that the structure doesn't know, none twice, and (steps, questions) the structure's own order."""
        for language, parent in parents.items():
            seen: list[str] = []
            for section in parent.sections:
                if not section.id:
                    self.note(language, section.line, f"the heading '{section.title}' has no {{#id}}")
                elif section.id not in wanted:
                    self.note(language, section.line, f"'{section.id}' is not in the .toml at this place")
                elif section.id in seen:
                    self.note(language, section.line, f"'{section.id}' stands here twice")
                seen.append(section.id)
            known = [identifier for identifier in seen if identifier in wanted]
            if ordered and known != [identifier for identifier in wanted if identifier in known]:
                self.note(language, parent.line, "the order differs from the .toml's: " + ", ".join(wanted))

    def check_explained(self, options: list[dict[Language, Section]]) -> None:
        """Each of these sections has a text under its heading."""
        for sections in options:
            for language, section in sections.items():
                if section.title and not section.text:
                    self.note(language, section.line, f"'{section.id}' has no explanation")


def prompts(sections: dict[Language, Section]) -> Text:
    """Heading and text of each."""
    return {language: f"{section.title}\n\n{section.text}".strip() for language, section in sections.items()}


def titles(sections: dict[Language, Section]) -> Text:
    return {language: section.title for language, section in sections.items()}


def bodies(sections: dict[Language, Section]) -> Text:
    return {language: section.text for language, section in sections.items()}
