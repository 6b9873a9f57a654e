"""What lesson 10 says of three cards is what the installed compiler says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.judging import Run
from tritontui.engine.messages import Compiled
from tritontui.runner.session import Session

FOLDER = Path(__file__).parents[2] / "lessons" / "10-debugging-and-tuning" / "exercises" / "which_targets"
KIB = 1024


@pytest.mark.parametrize("target, kib, fits", [("sm_86", 144, False), ("sm_90", 192, True)])
def test_a_knob_chooses_what_is_compiled_for(target, kib, fits):
    """Four stages of 48 KiB; each card costs a second of the real compiler, which nothing else could stand for."""
    knobs = {"target": target, "num_stages": 4, "BLOCK_N": 256}
    session = Session(device="cpu", target="sm_100")
    done = Run(session, FOLDER, (FOLDER / "starter.py").read_text(), ["trace", "compile"], knobs=knobs)
    if fits:
        (compiled,) = done.of(Compiled)
        assert (compiled.report.target, compiled.report.shared_bytes) == (target, kib * KIB)
        assert done.errors == {}
    else:
        refused = done.errors["shared-memory-exceeded"]
        assert (refused.params["required"], refused.params["limit"]) == (kib * KIB, 99 * KIB)
