"""Sweeps without a GPU: what is varied, what each point takes, and which points have a reason instead of a figure."""

from __future__ import annotations

from itertools import count

import pytest

from tritontui.engine.messages import Broken, Done, Found, SweepPoint, SweepRequest, SweepStarted
from tritontui.runner.measuring.sweep import sweep
from tritontui.runner.session import RunCancelled, Session

SPECIFICATION = """
import torch
from tritontui.runner.spec import Case, Exercise, Sweep


def inputs(case, generator):
    return [torch.randn(case["n"], generator=generator, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="double",
    kernel="double_kernel",
    inputs=inputs,
    reference=lambda x: 2 * x,
    cases=[Case("n = 100", {"n": 100})],
    trace_case=Case("n = 100", {"n": 100}),
    measure_case=Case("large", {"n": 1 << 26}),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
    SWEEP
)
"""

SOLUTION = """import torch
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, 2 * x, mask=mask)


def double(x):
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
    double_kernel[grid](x, out, x.numel(), BLOCK=64)
    return out
"""
GRID = 'lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)'
DECLARED = 'sweep=Sweep(launch={"BLOCK": (16, 64, 256), "num_warps": (1, 4)}, sizes={"n": (64, 1000, 1 << 20)}),'


@pytest.fixture(scope="module")
def session():
    return Session(device="cpu", target="sm_90")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "exercise.py").write_text(SPECIFICATION.replace("SWEEP", DECLARED))
    return tmp_path


_runs = count(1)


class Run:
    """The replies of one sweep."""

    def __init__(self, session, folder, source=SOLUTION, kind="launch", **changes):
        request = SweepRequest(
            run=next(_runs), exercise=str(folder), source=source, filename="mine.py", kind=kind, **changes
        )
        self.replies = []
        sweep(request, self.replies.append, session)
        session.forget_learner_files()
        assert isinstance(self.replies[-1], Done)

    @property
    def plan(self):
        (plan,) = [reply for reply in self.replies if isinstance(reply, SweepStarted)]
        return plan

    @property
    def points(self):
        return [reply for reply in self.replies if isinstance(reply, SweepPoint)]

    @property
    def problems(self):
        """By the values of the axes."""
        return {tuple(p.values.values()): p.problem.id if p.problem else None for p in self.points}

    @property
    def findings(self):
        return [finding for reply in self.replies if isinstance(reply, Found) for finding in reply.findings]


@pytest.fixture
def run(session, folder):
    return lambda source=SOLUTION, kind="launch", **changes: Run(session, folder, source, kind, **changes)


class TestLaunch:
    def test_every_combination_is_compiled_and_nothing_is_timed(self, run):
        done = run()
        assert done.plan.axes == {"BLOCK": [16, 64, 256], "num_warps": [1, 4]}
        assert done.plan.own == {"BLOCK": 64, "num_warps": 4}
        assert [point.index for point in done.points] == list(range(6))
        assert done.points[1].values == {"BLOCK": 16, "num_warps": 4}
        assert set(done.problems.values()) == {None}
        assert all(point.registers and point.median_us is None for point in done.points)
        one_warp, four_warps = done.points[4], done.points[5]
        assert one_warp.registers > four_warps.registers  # 256 elements on 32 threads, or on 128
        assert one_warp.occupancy_limit == "blocks"

    @pytest.mark.parametrize(
        "grid",
        [
            "(triton.cdiv(x.numel(), BLOCK),)",
            "(-(-x.numel() // BLOCK),)",
            "(triton.cdiv(x.numel(), 64),)",
            "((x.numel() + 63) // 64,)",
        ],
    )
    def test_a_grid_from_the_learners_own_number_follows(self, run, grid):
        assert set(run(SOLUTION.replace(GRID, grid)).problems.values()) == {None}

    def test_the_constant_is_as_it_was_afterwards(self, run):
        source = SOLUTION.replace(GRID, "(triton.cdiv(x.numel(), BLOCK),)").replace(
            "64)\n    return", "BLOCK)\n    return"
        )
        done = run(source)
        assert set(done.problems.values()) == {None}
        assert done.plan.own["BLOCK"] == 64

    def test_a_grid_that_does_not_follow_is_said_and_has_no_figure(self, run):
        source = SOLUTION.replace(GRID, "(2,)")
        done = run(source, axes={"BLOCK": [16, 64, 128], "num_warps": [4]})
        assert done.problems == {(16, 4): "grid-fixed", (64, 4): None, (128, 4): "grid-fixed"}
        left_over, idle = done.points[0].problem, done.points[2].problem
        assert (left_over.params["grid"], left_over.params["idle"]) == ([2], 0)
        assert (idle.params["own"], idle.params["idle"]) == (64, 1)
        line = next(n for n, text in enumerate(source.splitlines(), 1) if "double_kernel[grid]" in text)
        assert left_over.line == line

    def test_a_kernel_that_strides_over_the_grid_needs_no_other_grid(self, run):
        source = SOLUTION.replace(GRID, "(2,)").replace(
            "    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
            "    mask = offs < n\n"
            "    x = tl.load(x_ptr + offs, mask=mask)\n"
            "    tl.store(out_ptr + offs, 2 * x, mask=mask)\n",
            "    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):\n"
            "        offs = start + tl.arange(0, BLOCK)\n"
            "        x = tl.load(x_ptr + offs, mask=offs < n)\n"
            "        tl.store(out_ptr + offs, 2 * x, mask=offs < n)\n",
        )
        assert run(source, axes={"BLOCK": [16, 32, 64]}).problems == {(16,): None, (32,): None, (64,): None}

    def test_points_that_cannot_run_say_why(self, run):
        done = run(axes={"BLOCK": [48, 64, 1 << 21], "num_warps": [3, 4, 64]})
        assert done.problems == {
            (48, 3): "launch-option",
            (48, 4): "not-power-of-two",
            (48, 64): "not-power-of-two",
            (64, 3): "launch-option",
            (64, 4): None,
            (64, 64): "resources-exceeded",
            (1 << 21, 3): "launch-option",
            (1 << 21, 4): "block-too-large",
            (1 << 21, 64): "block-too-large",
        }

    def test_a_point_that_is_wrong_has_no_figure(self, run):
        """Right at its own block only: the mask looks at another number."""
        source = SOLUTION.replace("mask = offs < n\n", "mask = (offs < n) & (offs % BLOCK < 64)\n")
        done = run(source, axes={"BLOCK": [32, 64, 128]})
        assert done.problems == {(32,): None, (64,): None, (128,): "value-mismatch"}

    def test_a_point_that_leaves_its_memory_has_no_figure(self, run):
        source = SOLUTION.replace("mask = offs < n\n", "mask = (offs < n) | (BLOCK > 64)\n")
        problems = run(source, axes={"BLOCK": [64, 256]}).problems
        assert problems == {(64,): None, (256,): "out-of-bounds-read"}

    def test_shared_memory_is_the_targets(self, session, tmp_path):
        (tmp_path / "exercise.py").write_text(SPECIFICATION.replace("SWEEP", ""))
        source = SOLUTION.replace(
            "    tl.store(",
            "    r = tl.arange(0, SIDE)[:, None] * 0 + tl.arange(0, SIDE)[None, :] * 0\n"
            "    a = tl.load(x_ptr + r)\n"
            "    x += tl.sum(tl.sum(tl.dot(a, a), axis=0), axis=0) * 0\n"
            "    tl.store(",
        ).replace("BLOCK: tl.constexpr)", "BLOCK: tl.constexpr, SIDE: tl.constexpr = 16)")
        done = Run(session, tmp_path, source, axes={"SIDE": [16, 256]}, target="sm_86")
        assert done.problems == {(16,): None, (256,): "shared-memory-exceeded"}
        assert done.points[1].problem.params["limit"] == 99 * 1024

    def test_a_tuned_kernel_is_launched_with_each_point(self, run):
        source = SOLUTION.replace(
            "@triton.jit", "@triton.autotune([triton.Config({'BLOCK': b}) for b in (64, 128)], key=['n'])\n@triton.jit"
        ).replace(", BLOCK=64)", ")")
        done = run(source)
        assert done.plan.own["BLOCK"] == 64
        assert set(done.problems.values()) == {None}

    def test_only_the_points_asked_for(self, run):
        done = run(axes={"BLOCK": [16, 64]}, points=[1])
        assert [(point.index, point.values) for point in done.points] == [(1, {"BLOCK": 64})]


class TestAxes:
    def test_another_name_for_the_block(self, run):
        done = run(SOLUTION.replace("BLOCK", "TILE"))
        assert done.plan.axes == {"TILE": [16, 64, 256], "num_warps": [1, 4]}
        assert done.plan.own == {"TILE": 64, "num_warps": 4}
        assert set(done.problems.values()) == {None}

    def test_around_the_learners_own_where_nothing_is_declared(self, session, tmp_path):
        (tmp_path / "exercise.py").write_text(SPECIFICATION.replace("SWEEP", ""))
        request = SweepRequest(
            run=next(_runs), exercise=str(tmp_path), source=SOLUTION, filename="mine.py", kind="launch"
        )
        replies = []

        def emit(reply):
            replies.append(reply)
            session.cancel(request.run)

        with pytest.raises(RunCancelled):
            sweep(request, emit, session)
        plan = replies[-1]
        assert plan.axes == {"BLOCK": [16, 32, 64, 128, 256, 512], "num_warps": [1, 2, 4, 8, 16]}
        assert plan.total == 30

    def test_a_block_that_the_host_works_out_from_the_size_is_no_axis(self, run):
        # the trace's 100 elements give 128, the measured 2²⁶ give 1024
        done = run(SOLUTION.replace("BLOCK=64", "BLOCK=min(triton.next_power_of_2(x.numel()), 1024)"))
        assert done.plan.axes == {"num_warps": [1, 4]}
        assert done.plan.fixed == {"BLOCK": 1024}
        assert run(SOLUTION).plan.fixed == {}

    def test_an_exercise_that_isnt_measured_has_nothing_to_sweep(self, session, tmp_path):
        text = SPECIFICATION.replace("SWEEP", "").replace('measure_case=Case("large", {"n": 1 << 26}),', "")
        (tmp_path / "exercise.py").write_text(text)
        done = Run(session, tmp_path)
        assert (done.plan.total, done.points) == (0, [])


class TestSize:
    def test_each_size_is_compiled_as_it_is(self, run):
        done = run(kind="size")
        assert done.plan.axes == {"n": [64, 1000, 1 << 20]}
        assert done.plan.own == {"n": 1 << 26}
        assert set(done.problems.values()) == {None}

    def test_small_sizes_are_checked_too(self, run):
        source = SOLUTION.replace("return out", "return out if x.numel() != 1000 else x")
        assert run(source, kind="size").problems == {(64,): None, (1000,): "wrapper-contract", (1 << 20,): None}

    def test_powers_of_two_where_nothing_is_declared(self, session, tmp_path):
        (tmp_path / "exercise.py").write_text(SPECIFICATION.replace("SWEEP", "").replace("1 << 26", "1 << 12"))
        assert Run(session, tmp_path, kind="size").plan.axes == {"n": [1024, 2048, 4096]}


class TestRuns:
    @pytest.mark.parametrize(
        ("old", "new", "identifier"),
        [
            ("2 * x, mask", "3 * x, mask", "value-mismatch"),
            ("mask = offs < n", "mask = offs <", "syntax-error"),
            ("2 * x, mask", "x[0], mask", "block-indexing"),
            ("return out", "raise ValueError('no')", "wrapper-contract"),
            ("return out", "return {}['out']", "host-exception"),
            ("def double(x)", "def other(x)", "entry-missing"),
        ],
    )
    def test_what_is_wrong_by_itself_is_not_swept(self, run, old, new, identifier):
        done = run(SOLUTION.replace(old, new))
        assert [finding.id for finding in done.findings] == [identifier]
        assert done.points == []

    def test_a_broken_exercise(self, session, tmp_path):
        (tmp_path / "exercise.py").write_text("1 / 0\n")
        assert any(isinstance(reply, Broken) for reply in Run(session, tmp_path).replies)

    def test_cancelled_between_two_points(self, session, folder):
        request = SweepRequest(
            run=next(_runs), exercise=str(folder), source=SOLUTION, filename="mine.py", kind="launch"
        )
        replies = []

        def emit(reply):
            replies.append(reply)
            if isinstance(reply, SweepPoint):
                session.cancel(request.run)

        with pytest.raises(RunCancelled):
            sweep(request, emit, session)
        assert sum(isinstance(reply, SweepPoint) for reply in replies) == 1

    def test_prints_are_not_repeated(self, run, capsys):
        run(SOLUTION.replace("return out", "print('here')\n    return out"))
        assert capsys.readouterr().out == ""
