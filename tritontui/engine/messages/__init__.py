"""Every request to a runner child and every reply from it: both ends' types, a module for each subject.

Frames are a 4-byte big-endian length and then msgpack of one tagged Struct (``engine/frames.py``).
"""

from __future__ import annotations

from tritontui.engine.messages.cases import CaseDone, CaseResult, Mismatch
from tritontui.engine.messages.compiler import AccessWidth, Compiled, CompilerReport, Listing, ListingRequest
from tritontui.engine.messages.experiments import (
    ExperimentPoint,
    ExperimentRequest,
    ExperimentStarted,
    OwnRefused,
    OwnText,
)
from tritontui.engine.messages.machine import Check, GpuInfo, Probe, Probed, Ready
from tritontui.engine.messages.memory import (
    Cell,
    Inspection,
    InspectRequest,
    Overlay,
    Plane,
    SectorTraffic,
    Tile,
    TileRequest,
)
from tritontui.engine.messages.runs import (
    ALL_STAGES,
    INTERRUPTED,
    Broken,
    Cancel,
    Counted,
    Done,
    Found,
    Interrupt,
    Judge,
    Lost,
    Output,
    ScriptDone,
    StageDone,
    StageName,
    StageSkipped,
    StageStarted,
    Stalled,
    TraceScript,
    Unanswered,
)
from tritontui.engine.messages.speed import Measured, Measurement, Tuned, TunedConfig, Workload
from tritontui.engine.messages.steps import (
    Birth,
    LaneCell,
    LaneRow,
    Lanes,
    NameState,
    Seek,
    StepLine,
    Steps,
    StepsRequest,
    Touched,
)
from tritontui.engine.messages.sweeps import SweepKind, SweepPoint, SweepRequest, SweepStarted
from tritontui.engine.messages.traces import (
    SECTOR_BYTES,
    Affine,
    LaunchSummary,
    SiteSummary,
    TensorSummary,
    Term,
    Traced,
)

Work = Judge | SweepRequest | ExperimentRequest | TraceScript
"""What a child does one at a time; the rest is answered beside it."""

Request = (
    Judge
    | SweepRequest
    | ExperimentRequest
    | TileRequest
    | InspectRequest
    | ListingRequest
    | StepsRequest
    | TraceScript
    | Probe
    | Cancel
    | Interrupt
)

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
    | Workload
    | Measured
    | Tuned
    | SweepStarted
    | SweepPoint
    | OwnRefused
    | ExperimentStarted
    | ExperimentPoint
    | Counted
    | ScriptDone
    | Stalled
    | Done
    | Broken
    | Lost
)

__all__ = [
    "ALL_STAGES",
    "INTERRUPTED",
    "SECTOR_BYTES",
    "AccessWidth",
    "Affine",
    "Birth",
    "Broken",
    "Cancel",
    "CaseDone",
    "CaseResult",
    "Cell",
    "Check",
    "Compiled",
    "CompilerReport",
    "Counted",
    "Done",
    "ExperimentPoint",
    "ExperimentRequest",
    "ExperimentStarted",
    "Found",
    "GpuInfo",
    "InspectRequest",
    "Inspection",
    "Interrupt",
    "Judge",
    "LaneCell",
    "LaneRow",
    "Lanes",
    "LaunchSummary",
    "Listing",
    "ListingRequest",
    "Lost",
    "Measured",
    "Measurement",
    "Mismatch",
    "NameState",
    "Output",
    "Overlay",
    "OwnRefused",
    "OwnText",
    "Plane",
    "Probe",
    "Probed",
    "Ready",
    "Reply",
    "Request",
    "ScriptDone",
    "SectorTraffic",
    "Seek",
    "SiteSummary",
    "StageDone",
    "StageName",
    "StageSkipped",
    "StageStarted",
    "Stalled",
    "StepLine",
    "Steps",
    "StepsRequest",
    "SweepKind",
    "SweepPoint",
    "SweepRequest",
    "SweepStarted",
    "TensorSummary",
    "Term",
    "Tile",
    "TileRequest",
    "Touched",
    "TraceScript",
    "Traced",
    "Tuned",
    "TunedConfig",
    "Unanswered",
    "Work",
    "Workload",
]
