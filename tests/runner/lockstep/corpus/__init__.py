"""Well-known kernels, right as they stand: they must run, agree with Triton's interpreter, and raise no finding.

``CORPUS`` is a list of ``(name, launch)``; ``launch()`` makes its inputs, launches, and returns the tensors to compare.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from cases import Registry

from . import attention, data_movement, elementwise, matmul, normalisation, sparse

KERNELS = Registry(
    [
        case
        for module in (elementwise, normalisation, attention, matmul, data_movement, sparse)
        for case in module.KERNELS.cases
    ]
)
CORPUS = [(case.name, case.launch) for case in KERNELS.cases]
