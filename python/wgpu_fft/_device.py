"""Devices, and the plans that they keep."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import Error
from ._options import get_options

if TYPE_CHECKING:
    from ._array import Array


# Numbers that are kept in buffers for the next operator.
SCALARS = 256


def checked(device: Device) -> Device:
    """What callers give as a device."""
    if not isinstance(device, Device):
        raise TypeError(f"a device is a wgpu_fft.Device, not {device!r}: arrays on the host are NumPy's, and to_numpy() makes them")
    return device


class _Entry:
    """A plan that one thread makes, while others that want the same wait."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.plan: _core.Plan | None = None


class Device:
    """An opened GPU, or a software adapter.

    name : str, optional
        A part of the adapter's or the driver's name. By default the environment variable
        `WGPU_ADAPTER_NAME` decides, and else the fastest kind of adapter: a discrete GPU before an
        integrated one before a software adapter.
    backend : str, optional
        Of "vulkan", "metal", "dx12", "gl", one or more with commas between them.
    power : {"high-performance", "low-power"}, optional

    >>> import wgpu_fft
    >>> device = wgpu_fft.Device()
    >>> wgpu_fft.set_device(device)
    """

    def __init__(self, name: str | None = None, backend: str | None = None, power: str | None = None) -> None:
        self._core = _core.Gpu(name, backend, power)
        self.info: dict = self._core.info()
        self._lock = threading.Lock()
        self._entries: OrderedDict[object, _Entry] = OrderedDict()
        # Numbers that operators were given.
        self._scalars: OrderedDict[tuple, _core.Buffer] = OrderedDict()
        # From how many elements on it pays to leave the host, see `_backend`.
        self._smallest: int | None = None
        # What is put off, see `_deferred`: arrays with the bytes that they keep, and how often each
        # expression was computed.
        self._deferring = threading.RLock()
        self._put_off: list[tuple[weakref.ref[Array], int]] = []
        self._put_off_bytes = 0
        self._computed: OrderedDict[tuple, int] = OrderedDict()
        # What `next_fast_len` found, which takes milliseconds.
        self._fast_lens: dict[tuple[int, bool], int] = {}
        if os.environ.get("WGPU_FFT_PIPELINE_CACHE"):
            atexit.register(_save_at_exit, weakref.ref(self))

    @property
    def has_f64(self) -> bool:
        """Whether shaders of this device have 64-bit floats."""
        return self.info["f64"]

    @property
    def is_lost(self) -> bool:
        """Whether the device is gone, for example because its driver crashed."""
        return self._core.is_lost()

    def _plan(self, key: object, make: Callable[[], _core.Plan]) -> _core.Plan:
        """The plan that is kept under a key, made if it is not there."""
        entry = self._entries.get(key)
        if entry is not None and entry.plan is not None:
            try:  # noqa: SIM105: each call comes here
                self._entries.move_to_end(key)
            except KeyError:
                # Another thread has forgotten it meanwhile.
                pass
            return entry.plan
        # Another thread may have held the lock when this process was forked.
        _core.check_process()
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                entry = self._entries[key] = _Entry()
            self._entries.move_to_end(key)
            self._forget(get_options().plans)
        plan = entry.plan
        if plan is None:
            with entry.lock:
                if entry.plan is None:
                    entry.plan = make()
                plan = entry.plan
        return plan

    def _forget(self, most: int) -> None:
        while len(self._entries) > max(most, 1):
            self._entries.popitem(last=False)

    def _plan_of(self, spec: str, map_input: tuple | None = None) -> _core.Plan:
        """The plan for a text, and for a fragment on its input."""
        if map_input is not None:
            return self._plan((spec, map_input), lambda: self._core.plan(spec, None, map_input))
        rigor = get_options().rigor
        if rigor == "estimate":
            return self._plan(spec, lambda: self._core.plan(spec))
        return self._plan((spec, rigor), lambda: self._core.plan(spec, self._core.choose(spec, rigor)[0]))

    def _upload(self, data: np.ndarray) -> _core.Buffer:
        return self._core.upload(as_bytes(data))

    def _number(self, data: np.ndarray) -> _core.Buffer:
        """The buffer that is kept for a number."""
        key = (data.dtype, data.tobytes())
        found = self._scalars.get(key)
        if found is None:
            found = self._scalars[key] = self._upload(data)
            while len(self._scalars) > SCALARS:
                with contextlib.suppress(KeyError):
                    self._scalars.popitem(last=False)
        return found

    def flush(self) -> None:
        """Submits what is queued on this device, see `wgpu_fft.flush`."""
        from . import _deferred

        _core.check_process()
        _deferred.settle(self)
        self._core.flush()

    def save_pipelines(self) -> bool:
        """Writes what the driver has compiled to the file that `WGPU_FFT_PIPELINE_CACHE` names.

        A program that ends does so by itself. The result says whether there is such a file, and the
        driver has something to write.
        """
        return self._core.save_pipelines()

    def clear(self) -> None:
        """Forgets all plans, and frees what is kept for the next one."""
        _core.check_process()
        with self._deferring:
            self._computed.clear()
        with self._lock:
            self._entries.clear()
            self._scalars.clear()
            self._core.clear()

    def __repr__(self) -> str:
        return f"<wgpu_fft.Device {self.info['name']} ({self.info['backend']}, {self.info['type']})>"


def _save_at_exit(reference: weakref.ref[Device]) -> None:
    device = reference()
    if device is None or _core.is_forked():
        return
    try:
        device.save_pipelines()
    except Error as why:
        logging.getLogger("wgpu_fft").warning("%s", why)


def as_bytes(data: np.ndarray) -> np.ndarray:
    """The bytes of an array, without a copy if it is contiguous."""
    return np.ascontiguousarray(data).reshape(-1).view(np.uint8)


_default: Device | None = None
_default_lock = threading.Lock()


def get_device() -> Device:
    """The device that everything runs on. The first call opens one, as the environment asks."""
    global _default
    if _default is None:
        # Another thread may have opened the device, with the lock, when this process was forked.
        _core.check_process()
        with _default_lock:
            if _default is None:
                _default = Device()
    return _default


def set_device(device: Device | str | None) -> None:
    """Takes another device from now on, for all threads: a `Device`, or a part of an adapter's name.

    None forgets it, and the next call opens one as the environment asks.
    """
    global _default
    if isinstance(device, str):
        device = Device(device)
    if device is not None and not isinstance(device, Device):
        raise TypeError(f"a device is a wgpu_fft.Device or a name, not {type(device).__name__}")
    _core.check_process()
    with _default_lock:
        _default = device


def flush() -> None:
    """Lets the device begin with what calls on its arrays have queued, before anything is read.

    Such calls return at once, and are submitted many at a time: with the next result that is read,
    with the 64th, with one that makes it 256 MiB in arrays, or one that comes half a millisecond after
    the first. Their order stays, also that of calls from several threads.

    >>> import numpy as np, wgpu_fft
    >>> spectrum = wgpu_fft.fft(wgpu_fft.asarray(np.ones(4, np.complex64)))
    >>> wgpu_fft.flush()
    """
    if _default is not None:
        _default.flush()


def adapters() -> list[dict]:
    """The adapters that there are, best first, each with its name, backend and type."""
    return [dict(zip(("name", "backend", "type"), adapter)) for adapter in _core.adapters()]
