"""One small kernel for each thing the language can do."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from cases import Registry

from . import arithmetic, control, descriptors, language, memory, products, reductions, shapes

MODULES = (arithmetic, shapes, reductions, products, memory, descriptors, control, language)
FEATURES = Registry([case for module in MODULES for case in module.FEATURES.cases])
