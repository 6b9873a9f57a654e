# ruff: noqa: SIM108, F841, RET504, B007, C416 - kernels are written as learners write them
"""Steps of one program: they are what the interpreter did, on the program's own path."""

from __future__ import annotations

import importlib
import re
import sys
from functools import partial

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from generator import LANES, PROGRAMS, SLOT, SLOTS, module_of
from marked import marked_line

from tritontui.analysis.stepping.steps import steps
from tritontui.analysis.stepping.story import Story
from tritontui.engine.messages import Steps, StepsRequest
from tritontui.runner.lockstep import KernelError, TraceOptions, tracing
from tritontui.runner.lockstep.options import STEP_BYTES
from tritontui.runner.lockstep.steps import FEWEST_PROGRAMS
from tritontui.runner.triton_compat import TensorDescriptor

line_of = partial(marked_line, __file__)


def recorded(launch, *, order="lockstep", step_bytes=STEP_BYTES):
    """The trace of the launch that ``launch`` makes."""
    with tracing(TraceOptions(step_bytes=step_bytes, order=order)) as session:
        launch()
    return session.traces[-1]


def story(trace, program: int) -> Story:
    return Story(trace, trace.steps, program)


def path(told: Story) -> list[str]:
    """The texts of the lines that the program executed."""
    return [told.call(step).text(moment.line).partition("  #")[0] for step, moment in enumerate(told.moments)]


def ask(trace, program: int = 0, step: int = 0, **options) -> Steps:
    return steps(trace, StepsRequest(run=1, request=1, launch=0, program=program, step=step, **options))


def at(trace, marker: str, program: int = 0, **options) -> Steps:
    """Standing at the first step on the marked line."""
    told = story(trace, program)
    step = next(step for step, moment in enumerate(told.moments) if moment.line == line_of(marker))
    return ask(trace, program, step, **options)


def name_of(answer: Steps, name: str):
    return next(state for state in answer.names if state.name == name)


# ---------------------------------------------------------------- agreement with the interpreter


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    name = "generated_for_steps"
    (folder / f"{name}.py").write_text(module_of(list(range(40))))
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module(name).GENERATED.cases
    finally:
        sys.path.remove(str(folder))
        del sys.modules[name]


def test_what_is_stored_is_what_the_steps_say(generated):
    """Generated kernels store names into slots of their own: the memory of a run without steps must hold what the
    steps of another say the names were."""
    checked = 0
    for case in generated:
        outputs = dict(zip(("float32", "float16", "int32", "int64", "int16"), plain(case), strict=False))
        trace = recorded(case.launch)
        for program in range(PROGRAMS):
            told = story(trace, program)
            last = {moment.line: step for step, moment in enumerate(told.moments)}
            for line, step in last.items():
                text = told.call(step).text(line)
                found = re.fullmatch(r"tl\.store\(o_(\w+) \+ p \* \d+ \+ (\d+) \+ \w+, (\w+)\)", text)
                if found:
                    held = told.held(found[3], step).lanes
                    slots = outputs[found[1]].reshape(PROGRAMS, SLOTS * SLOT)[program]
                    stored = slots[int(found[2]) : int(found[2]) + len(held)].numpy()
                    assert np.array_equal(held, stored, equal_nan=held.dtype.kind == "f"), (text, case.name)
                    checked += 1
    assert checked > 100


def plain(case):
    """The outputs of a run without steps."""
    with tracing():
        return case.launch()


def test_a_program_in_lockstep_takes_the_steps_that_it_takes_alone(generated):
    longest = 0
    for case in generated:
        together, alone = recorded(case.launch), recorded(case.launch, order="forward")
        assert together.mode == "lockstep"
        for program in range(PROGRAMS):
            ours, theirs = story(together, program), story(alone, program)
            assert path(ours) == path(theirs), case.name
            longest = max(longest, len(ours.moments))
            for step in range(len(ours.moments)):
                assert ours.moments[step].iteration == theirs.moments[step].iteration
                if "atomic" in path(ours)[step]:
                    continue
                for name in ours.names(step):
                    mine, other = ours.held(name, step), theirs.held(name, step)
                    assert (mine.value.dtype, mine.value.shape) == (other.value.dtype, other.value.shape)
                    if mine.lanes is not None:
                        assert np.array_equal(mine.lanes, other.lanes, equal_nan=mine.lanes.dtype.kind == "f")
    assert longest > 3 * LANES


# ---------------------------------------------------------------- masks, loops, branches, functions


@triton.jit
def twice(value):
    doubled = value * 2
    return doubled  # back


@triton.jit
def walk_kernel(x_ptr, out_ptr, n, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    if pid == 2:  # third?
        return  # early
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(ROUNDS + pid):  # loop
        x = tl.load(x_ptr + offs, mask=offs < n)  # masked load
        acc += x  # add
    if pid % 2 == 0:
        half = acc * 0.5  # even
    else:
        half = twice(acc)  # odd
    tl.store(out_ptr + offs, half, mask=offs < n)  # masked store


@pytest.fixture(scope="module")
def walk():
    x, out = torch.arange(100, dtype=torch.float32), torch.zeros(100)
    return recorded(lambda: walk_kernel[(4,)](x, out, 100, ROUNDS=2, BLOCK=32))


def test_only_the_programs_own_path_is_shown(walk):
    even, odd, third = (path(story(walk, program)) for program in (0, 1, 2))
    assert "half = acc * 0.5" in even and "half = twice(acc)" not in even
    assert "half = twice(acc)" in odd and "doubled = value * 2" in odd and "half = acc * 0.5" not in odd
    assert third[-1] == "return" and not any("acc" in line for line in third)
    assert [line for line in even if line.startswith("acc += x")] == ["acc += x"] * 2
    assert [line for line in odd if line.startswith("acc += x")] == ["acc += x"] * 3


def test_masked_off_lanes_are_hollow(walk):
    answer = at(walk, "masked load", program=3, name="x", lane=3, columns=8)
    x = name_of(answer, "x")
    assert (x.dtype, x.shape, x.off, x.new, x.changed) == ("fp32", [32], 28, True, 32)
    assert (x.lowest, x.highest, x.values[:4]) == ("96", "99", ["96", "97", "98", "99"])
    assert [cell.state for cell in answer.lanes.rows[0].cells] == ["on"] * 4 + ["off"] * 4
    assert (answer.lanes.lane, answer.lanes.exact, answer.lanes.index) == (3, "99.0", [3])
    (touched,) = answer.touched
    assert (touched.op, touched.tensor, touched.on, touched.off, touched.out) == ("load", "x_ptr", 4, 28, 0)


def test_what_a_store_writes_is_shown_with_the_lanes_that_it_leaves_out_hollow(walk):
    answer = at(walk, "masked store", program=3, columns=8)
    assert answer.lanes.name == "→ out_ptr"
    assert [cell.state for cell in answer.lanes.rows[0].cells] == ["on"] * 4 + ["off"] * 4
    assert [cell.text for cell in answer.lanes.rows[0].cells[:2]] == ["960", "970"]
    stored = name_of(answer, "→ out_ptr")
    assert (stored.dtype, stored.shape, stored.off, stored.highest) == ("fp32", [32], 28, "990")
    assert "→ out_ptr" not in [state.name for state in at(walk, "add", program=3).names]


def test_what_a_line_changes_and_on_which_lanes(walk):
    answer = at(walk, "add", program=3)
    acc = name_of(answer, "acc")
    assert (acc.changed, acc.changed_ranges, acc.new) == (4, [(0, 3)], False)
    assert answer.lanes.name == "acc", "what the line changed is what is shown"
    assert [state.name for state in answer.names if state.changed] == ["acc"]
    again = ask(walk, 3, answer.step + 1)
    assert (again.here.text, again.here.iteration) == ("for k in range(ROUNDS + pid):  # loop", [1])
    k = name_of(again, "k")
    assert (k.values, k.before, k.changed) == (["1"], "0", 1)


def test_a_loop_says_that_it_ends_and_a_branch_what_it_was(walk):
    ended = ask(walk, 0, at(walk, "loop").step, seek="line")
    ended = ask(walk, 0, ended.step, seek="line")
    assert (ended.here.kind, ended.taken, ended.here.iteration) == ("branch", False, [2])
    assert at(walk, "third?", program=2).taken is True
    assert at(walk, "third?", program=1).taken is False


def test_device_functions_are_entered_and_left(walk):
    call = at(walk, "odd", program=1)
    inside = [ask(walk, 1, call.step - back) for back in (3, 2, 1)]
    assert [answer.here.kind for answer in inside] == ["enter", "line", "return"]
    assert all(answer.calls == ["walk_kernel", "twice"] and answer.here.depth == 1 for answer in inside)
    assert [state.name for state in inside[1].names] == ["value", "doubled"]
    assert inside[2].names[-1].name == "return" and inside[2].here.line == line_of("back")
    assert call.calls == ["walk_kernel"] and "doubled" not in [state.name for state in call.names]
    before = call.step - 4
    assert ask(walk, 1, before, seek="over").step == call.step
    assert ask(walk, 1, call.step, seek="over", back=True).step == before
    assert ask(walk, 1, call.step - 2, seek="out").step == call.step


def test_the_next_change_of_a_name_can_be_found(walk):
    first = ask(walk, 1, 0, seek="change", name="pid")
    assert first.step == 0, "pid is unknown at the first step, where the parameters are"
    here = at(walk, "add", program=1, name="acc")
    later = ask(walk, 1, here.step, seek="change", name="acc")
    assert (later.here.text, later.here.iteration) == ("acc += x  # add", [1])
    assert ask(walk, 1, later.step, seek="change", name="acc", back=True).step == here.step


def test_the_steps_in_view_move_by_pages(walk):
    answer = ask(walk, 0, 5, first=0, count=4)
    assert (answer.first, [line.step for line in answer.lines]) == (4, [4, 5, 6, 7])
    assert ask(walk, 0, 6, first=4, count=4).first == 4
    assert ask(walk, 0, 6, first=3, count=4).first == 3
    last = ask(walk, 0, 1000, first=0, count=1000)
    assert last.step == last.total - 1 == last.lines[-1].step


def test_an_unknown_program_has_no_steps(walk):
    answer = ask(walk, 77)
    assert (answer.total, answer.names, answer.kept) == (0, [], [(0, 3)])


# ---------------------------------------------------------------- values


@triton.jit
def values_kernel(x_ptr, half_ptr, out_ptr, M, N, R: tl.constexpr, C: tl.constexpr):
    rows, cols = tl.arange(0, R), tl.arange(0, C)  # arrays
    pointers = x_ptr + rows[:, None] * N + cols[None, :]  # pointers
    tile = tl.load(pointers, mask=cols[None, :] < N)  # tile
    brain = tile.to(tl.bfloat16)  # bf16
    small = tile.to(tl.float8e4nv)  # fp8
    half = tl.load(half_ptr + cols)  # fp16
    cube = tl.reshape(tile, (2, R // 2, C))  # cube
    both = (tile > 2.0, half)  # tuple
    total = tl.sum(tl.sum(cube, 0).to(tl.float32))  # total
    tl.store(out_ptr, total)


@pytest.fixture(scope="module")
def values():
    x = torch.arange(24, dtype=torch.float32).reshape(4, 6) / 10
    half = torch.arange(8, dtype=torch.float16) / 3
    return recorded(lambda: values_kernel[(1,)](x, half, torch.zeros(1), 4, 6, R=4, C=8))


def test_blocks_of_two_and_three_axes(values):
    answer = at(values, "tile", name="tile", lane=8 * 2 + 5, rows=2, columns=4)
    assert (answer.lanes.index, answer.lanes.total) == ([2, 5], 32)
    assert [(row.lane, row.index) for row in answer.lanes.rows] == [(20, [2, 4]), (28, [3, 4])]
    assert [cell.text for cell in answer.lanes.rows[0].cells] == ["1.6", "1.7", "0", "0"]
    assert [cell.state for cell in answer.lanes.rows[0].cells] == ["on", "on", "off", "off"]
    cube = at(values, "cube", name="cube", lane=31, rows=1, columns=8)
    assert (name_of(cube, "cube").shape, cube.lanes.index) == ([2, 2, 8], [1, 1, 7])


def test_pointers_are_the_tensor_and_an_offset(values):
    answer = at(values, "pointers", name="pointers", lane=10)
    pointers = name_of(answer, "pointers")
    assert (pointers.dtype, pointers.lowest, pointers.highest) == ("*fp32", "x_ptr+0", "x_ptr+25")
    assert answer.lanes.exact == "x_ptr+8"
    assert name_of(answer, "x_ptr").values == ["x_ptr+0"]
    assert name_of(answer, "R").dtype == "constexpr" and name_of(answer, "R").values == ["4"]


def test_narrow_floats_hold_what_the_format_holds(values):
    tile = torch.arange(24, dtype=torch.float32).reshape(4, 6) / 10
    for marker, name, dtype in (("bf16", "brain", torch.bfloat16), ("fp8", "small", torch.float8_e4m3fn)):
        answer = at(values, marker, name=name, lane=8 + 3)
        assert float(answer.lanes.exact) == float(tile[1, 3].to(dtype)), name
        assert name_of(answer, name).dtype == {"brain": "bf16", "small": "fp8e4nv"}[name]
    half = at(values, "fp16", name="half", lane=1)
    assert (name_of(half, "half").dtype, half.lanes.exact) == ("fp16", "0.3333")


def test_items_of_a_tuple_have_names_of_their_own(values):
    answer = at(values, "tuple")
    assert name_of(answer, "both[0]").trues == 3
    assert name_of(answer, "both[1]").dtype == "fp16"


@triton.jit
def descriptor_kernel(desc, out_ptr, R: tl.constexpr, C: tl.constexpr):
    block = desc.load([2, 4])  # descriptor load
    tl.store(out_ptr + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :], block)


@pytest.mark.skipif(TensorDescriptor is None, reason="this Triton has no tensor descriptors")
def test_descriptors_say_what_they_describe():
    x = torch.arange(64, dtype=torch.float32).reshape(4, 16)
    desc = TensorDescriptor.from_tensor(x, [4, 8])
    trace = recorded(lambda: descriptor_kernel[(1,)](desc, torch.zeros(32), R=4, C=8))
    answer = at(trace, "descriptor load", name="block", lane=8 * 2)
    described = name_of(answer, "desc")
    assert (described.dtype, described.shape) == ("descriptor", [4, 8])
    assert described.values == ["desc [4, 16] strides [16, 1]"]
    assert name_of(answer, "block").off == 16, "rows 4 and 5 are beyond the tensor"


@triton.jit
def ratio_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=float("-inf"))
    y = x / x  # not a number
    z = 1.0 / tl.where(offs == 3, 0.0, 1.0)  # infinite
    tl.store(out_ptr + offs, y + z, mask=offs < n)


def test_the_first_nan_and_the_first_infinity_that_no_mask_hides():
    x = torch.tensor([1.0, 0.0, 3.0, 4.0, 5.0])
    trace = recorded(lambda: ratio_kernel[(1,)](x, torch.zeros(5), 5, BLOCK=8))
    births = ask(trace).births
    lines = {birth.what: (story(trace, 0).moments[birth.step].line, birth.name, birth.lanes) for birth in births}
    assert lines["inf"] == (line_of("infinite"), "z", [(3, 3)])
    assert lines["nan"][:2] == (line_of("not a number"), "y") and (1, 1) in lines["nan"][2]
    there = ask(trace, seek="born")
    assert there.here.line == line_of("not a number")
    assert ask(trace, step=there.step, seek="born").here.line == line_of("infinite")
    assert name_of(there, "y").nans == 4 and name_of(there, "x").infinities == 0


# ---------------------------------------------------------------- errors and room


@triton.jit
def broken_kernel(x_ptr, n):
    a = n + 1
    b = a + missing  # noqa: F821 # broken


def test_an_error_is_the_last_step():
    with tracing(TraceOptions(step_bytes=STEP_BYTES)) as session, pytest.raises(KernelError):
        broken_kernel[(2,)](torch.zeros(4), 4)
    answer = ask(session.traces[0], 1, 1000)
    assert (answer.here.kind, answer.here.line) == ("stopped", line_of("broken"))
    assert [state.name for state in answer.names] == ["x_ptr", "n", "a"]


def test_when_room_is_short_fewer_programs_are_kept_to_the_end():
    x = torch.arange(64 * 256, dtype=torch.float32)

    def launch():
        walk_kernel[(64,)](x, torch.zeros_like(x), x.numel(), ROUNDS=2, BLOCK=256)

    whole, thin = recorded(launch), recorded(launch, step_bytes=1 << 21)
    kept = thin.steps.programs.tolist()
    assert thin.steps.complete and FEWEST_PROGRAMS <= len(kept) < 64 and {0, 63} <= set(kept)
    for program in (0, 63):
        assert path(story(thin, program)) == path(story(whole, program))
        for step in range(len(story(thin, program).moments)):
            for name in story(thin, program).names(step):
                mine, other = (story(trace, program).held(name, step).lanes for trace in (thin, whole))
                assert np.array_equal(mine, other) if mine is not None else other is None
    assert ask(thin, 32).total == 0 and ask(thin, 32).kept[0][0] == 0
    stopped = recorded(launch, step_bytes=1 << 12)
    assert not stopped.steps.complete and not ask(stopped, 0).complete


def test_a_run_without_room_for_steps_has_none():
    with tracing() as session:
        walk_kernel[(1,)](torch.zeros(32), torch.zeros(32), 32, ROUNDS=1, BLOCK=32)
    assert session.traces[0].steps is None
    with pytest.raises(LookupError):
        ask(session.traces[0])


@triton.jit
def combine(a, b):
    bigger = tl.maximum(a, b)  # inside a reduction
    return bigger


@triton.jit
def reduce_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    most = tl.reduce(x, 0, combine)  # reduction
    pairs = [index for index in (0, 1)]
    tl.store(out_ptr, most)


def test_combine_functions_are_not_stepped_into():
    """There, lanes run as if they were programs: nothing a learner's program does."""
    trace = recorded(lambda: reduce_kernel[(1,)](torch.arange(8.0), torch.zeros(1), BLOCK=8))
    assert not any("bigger" in line for line in path(story(trace, 0)))
    assert name_of(at(trace, "reduction"), "most").values == ["7.0"]


def test_a_grid_run_in_chunks_is_recorded_throughout():
    x = torch.arange(64, dtype=torch.float32)
    options = TraceOptions(step_bytes=STEP_BYTES, chunk_lanes=16)
    with tracing(options) as session:
        walk_kernel[(8,)](x, torch.zeros(64), 64, ROUNDS=1, BLOCK=8)
    trace = session.traces[0]
    whole = recorded(lambda: walk_kernel[(8,)](x, torch.zeros(64), 64, ROUNDS=1, BLOCK=8))
    for program in range(8):
        assert path(story(trace, program)) == path(story(whole, program))
