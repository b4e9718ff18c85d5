"""A plugin of pytest that runs SciPy's own tests with wgpu_fft as the backend of scipy.fft.

    PYTHONPATH=python/scipy_tests pytest -p scipy_plugin --pyargs scipy.fft

scripts/python.sh does that. Tests that are known to fail are in the file `known.txt`, each with the
reason, and a test of that list that passes is a failure. With `--every N`, only a sample runs: of
each test function the first parametrisation, and of the others every N-th, in the order in which
pytest lists them. Known failures are always in it, and tests that plan thousands of lengths never.

With `--single`, everything is computed in f32, with tolerances for that (`single.py`). Its known
failures are in `known_single.txt`.
"""

from __future__ import annotations

import collections
import pathlib
import re

import pytest
import scipy.fft

import single
import wgpu_fft
from wgpu_fft import _backend

# Minutes of a driver's compiler.
LONG = ("test_identity_extensive", "test_czt.py::test_1D", "test_czt.py::test_czt_vs_fft")
HERE = pathlib.Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every", type=int, default=1, help="run one of so many parametrisations of each test")
    parser.addoption("--single", action="store_true", help="compute in f32")


def pytest_configure(config: pytest.Config) -> None:
    # Tests are about results: arrays of any size go to the device.
    wgpu_fft.set_options(smallest=0)
    if config.getoption("--single"):
        single.loosen()
        scipy.fft.set_global_backend(single.Backend)
    else:
        scipy.fft.set_global_backend(wgpu_fft)


def known(name: str) -> list[tuple[re.Pattern[str], str]]:
    """The patterns of known failures, each with its reason."""
    lines = [line.strip() for line in (HERE / name).read_text().splitlines()]
    entries = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return [(re.compile(pattern), reason) for pattern, reason in entries]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    every = config.getoption("--every")
    entries = known("known_single.txt" if config.getoption("--single") else "known.txt")
    seen: collections.Counter[str] = collections.Counter()
    kept, left = [], []
    for item in items:
        # Where SciPy lies shows in the rest of the name.
        name = f"{item.path.name}::{item.nodeid.split('::', 1)[1]}"
        function = name.split("[")[0]
        place = seen[function]
        seen[function] += 1
        reasons = [reason for pattern, reason in entries if pattern.search(name)]
        for reason in reasons:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        sampled = place % every == 0 and not (every > 1 and any(long in function for long in LONG))
        (kept if reasons or sampled else left).append(item)
    items[:] = kept
    if left:
        config.hook.pytest_deselected(items=left)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section(f"transforms on {wgpu_fft.get_device()!r}")
    for reason, count in _backend.counts.most_common():
        terminalreporter.write_line(f"{count:7} {reason}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    # Without this, tests of SciPy by SciPy would pass.
    if session.testscollected and not _backend.counts["served"]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
