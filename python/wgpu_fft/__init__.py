"""Fast Fourier transforms on any GPU, as functions like SciPy's and as a backend of SciPy.

>>> import numpy as np, wgpu_fft
>>> picture = np.ones((480, 640), np.float32)
>>> spectrum = wgpu_fft.rfft2(picture)
>>> spectrum.shape, spectrum.dtype
((480, 321), dtype('complex64'))

As a backend, so that `scipy.fft` and what stands on it run on the GPU:

>>> import scipy.fft
>>> with scipy.fft.set_backend(wgpu_fft):
...     spectrum = scipy.fft.rfft2(picture)

`asarray` makes arrays that stay on the device between calls. `Plan` runs any specification of the
Rust crate from its text. `set_options` says how float64 is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _backend, _fourier, _real
from ._array import Array, asarray
from ._core import __version__
from ._device import Device, adapters, flush, get_device, set_device
from ._errors import ArgumentError, Error
from ._fourier import (
    fft, fft2, fftn, hfft, hfft2, hfftn, ifft, ifft2, ifftn, ihfft, ihfft2, ihfftn, irfft, irfft2, irfftn, rfft, rfft2, rfftn,
)
from ._helper import fftfreq, fftshift, ifftshift, next_fast_len, prev_fast_len, rfftfreq
from ._options import Options, get_options, options, set_options
from ._plan import Plan, Tuned, check, tune
from ._real import dct, dctn, dst, dstn, idct, idctn, idst, idstn

if TYPE_CHECKING:
    from . import array_api, finufft, signal

__all__ = [
    "ArgumentError", "Array", "Device", "Error", "Options", "Plan", "Tuned", "adapters", "array_api", "asarray", "check", "fftfreq", "fftshift", "finufft", "flush",
    "get_device", "get_options", "ifftshift", "next_fast_len", "options", "prev_fast_len", "rfftfreq", "set_device", "set_options", "signal", "tune",
]
__all__ += _fourier.__all__
__all__ += _real.__all__

_TRANSFORMS = {name: getattr(module, name) for module in (_fourier, _real) for name in module.__all__}

__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method: Any, args: tuple, kwargs: dict) -> Any:
    """Called by SciPy where this module is its backend."""
    return _backend.call(_TRANSFORMS, method, args, kwargs)


def __getattr__(name: str) -> Any:
    # They are slow to load, or need SciPy.
    if name in ("array_api", "finufft", "signal"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
