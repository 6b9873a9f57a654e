"""The whole path, real judge included, on the real exercise: what goes wrong is said on its line, and all goes on."""

import pytest
import pytest_asyncio

from tritontui.course.loader import load_course
from tritontui.engine.engine import Engine
from tritontui.engine.limits import LIMITS, Limit
from tritontui.engine.messages import Inspection, InspectRequest, Tile, TileRequest
from tritontui.engine.report import Report

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOOD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    add_kernel[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    return out
"""
IN_KERNEL, IN_HOST, AT_TOP = 11, 17, 4
"""Lines of GOOD before which something can be put: the first load, the first line of add, the first blank line."""


def with_line(line, text):
    """GOOD with ``text``, indented as its neighbour, as line ``line``."""
    lines = GOOD.splitlines()
    neighbour = lines[line - 1]
    indent = neighbour[: len(neighbour) - len(neighbour.lstrip())]
    lines[line - 1 : line - 1] = [indent + part for part in text.splitlines()]
    return "\n".join(lines) + "\n"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def engine():
    engine = Engine("cpu", limits={**LIMITS, "trace": Limit(soft=2.0, hard=4.0)})
    await engine.start()
    yield engine
    await engine.close()


async def judged(engine, source):
    exercise = load_course().exercise("vector_add")
    report = Report("vector_add")
    async for reply in engine.judge(exercise.folder, source, "vector_add.py"):
        report.add(reply)
    assert report.broken is None, report.broken.details
    return report


async def test_a_right_kernel_passes_and_answers_the_map(engine):
    report = await judged(engine, GOOD)
    assert report.verdict == "pass", report.findings
    assert report.skipped == {"measure": "no-gpu"}
    assert not [finding for finding in report.findings if finding.severity != "note"]
    site = report.launches[0].sites[0]
    tile = await engine.tile(
        TileRequest(run=report.run, request=1, launch=0, site=site.site, program=3, first=768, cells=256, zoom=1)
    )
    assert isinstance(tile, Tile)
    assert len(tile.cells) == 256
    lane = await engine.inspect(
        InspectRequest(run=report.run, request=2, launch=0, site=site.site, program=3, lane=231)
    )
    assert isinstance(lane, Inspection)
    assert (lane.offset, lane.active) == (3 * 256 + 231, True)


@pytest.mark.parametrize(
    ("source", "identifier", "line"),
    [
        (with_line(IN_HOST, "while True:\n    pass"), "no-progress", (17, 18)),
        (with_line(AT_TOP, "while True:\n    pass"), "no-progress", (4, 5)),
        (with_line(IN_KERNEL, "while pid >= 0:\n    pid = pid + 0"), "no-progress", (11, 12)),
        (with_line(IN_HOST, "import time; time.sleep(1e6)"), "no-progress", (17,)),
        (with_line(IN_HOST, "import os; os._exit(3)"), "runner-lost", (17,)),
        (with_line(AT_TOP, "import os; os._exit(3)"), "runner-lost", (4,)),
        (with_line(IN_HOST, "raise SystemExit(2)"), None, (17,)),
        (with_line(IN_HOST, "while True: print('x' * 100_000)"), "no-progress", (17,)),
        (with_line(IN_HOST, "import ctypes; ctypes.string_at(0)"), "runner-lost", (17,)),
        (with_line(IN_HOST, "x = [0] * (1 << 60)"), None, (17,)),
        (with_line(IN_HOST, "breakpoint()"), "host-value", (17,)),
        (with_line(AT_TOP, "import sys; sys.setrecursionlimit(40)"), "changed-for-all", (4,)),
        (with_line(AT_TOP, "import builtins; builtins.isinstance = builtins.len = None"), "changed-for-all", (4,)),
        (with_line(IN_HOST, "raise ValueError('mine')"), "wrapper-contract", (17,)),
        (GOOD.replace("offs < n", "offs < n +"), "syntax-error", (10,)),
        (GOOD.replace("tl.load(x_ptr + offs, mask=mask)", "tl.load(x_ptr + offs)"), "out-of-bounds-read", (11,)),
    ],
)  # fmt: skip
async def test_a_fault_is_said_on_its_line_and_the_next_run_passes(engine, source, identifier, line):
    report = await judged(engine, source)
    assert report.verdict == "fail"
    assert report.skipped.get("measure") != "no-gpu" or report.lost is not None, "a GPU wouldn't help a wrong kernel"
    first = report.findings[0]
    assert identifier in (None, first.id), first
    assert first.line in line, first
    for language in ("en", "it"):
        assert report.as_json(language)["findings"][0]["message"]
    assert (await judged(engine, GOOD)).verdict == "pass"


@pytest.mark.parametrize(
    "deed",
    [
        "import os, shutil\nshutil.rmtree(os.environ['TMPDIR'])",
        "globals().clear()",
    ],
    ids=["the scratch folder", "the module"],
)
async def test_what_a_text_destroys_is_there_for_the_next(engine, deed):
    assert (await judged(engine, with_line(AT_TOP, deed))).verdict == "fail"
    again = await judged(engine, GOOD)
    assert (again.verdict, again.output) == ("pass", "")


@pytest.mark.parametrize(
    "deed",
    [
        "import os\nos.environ['TRITON_INTERPRET'] = '1'",
        "torch.set_default_device('meta')",
        "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)",
        "import sys, io\nsys.stdout = io.StringIO()",
    ],
    ids=["Triton's interpreter", "device", "dtype", "stdout"],
)
async def test_what_a_right_text_sets_for_all_leaves_it_right(engine, deed):
    source = with_line(AT_TOP, deed)
    report = await judged(engine, source)
    assert report.verdict == "pass", report.findings
    first = "\n".join(line for line in deed.splitlines() if "torch" not in line)
    assert (await judged(engine, f"{first}\n{GOOD}")).verdict == "pass"


async def test_a_container_that_holds_itself_is_no_tensor(engine):
    report = await judged(engine, with_line(IN_HOST, "out = []\nout.append(out)\nreturn out"))
    assert report.findings[0].id == "wrapper-contract"


async def test_an_empty_file_fails_with_a_word(engine):
    report = await judged(engine, "")
    assert report.verdict == "fail"
    assert report.findings


async def test_prints_are_shown_and_do_not_spoil_the_verdict(engine):
    report = await judged(engine, with_line(IN_HOST, "print('n is', x.numel())"))
    assert report.verdict == "pass"
    assert "n is 1000" in report.output
