"""Every request to a runner child and every reply from it: the one place where both ends' types are written.

Frames are a 4-byte big-endian length and then msgpack of one tagged Struct (``engine/frames.py``).
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from tritontui.diagnosis.finding import Finding, LaneRange

StageName = Literal["trace", "legality", "cases", "compile", "measure", "sweep"]
Seek = Literal["change", "line", "over", "out", "born"]
"""The next step that changes the name, that stands on the same line, that is not deeper in device functions, that is
back in the caller, or at which NaN or infinity first appears."""
ALL_STAGES: tuple[StageName, ...] = ("trace", "legality", "cases", "compile", "measure")
"""Of a Judge, in order. A SweepRequest has the stage ``sweep`` alone, begun anew for each of its points."""

SweepKind = Literal["launch", "size"]
"""Vary what the learner's own launch passes (constexprs, num_warps…), or the size of the measured case."""

# ---------------------------------------------------------------- requests


class Judge(Struct, tag=True, kw_only=True):
    """Judge one text of one exercise. Stages run in ALL_STAGES order; each answers when it is ready."""

    run: int
    exercise: str
    """Folder of the exercise (holds exercise.py)."""
    source: str
    filename: str
    """What the learner calls the file; used in tracebacks."""
    stages: list[StageName]
    target: str | None = None
    """Compile target such as ``sm_90``; None: this machine's GPU, else the default target."""
    first_case_only: bool = False
    """Live mode without measuring may stop at the trace case."""
    soft_seconds: dict[StageName, float] = {}
    """Soft deadlines that differ from ``engine/limits.py``."""
    knobs: dict[str, int | float | str] = {}
    """What the learner turned while exploring; they take the place of the traced case's values of those names."""
    max_changed_lines: int | None = None
    """A repair: so many lines may differ from the starter.py of the exercise's folder."""


class Plane(Struct, kw_only=True, frozen=True):
    """A window on memory seen as a matrix: element (i, j) has the offset ``base + i·row_stride + j·column_stride``.

    Its cells are ``width`` a row, each ``row_zoom`` × ``column_zoom`` elements, from (``first_row``,
    ``first_column``) on, which may lie outside the matrix.
    """

    base: int
    row_stride: int
    column_stride: int
    """0 where an axis was expanded; otherwise the one stride steps over everything that the other spans."""
    rows: int
    columns: int
    first_row: int
    first_column: int
    row_zoom: int
    column_zoom: int
    width: int
    wraps: bool = False
    """The kernel counts on past the end of a row; else its lanes past the end are placed beyond it."""
    slice_stride: int = 0
    """The least stride from one slice of the tensor to another; 0 where there is but one."""
    closed: bool = False
    """What lies past the edges are other slices, and nothing of the launch is shown there but lanes placed there."""


Overlay = Literal["", "writes", "sectors"]


class SweepRequest(Struct, tag=True, kw_only=True):
    """Try one text at every point of a grid of values: is it legal there, what does it take, is it right, how fast?"""

    run: int
    exercise: str
    """Folder of the exercise (holds exercise.py)."""
    source: str
    filename: str
    kind: SweepKind
    axes: dict[str, list[int]] = {}
    """Values by axis; empty: those that the exercise declares."""
    points: list[int] | None = None
    """Indices of the points to try; None: all. The engine asks the GPU for those that the CPU found safe and right."""
    target: str | None = None
    soft_seconds: dict[StageName, float] = {}


class TileRequest(Struct, tag=True, kw_only=True):
    """What a viewport of the access map shows: ``cells`` cells, of ``plane`` or else of linear memory.

    In linear memory they are ``zoom`` elements each, from element ``first`` on.
    """

    run: int
    request: int
    launch: int
    site: int
    program: int
    """Linear id of the selected program."""
    first: int
    cells: int
    zoom: int
    plane: Plane | None = None
    lane: int = 0
    execution: int | None = None
    """Which of the site's iterations, counted from 0; None: all of them together."""
    overlay: Overlay = ""


class InspectRequest(Struct, tag=True, kw_only=True):
    """One lane of one program at one site."""

    run: int
    request: int
    launch: int
    site: int
    program: int
    lane: int
    execution: int | None = None
    """As in ``TileRequest``; None: the first."""
    writes: bool = False
    """Whether the writes to the element are to be counted, which takes a while where there are many."""


class ListingRequest(Struct, tag=True, kw_only=True):
    """One of the compiler's listings of the kernel that ``run`` compiled."""

    run: int
    request: int
    kind: str
    """``ttir``, ``ttgir``, ``llir``, ``ptx``, ``amdgcn`` or ``sass``."""


class StepsRequest(Struct, tag=True, kw_only=True):
    """One program's way through the kernel: the steps in view, and every name as it stands after one of them."""

    run: int
    request: int
    launch: int
    program: int
    """Linear id."""
    step: int
    """The step to stand at, brought within what there is; with ``seek``, the one to look from."""
    seek: Seek | None = None
    back: bool = False
    """Look towards the beginning."""
    name: str | None = None
    """The name whose lanes are wanted; None, or a name that isn't there: what the step changed, else the first."""
    lane: int = 0
    rows: int = 1
    columns: int = 8
    """Lanes in view: rows of the block, or of its only axis folded."""
    first: int = 0
    count: int = 0
    """Steps in view, from ``first`` on; moved by whole pages to hold ``step``."""


class TraceScript(Struct, tag=True, kw_only=True):
    """Run a script as ``python SCRIPT ARGS`` would and trace every launch in it."""

    run: int
    path: str
    arguments: list[str]
    working_directory: str


class Probe(Struct, tag=True):
    """Ask what works in this child: versions, GPU, compiler."""


class Cancel(Struct, tag=True):
    """Stop ``run`` at its next stage boundary."""

    run: int


Work = Judge | SweepRequest | TraceScript
"""What a child does one at a time; the rest is answered beside it."""

Request = (
    Judge | SweepRequest | TileRequest | InspectRequest | ListingRequest | StepsRequest | TraceScript | Probe | Cancel
)

# ---------------------------------------------------------------- replies


class GpuInfo(Struct, kw_only=True):
    index: int
    name: str
    capability: str
    """``sm_90`` or ``gfx942``."""
    memory_bytes: int
    l2_bytes: int
    sm_count: int
    peak_gbps: float | None
    """Datasheet bandwidth from the memory clock and the bus width, GB/s (1e9)."""


class Ready(Struct, tag=True, kw_only=True):
    """First reply of a child: imports are done."""

    device: str
    """``cpu`` or ``cuda:N``."""
    python: str
    torch: str
    triton: str
    numpy: str
    target: str
    """What is compiled for, unless a request says otherwise."""
    gpu: GpuInfo | None = None


class Check(Struct, kw_only=True):
    """One line of the doctor's report. ``params`` fill the texts of ``id``."""

    id: str
    ok: bool
    detail: str
    params: dict[str, Any] = {}


class Probed(Struct, tag=True):
    checks: list[Check]


class StageStarted(Struct, tag=True):
    run: int
    stage: StageName
    device: str = "cpu"
    """Filled in by the child's loop, as in the two below: with a GPU some stages run in both children."""


class StageDone(Struct, tag=True):
    run: int
    stage: StageName
    milliseconds: float
    device: str = "cpu"


class StageSkipped(Struct, tag=True):
    """A stage that could not run: ``not-safe`` (out of bounds), ``not-legal``, ``no-gpu``, ``failed-before``,
    ``no-case`` (the exercise has none to measure), ``no-kernel`` (it is about host code alone), or ``no-reference``
    (nothing is right or wrong: an exploration)."""

    run: int
    stage: StageName
    reason: str
    device: str = "cpu"


class Output(Struct, tag=True):
    """A piece of what the learner's program printed; ``dropped`` bytes, said in the last piece, were over the cap."""

    run: int
    text: str
    dropped: int = 0


class Found(Struct, tag=True):
    """Findings of a stage, as they are known."""

    run: int
    stage: StageName
    findings: list[Finding]
    launch: int | None = None
    """The launch they are about (``LaunchSummary.launch``); None: the run as a whole."""


class Term(Struct, kw_only=True):
    """One term of an affine address: ``stride`` elements per step of ``name`` (``pid0``, ``lane0``, ``iteration0``)."""

    name: str
    stride: int
    extent: int


class Affine(Struct, kw_only=True):
    """offset = base + Σ stride·index, for every active lane of every program."""

    base: int
    terms: list[Term]


class SiteSummary(Struct, kw_only=True):
    """One load, store or atomic in the source, over all programs and iterations."""

    site: int
    line: int
    column: int
    op: Literal["load", "store", "atomic"]
    tensor: str
    dtype: str
    lane_shape: list[int]
    programs: int
    """Programs that reached it."""
    executions: int
    """Times it ran in the program that ran it most (loop iterations)."""
    lanes_on: int
    lanes_off: int
    lanes_out: int
    """Active lanes outside the tensor (masked off by the guard)."""
    sectors: int
    sectors_ideal: int
    affine: Affine | None = None


class TensorSummary(Struct, kw_only=True):
    name: str
    dtype: str
    shape: list[int]
    stride: list[int]
    elements: int
    """Elements that the view spans (largest offset + 1)."""


class LaunchSummary(Struct, kw_only=True):
    launch: int
    kernel: str
    line: int | None
    grid: list[int]
    tensors: list[TensorSummary]
    scalars: dict[str, Any]
    """The other arguments, constexprs included, by name."""
    sites: list[SiteSummary]
    mode: str
    """``lockstep``, or why it was run one program at a time."""
    kernel_ms: float
    analysis_ms: float


class Traced(Struct, tag=True):
    run: int
    launches: list[LaunchSummary]


class Cell(Struct, array_like=True):
    """One cell of the map: some elements of memory at one site."""

    program: int
    """Linear id of the lowest program with an active lane here; -1: none."""
    programs: int
    """How many programs touch it with an active lane; in a plane 2 stands for two or more."""
    selected: int
    """Active lanes of the selected program here."""
    masked: int
    """Masked-off lanes of the selected program that would fall here."""
    out: int
    """Active lanes here, when the cell lies outside the tensor."""
    again: int = 0
    """Active lanes of the selected program here in its other iterations, when one of them was asked for."""


class SectorTraffic(Struct, kw_only=True):
    """What the selected program's access moves: 32-byte sectors, each counted once an execution."""

    sectors: int
    ideal: int
    """The fewest that could hold as many elements."""
    used_bytes: int

    @property
    def moved_bytes(self) -> int:
        return 32 * self.sectors


class Tile(Struct, tag=True, kw_only=True):
    run: int
    request: int
    first: int
    zoom: int
    cells: list[Cell]
    elements: int
    """Elements of the tensor; cells past it are outside."""
    lowest: int
    highest: int
    """Lowest and highest element offset that any lane addressed, masked or not."""
    plane: Plane | None = None
    place: tuple[int, int] | None = None
    """Row and column of the selected lane in the plane, counted past its end where it doesn't wrap."""
    executions: int = 1
    """Iterations in which any program ran the site."""
    iteration: list[int] = []
    """Loop counters of the one asked for, outermost first."""
    overlay: list[tuple[int, int]] = []
    """By cell. ``writes``: how often its elements were written, least and most. ``sectors``: elements that the
    selected program uses, and elements that come along in the same sectors."""
    traffic: SectorTraffic | None = None


class Inspection(Struct, tag=True, kw_only=True):
    """``offset`` of the lane in elements of the tensor, with the steps that made it in the learner's own names."""

    run: int
    request: int
    program: list[int]
    lane: int
    lane_index: list[int]
    offset: int
    active: bool
    inside: bool
    formula: str
    """Such as ``3·256 + 232 = 1000``."""
    names: dict[str, str]
    """The learner's names behind the numbers, such as ``{"pid": "3", "BLOCK": "256"}``."""
    masked_ranges: list[LaneRange]
    out_ranges: list[LaneRange]
    index: list[int | None] = []
    """The element's index in the tensor; None along an expanded axis; empty where the offset is no element."""
    corner: list[int | None] = []
    """The same of the block's first lane."""
    steps: list[str] = []
    """One for each block that the learner named, such as ``rm = 3·16 + 5 = 53``, then the offset made of them."""
    masked_lanes: int = 0
    programs: int = 0
    """How many programs touch this element at this site."""
    writes: int | None = None
    """How often the launch writes this element; None: not asked for, or too large a tensor to count."""
    writers: int = 0
    """By how many programs."""


class Listing(Struct, tag=True, kw_only=True):
    """A listing, line by line, and where each line came from."""

    run: int
    request: int
    kind: str
    lines: list[str]
    sources: list[int]
    """Line of the learner's file behind each line, 0 where none is known."""


class StepLine(Struct, array_like=True):
    """One step: a line that the program executed."""

    step: int
    line: int
    """In the learner's file; 0: in another file."""
    text: str
    depth: int
    """0 in the kernel, 1 in a device function that it calls, and so on."""
    function: str
    kind: str
    """``enter``, ``line``, ``load``, ``loop``, ``branch``, ``return``, ``stopped``: see ``analysis.recording.Kind``."""
    iteration: list[int]
    changed: list[str]


class NameState(Struct, kw_only=True):
    """A name after the step; lanes count row by row."""

    name: str
    dtype: str
    shape: list[int]
    values: list[str]
    """Of the first lanes, or what a scalar, a pointer, a descriptor or a constexpr is."""
    lowest: str = ""
    highest: str = ""
    """Over all lanes that hold a number; "" where there are none, or only one."""
    nans: int = 0
    infinities: int = 0
    trues: int | None = None
    """Of a block of bools: how many lanes are true."""
    off: int = 0
    """Lanes that the load behind this value left out."""
    born: int
    """The step that gave it this value."""
    before: str = ""
    """Of a scalar that this step changed: what it was."""
    new: bool = False
    """This step gave it its first value."""
    changed: int = 0
    """Lanes that this step changed."""
    changed_ranges: list[LaneRange] = []
    """The first few runs of them."""


class LaneCell(Struct, array_like=True):
    """One lane of a block."""

    text: str
    state: Literal["on", "off", "out"]
    """Left out by the mask of the line's load or store; on, but outside the tensor."""
    changed: bool
    """By this step, from another value."""
    special: bool
    """NaN or infinite."""


class LaneRow(Struct, array_like=True):
    """Neighbouring lanes."""

    lane: int
    """Linear number of the first."""
    index: list[int]
    """Its place in the block."""
    cells: list[LaneCell]


class Lanes(Struct, kw_only=True):
    """Lanes of one name around the selected one."""

    name: str
    lane: int
    index: list[int]
    exact: str
    """The selected lane's value with all its digits."""
    total: int
    rows: list[LaneRow]


class Touched(Struct, kw_only=True):
    """A load, store or atomic that the step made."""

    op: Literal["load", "store", "atomic"]
    tensor: str
    on: int
    off: int
    out: int
    """Lanes: active, masked off, active outside the tensor."""


class Birth(Struct, kw_only=True):
    """The first step after which some lane of a name, not masked off, is NaN or infinite."""

    what: Literal["nan", "inf"]
    step: int
    name: str
    lanes: list[LaneRange]


class Steps(Struct, tag=True, kw_only=True):
    """A program's way through the kernel, standing at ``step``."""

    run: int
    request: int
    program: int
    step: int
    total: int
    """Steps of this program; 0: it isn't among those kept."""
    here: StepLine | None = None
    taken: bool | None = None
    """Of a branch, or a loop that goes on or ends: what the condition was."""
    calls: list[str] = []
    """The kernel, and the device functions entered from it."""
    names: list[NameState] = []
    """Of the innermost function, in the order of their first values; then what a return gave back."""
    lanes: Lanes | None = None
    touched: list[Touched] = []
    births: list[Birth] = []
    first: int = 0
    lines: list[StepLine] = []
    """The steps in view."""
    complete: bool = True
    """False: there was no room for the kernel's later steps."""
    kept: list[LaneRange] = []
    """Programs whose steps are kept, as ranges."""


class Unanswered(Struct, tag=True):
    """A tile or an inspection that can't be given: its traces are gone, or ``why`` is a defect's traceback."""

    run: int
    request: int
    why: str


class Mismatch(Struct, kw_only=True):
    """The first element that is wrong."""

    index: list[int]
    expected: str
    got: str
    difference: str
    written: bool = True
    """False: it holds what its fresh memory was filled with, and no store has been there; ``got`` is that filling."""
    program: int | list[int] | None = None
    lane: int | None = None
    wrong: int
    """Elements that are wrong."""
    total: int
    pattern: str | None = None
    """``tail``, ``every-k``, ``one-block``, ``transposed``, ``noise`` or ``all``."""
    pattern_params: dict[str, Any] = {}


class CaseResult(Struct, kw_only=True):
    """Of a case, or of a trial of host code."""

    name: str
    passed: bool
    milliseconds: float
    first_mismatch: Mismatch | None = None
    names: dict[str, str] = {}
    """A trial's name in each language; cases have one that needs no translation."""

    def name_in(self, language: str) -> str:
        return self.names.get(language, self.name)


class CaseDone(Struct, tag=True):
    run: int
    device: str
    result: CaseResult
    index: int
    total: int


class AccessWidth(Struct, kw_only=True):
    line: int
    op: str
    bits: int
    """Bits that one thread moves with one instruction."""


class CompilerReport(Struct, kw_only=True):
    kernel: str
    target: str
    registers: int | None
    spill_bytes: int | None
    shared_bytes: int
    num_warps: int
    num_stages: int
    occupancy: float | None
    """Theoretical, 0…1."""
    occupancy_limit: str | None
    """``registers``, ``shared memory``, ``warps`` or ``blocks``."""
    widths: list[AccessWidth]
    seconds: float
    listings: dict[str, int]
    """Listings that can be asked for, and their lines: ``ttir``, ``ttgir``, ``llir``, ``ptx`` or ``amdgcn``; and
    ``sass`` with 0 lines, since it takes half a second and is made when asked for."""


class Compiled(Struct, tag=True):
    run: int
    report: CompilerReport


class Measurement(Struct, kw_only=True):
    """Times in µs, quantiles 0.2, 0.5, 0.8 of do_bench; bandwidth from ideal bytes, GB/s (1e9)."""

    case: str
    device: str
    median_us: float
    low_us: float
    high_us: float
    ideal_bytes: int
    gbps: float
    ceiling_gbps: float | None
    """This card's measured ceiling for the same read : write mix."""
    peak_gbps: float | None
    torch_us: float | None
    torch_gbps: float | None
    tflops: float | None = None
    remarks: list[Finding] = []
    host_us: float | None = None
    """The other clock: what one call takes of the host, the GPU not waited for."""


class Measured(Struct, tag=True):
    run: int
    measurement: Measurement


class TunedConfig(Struct, kw_only=True):
    """One config of an autotuned kernel."""

    values: dict[str, Any]
    """Its constexprs, and ``num_warps``, ``num_stages``."""
    median_us: float | None = None
    """None: it wasn't run, or there is no GPU."""
    low_us: float | None = None
    high_us: float | None = None
    chosen: bool = False
    pruned: bool = False
    """The learner's own pruning left it out."""
    problem: Finding | None = None
    """Why it can't run on this target: too much shared memory, not compiling…"""


class Tuned(Struct, tag=True, kw_only=True):
    """What ``@triton.autotune`` did: on a GPU with times; else what there is to choose from in the measured case."""

    run: int
    device: str
    kernel: str
    line: int | None
    case: str
    """The case in which it chose: a later one whose key is the same gets the same config."""
    key: dict[str, Any]
    """Arguments whose change makes Triton tune again, with their values here."""
    configs: list[TunedConfig]
    seconds: float | None = None
    """What the tuning took; None where nothing was timed, or an earlier call had chosen already."""


class SweepStarted(Struct, tag=True, kw_only=True):
    """What will be tried; the points are the product of the axes, the last axis varying fastest."""

    run: int
    device: str
    kind: SweepKind
    axes: dict[str, list[int]]
    """Empty: there is nothing to sweep in this exercise."""
    own: dict[str, int]
    """What the learner's own launch passes, or the measured case has, as far as it is known."""
    total: int


class SweepPoint(Struct, tag=True, kw_only=True):
    """One point: from the CPU first, without times; from the GPU again, with them. ``engine/sweep.py`` joins both."""

    run: int
    device: str
    index: int
    values: dict[str, int]
    problem: Finding | None = None
    """Why it has no figure: ``shared-memory-exceeded``, ``not-power-of-two``, ``value-mismatch``, ``grid-fixed``…"""
    registers: int | None = None
    spill_bytes: int | None = None
    shared_bytes: int | None = None
    occupancy: float | None = None
    occupancy_limit: str | None = None
    median_us: float | None = None
    low_us: float | None = None
    high_us: float | None = None
    host_us: float | None = None
    """As in ``Measurement``: what one call takes of the host."""
    gbps: float | None = None
    tflops: float | None = None
    torch_us: float | None = None
    """PyTorch's own operator at this size; only for ``kind="size"``."""
    remarks: list[Finding] = []


class ScriptDone(Struct, tag=True, kw_only=True):
    run: int
    exit_code: int
    error: Finding | None = None


class Stalled(Struct, tag=True):
    """The soft deadline passed while the learner's code stood at ``line``."""

    run: int
    line: int | None
    stage: StageName


class Done(Struct, tag=True):
    """The run is over in this child; nothing more of it will come."""

    run: int
    cancelled: bool = False
    tainted: bool = False
    """The run left threads behind that nobody can end: the child is to be replaced."""


class Broken(Struct, tag=True):
    """The request itself failed in tritontui's own code (a defect, or a broken exercise): never the learner's fault."""

    run: int
    message: str
    details: str


class Lost(Struct, tag=True):
    """Made by the engine, not by a child: the child of ``run`` died or was killed, and a fresh one starts."""

    run: int
    reason: Literal["died", "deadline", "gpu-fault"]
    exit_code: int | None = None
    line: int | None = None
    stage: StageName | None = None
    learner: bool = False
    """Whether the learner's own code did it (a loop without end, ``os._exit``, a wild address), not the machine."""


Reply = (
    Ready
    | Probed
    | StageStarted
    | StageDone
    | StageSkipped
    | Output
    | Found
    | Traced
    | Tile
    | Inspection
    | Listing
    | Steps
    | Unanswered
    | CaseDone
    | Compiled
    | Measured
    | Tuned
    | SweepStarted
    | SweepPoint
    | ScriptDone
    | Stalled
    | Done
    | Broken
    | Lost
)
