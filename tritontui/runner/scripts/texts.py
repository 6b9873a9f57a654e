"""The files that hold a run's kernels: a script's own, and those of the modules that it uses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from tritontui.diagnosis import recognise
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.review import returned_values
from tritontui.runner.compiler.compile import Rejection
from tritontui.runner.lockstep import KernelError, LaunchRecord
from tritontui.runner.submission import Submission, failure_of
from tritontui.runner.tracing.adopt import text_of


@dataclass(frozen=True)
class Texts:
    """``own``: whose lines need no file name."""

    own: Submission

    def of(self, record: LaunchRecord) -> Submission:
        """The file that holds the launched kernel."""
        path = Path(record.kernel.fn.__code__.co_filename)
        if path == self.own.path:
            return self.own
        return Submission(text_of(str(path)), path.name, path, self.own.module)

    def filed(self, finding: Finding, text: Submission) -> Finding:
        """Saying which file its line counts in, where that isn't ``own``."""
        if finding.line is not None and text is not self.own:
            finding.file = str(text.path)
        return finding

    def rejected(self, rejection: Rejection, text: Submission, stopped: BaseException | None = None) -> Finding:
        """Why the compiler refused a kernel that ``text`` holds.

        ``stopped``: the interpreter's own error for the same launch, which always knows the line.
        """
        kernel = rejection.launch.kernel.fn.__name__
        failure = failure_of(rejection.error, text, "compile", {"kernel": kernel})
        failure.log = rejection.log
        if failure.line is None and isinstance(stopped, KernelError):
            failure.line, failure.column = stopped.line, stopped.column
        if failure.line is None and text is self.own:
            failure.line = rejection.launch.line
        finding = recognise(failure)
        returned = returned_values(text.text, [kernel]) if finding.id == "compile-error" else []
        if returned:
            finding = replace(returned[0], original=finding.original)
        return self.filed(finding, text)
