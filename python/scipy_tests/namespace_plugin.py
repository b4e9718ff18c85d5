"""A plugin of pytest that runs SciPy's own tests of array namespaces with `wgpu_fft.array_api`.

    PYTHONPATH=python/scipy_tests pytest -p namespace_plugin --pyargs scipy.signal

scripts/python.sh does that. Only tests with SciPy's fixture `xp` run, and SciPy's own markers hold:
tests for NumPy alone are skipped, and those that float32 as the default type does not pass. Tests for
arrays on the CPU alone run, as NumPy can convert ours. `known_namespace.txt` lists kinds of failures by
what pytest says of them; any other one is a failure. `--every N` runs one of so many tests. Those that
plan lengths by the thousand are left out.
"""

from __future__ import annotations

import collections
import os
from collections.abc import Generator

os.environ.update(SCIPY_ARRAY_API="1", SCIPY_DEFAULT_DTYPE="float32")

import pytest
import scipy.conftest

import wgpu_fft
from scipy_plugin import LONG, known
from wgpu_fft import array_api

# The driver compiles for minutes.
LONG = (*LONG, "test_fir_filter_design.py::test_hilbert")
NAME = array_api.__name__
scipy.conftest.xp_known_backends.add(NAME)
# pytest has no other way to give other parameters to a fixture.
_parameters = (pytest.param(array_api, id="wgpu_fft", marks=pytest.mark.array_api_backends),)
object.__setattr__(scipy.conftest.xp._fixture_function_marker, "params", _parameters)
_counts: collections.Counter[tuple[str, str]] = collections.Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every", type=int, default=1, help="run one of so many tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = [item for item in items if "xp" in getattr(item, "fixturenames", ())]
    chosen = [item for item in chosen if not any(long in f"{item.path.name}::{item.name}" for long in LONG)]
    kept = set(chosen[:: config.getoption("--every")])
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    outcome = "expected by SciPy to fail" if report.skipped and hasattr(report, "wasxfail") else report.outcome
    if report.failed and call.excinfo is not None:
        text = f"{item.path.name}::{item.name} {call.excinfo.typename}: {call.excinfo.value}"
        reason = next((reason for pattern, reason in known("known_namespace.txt") if pattern.search(text)), None)
        if reason is not None:
            report.outcome, report.wasxfail, outcome = "skipped", reason, f"known to fail: {reason}"
    if report.when == "call" or report.when == "setup" and not report.passed:
        _counts[item.path.stem, outcome] += 1
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section(f"SciPy's namespaces on {wgpu_fft.get_device()!r}")
    for (module, outcome), count in sorted(_counts.items()):
        terminalreporter.write_line(f"{count:7} {module:24} {outcome}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    # Without this, a run that skips everything would pass.
    if session.testscollected and not any(outcome == "passed" for _, outcome in _counts):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
