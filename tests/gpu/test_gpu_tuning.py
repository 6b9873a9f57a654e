"""Autotuning on the GPU, observed: what ran, what each took, what was chosen, and for which key."""

from __future__ import annotations

import exercises
import pytest

from tritontui.engine.messages import Measured, Tuned


def test_autotuning_is_observed(judge, tmp_path):
    folder = exercises.write_exercise(tmp_path / "copy", exercises.COPY)
    replies = judge(folder, exercises.TUNED, ["cases", "measure"])
    tunings = [reply for reply in replies if isinstance(reply, Tuned)]
    assert [(tuned.case, tuned.key) for tuned in tunings] == [
        ("n = 1000", {"n": 1000}),
        ("n = 4096", {"n": 4096}),
        ("n = 2^27", {"n": 1 << 27}),
    ]
    large = tunings[-1]
    assert (large.kernel, large.seconds > 0) == ("copy_kernel", True)
    slow, quick, impossible, pruned = large.configs
    assert [(config.values["BLOCK"], config.values["num_warps"]) for config in large.configs] == [
        (32, 1),
        (1024, 4),
        (1024, 64),
        (8192, 4),
    ]
    assert quick.low_us <= quick.median_us <= quick.high_us < slow.median_us
    assert [config.chosen for config in large.configs] == [False, True, False, False]
    assert (impossible.median_us, pruned.median_us) == (None, None)
    assert [config.pruned for config in large.configs] == [False, False, False, True]
    (measured,) = [reply.measurement for reply in replies if isinstance(reply, Measured)]
    assert measured.median_us == pytest.approx(quick.median_us, rel=0.2)
