"""What ``tl.device_print`` prints, kept until the launch is over (a launch that is rolled back prints nothing)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.values import Handle

LINES_PER_LAUNCH = 2_000


class Printer:
    """Lines in the GPU's form: ``pid (0, 0, 0) idx (3) x: 1.5``."""

    def __init__(self, limit: int = LINES_PER_LAUNCH) -> None:
        self.limit = limit
        self.lines: list[str] = []
        self.dropped = 0

    def add(
        self,
        prefix: str,
        hexadecimal: bool,
        values: Sequence[Handle],
        pids: NDArray[np.int32],
    ) -> str:
        """Note one print by every active program (``pids``: shape (3, P)); returns the first line."""
        first = len(self.lines)
        for row, place in enumerate(pids.T):
            pid = ", ".join(str(int(one)) for one in place)
            if not values:
                self._line(f"pid ({pid}) idx (){prefix}")
            for number, value in enumerate(values):
                if len(self.lines) >= self.limit:
                    self.dropped += int(np.prod(value.shape, dtype=np.int64))
                    continue
                data = value.full()
                own = data[0 if data.shape[0] == 1 else row]
                name = f" (operand {number})" if len(values) > 1 else ""
                for index, item in np.ndenumerate(own):
                    lane = ", ".join(str(one) for one in index)
                    self._line(f"pid ({pid}) idx ({lane}){prefix.rstrip()}{name} {_shown(item, hexadecimal)}")
        return self.lines[first] if first < len(self.lines) else ""

    def _line(self, text: str) -> None:
        if len(self.lines) < self.limit:
            self.lines.append(text)
        else:
            self.dropped += 1

    def clear(self) -> None:
        self.lines.clear()
        self.dropped = 0

    def flush(self) -> None:
        """Print what was kept, and how much was not."""
        for line in self.lines:
            print(line)
        if self.dropped:
            print(f"… {self.dropped} more lines of device_print")
        self.clear()


def _shown(item: Any, hexadecimal: bool) -> str:
    if not hexadecimal:
        return f"{item:f}" if isinstance(item, np.floating) else str(int(item))
    pattern = int(np.asarray(item).view(np.dtype(f"u{item.dtype.itemsize}")))
    return f"0x{pattern:0{item.dtype.itemsize * 2}x}"
