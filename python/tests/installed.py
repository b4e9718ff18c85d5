"""Checks a wheel where it is installed: `python installed.py FOLDER`, the folder of its environment."""

from __future__ import annotations

import importlib.metadata
import pathlib
import sys

import numpy as np

import wgpu_fft


def main() -> None:
    environment = pathlib.Path(sys.argv[1])
    package = pathlib.Path(wgpu_fft.__file__).parent
    assert environment in package.parents, f"{package} is not what was installed into {environment}"
    distribution = importlib.metadata.distribution("wgpu-fft")
    assert distribution.version == wgpu_fft.__version__
    files = [str(file) for file in distribution.files or []]
    for name in ("wgpu_fft/py.typed", "wgpu_fft/_core.pyi", "licenses/LICENSE-MIT", "licenses/LICENSE-APACHE"):
        assert any(file.endswith(name) for file in files), f"{name} is not in the wheel"
    assert not any("test" in file or "benchmark" in file for file in files), files
    licences = (package / "THIRD-PARTY.txt").read_text(encoding="utf-8")
    for crate in ("wgpu-core", "naga", "pyo3", "numpy"):
        assert f"\n{crate} " in licences, f"the licence of {crate} is not in the wheel"
    information = distribution.metadata
    assert information["License-Expression"] == "MIT OR Apache-2.0", information["License-Expression"]
    assert any(url.startswith("Documentation") for url in information.get_all("Project-URL") or [])
    x = np.random.default_rng(1).random((8, 9), np.float32)
    np.testing.assert_allclose(wgpu_fft.rfft2(x), np.fft.rfft2(x), atol=1e-4)
    print(f"installed: {', '.join(sorted({file.partition('/')[0] for file in files}))}")


if __name__ == "__main__":
    main()
