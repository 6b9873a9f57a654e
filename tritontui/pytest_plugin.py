"""``pytest --triton-trace``: tests of Triton kernels, run on the CPU with every access checked.

A test whose launches have errors fails, with the report. Without the option this module is all that is loaded.
"""

from __future__ import annotations

import pytest

OPTION = "triton_trace"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("triton").addoption(
        "--triton-trace",
        action="store_true",
        dest=OPTION,
        help="run Triton kernels on the CPU, every access checked, and fail the tests whose launches have errors; "
        "tensors on 'cuda' are put on the CPU",
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(OPTION) and not _only_hands_out(config):
        from tritontui.runner.scripts.traced_tests import TracedTests

        config.pluginmanager.register(TracedTests(), "triton-trace-tests")


def _only_hands_out(config: pytest.Config) -> bool:
    """Whether the tests run in pytest-xdist's workers, each of which comes here by itself."""
    return not hasattr(config, "workerinput") and getattr(config.option, "dist", "no") != "no"
