"""What the engine is asked for a view of the map."""

from __future__ import annotations

from tritontui.engine.messages import InspectRequest, TileRequest
from tritontui.ui.map.state import Wanted
from tritontui.ui.map.tensor_shape import ShapeWindow


def tile_request(wanted: Wanted, number: int) -> TileRequest:
    """The cells in view."""
    at, shown = wanted.at, wanted.window
    return TileRequest(
        run=wanted.run,
        request=number,
        launch=at.launch,
        site=at.site,
        program=at.program,
        lane=at.lane,
        execution=at.execution,
        first=0 if isinstance(shown, ShapeWindow) else shown.first,
        cells=shown.cells,
        zoom=1 if isinstance(shown, ShapeWindow) else shown.zoom,
        plane=shown.plane if isinstance(shown, ShapeWindow) else None,
        overlay=wanted.overlay,
    )


def lane_request(wanted: Wanted, number: int) -> InspectRequest:
    """The selected lane."""
    at = wanted.at
    return InspectRequest(
        run=wanted.run,
        request=number,
        launch=at.launch,
        site=at.site,
        program=at.program,
        lane=at.lane,
        execution=at.execution,
        writes=wanted.overlay == "writes",
    )
