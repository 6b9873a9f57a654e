"""Figures against benchmarks written by hand, and against what the card can do."""

from __future__ import annotations

import importlib.util

import exercises
import pytest

from tritontui.engine.messages import Found, Measured

WITHIN = 0.02
"""As the project promises."""
TRIES = 3
"""A shared or cold card needs a second look now and then; a wrong method fails every time."""


def measured(judge, folder, source):
    replies = judge(folder, source, ["measure"])
    found = [reply.measurement for reply in replies if isinstance(reply, Measured)]
    assert found, [reply for reply in replies if isinstance(reply, Found)]
    return found[0]


def module_from(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_hand(function, arguments):
    """µs by ``do_bench``, as anybody would write it."""
    from triton.testing import do_bench

    return do_bench(lambda: function(*arguments), warmup=25, rep=100, quantiles=[0.5]) * 1e3


def agree(judge, folder, source, function, arguments):
    pairs = []
    for _ in range(TRIES):
        ours, theirs = measured(judge, folder, source).median_us, by_hand(function, arguments)
        pairs.append((ours, theirs))
        if abs(ours / theirs - 1) <= WITHIN:
            return
    pytest.fail(f"ours and by hand, µs: {pairs}")


def test_addition_agrees_with_a_benchmark_by_hand(judge, vector_add, device):
    import torch

    x, y = (torch.randn(1 << 27, device=device) for _ in range(2))
    function = module_from(vector_add / "solution.py").add
    agree(judge, vector_add, (vector_add / "solution.py").read_text(), function, [x, y])


@pytest.mark.parametrize(
    ("name", "specification", "kernel", "shape"),
    [
        ("copy", exercises.COPY, exercises.COPY_KERNEL, (1 << 27,)),
        ("softmax", exercises.SOFTMAX, exercises.SOFTMAX_KERNEL, (8192, 8192)),
        ("transpose", exercises.TRANSPOSE, exercises.TRANSPOSE_KERNEL, (16384, 16384)),
    ],
)
def test_others_agree_with_a_benchmark_by_hand(judge, tmp_path, device, name, specification, kernel, shape):
    import torch

    folder = exercises.write_exercise(tmp_path / name, specification)
    path = tmp_path / "by_hand.py"
    path.write_text(kernel)
    function = getattr(module_from(path), name)
    agree(judge, folder, kernel, function, [torch.randn(*shape, device=device)])


def test_a_figure_is_whole(judge, vector_add, session):
    found = measured(judge, vector_add, (vector_add / "solution.py").read_text())
    assert 0 < found.low_us <= found.median_us <= found.high_us
    assert found.gbps == pytest.approx(found.ideal_bytes / found.median_us / 1e3)
    assert found.torch_us > 0
    assert 0.5 < found.gbps / found.ceiling_gbps < 1.1
    assert found.peak_gbps == session.gpu.peak_gbps
    assert not {"fits-in-cache", "launch-bound"} & {remark.id for remark in found.remarks}


def test_ceilings_are_below_the_data_sheet(device, session):
    import torch

    from tritontui.runner.ceilings import measure_ceilings

    found = measure_ceilings(torch.device(device))
    figures = (found.copy_gbps, found.add_gbps, found.read_gbps, found.fill_gbps)
    assert all(figure > 0 for figure in figures)
    assert 0 < found.empty_us < 50
    if session.gpu.peak_gbps is not None:
        assert all(0.4 * session.gpu.peak_gbps < figure <= 1.02 * session.gpu.peak_gbps for figure in figures)


def test_a_small_case_is_said_to_be_small(judge, tmp_path):
    folder = exercises.write_exercise(tmp_path / "copy", exercises.COPY.replace("1 << 27", "1 << 10"))
    found = measured(judge, folder, exercises.COPY_KERNEL)
    assert {"fits-in-cache", "launch-bound"} <= {remark.id for remark in found.remarks}


def test_wrong_at_scale_is_no_figure(judge, tmp_path):
    folder = exercises.write_exercise(tmp_path / "copy", exercises.COPY)
    forgets = exercises.COPY_KERNEL.replace("offs < n\n", "offs < tl.minimum(n, 1 << 20)\n")
    replies = judge(folder, forgets, ["measure"])
    assert not any(isinstance(reply, Measured) for reply in replies)
    (found,) = [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]
    assert found.id == "value-mismatch"


def test_the_gpu_is_described(session, device):
    from tritontui.runner.hardware import sensors

    gpu = session.gpu
    assert gpu.memory_bytes > 1 << 30
    assert gpu.sm_count > 0
    assert gpu.l2_bytes > 0
    found = sensors(device)
    assert found.identity() == sensors(device).identity()
    assert found.throttled() <= {"thermal", "hardware", "power-brake"}
    assert isinstance(found.busy_processes(0.0), set)


def test_doctor_finds_the_gpu_in_order(device):
    from tritontui.runner.probe import probe

    checks = {check.id: check for check in probe(device)}
    assert checks["gpu"].ok, checks["gpu"]
    assert checks["gpu-launch"].ok, checks["gpu-launch"]
    assert checks["c-compiler"].ok, checks["c-compiler"]
