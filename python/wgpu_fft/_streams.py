"""Signals that come in blocks."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._device import Device, get_device
from ._errors import ArgumentError


def _real(what: str, given: ArrayLike) -> NDArray[Any]:
    array = np.asarray(given)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{what} are real numbers, not {array.dtype}")
    return array


def _count(what: str, given: int) -> int:
    count = index(given)
    if count < 1:
        raise ArgumentError(f"{what} is at least 1, not {count}")
    return count


def _samples(given: ArrayLike, channels: int | None, count: int | None) -> NDArray[np.float32]:
    """Samples of all channels, `count` of each if that is fixed."""
    array = _real("samples", given)
    shape = (() if channels is None else (channels,)) + ((array.shape or (0,))[-1] if count is None else count,)
    if array.shape != shape:
        raise ArgumentError(f"samples of shape {shape} are expected, not {array.shape}")
    return np.ascontiguousarray(array, np.float32)


class StreamConvolve:
    """The convolution of signals that come in blocks of a fixed length, such as a room's response in
    real time. Each block of the input gives the same block of the result, in float32.

    kernel : array of taps, or of channels x taps
        One for all channels, or one for each. Kernels of any length are computed in partitions.
    block : int
        The samples of a block.
    channels : int, optional
        Blocks are arrays of channels x block then, and of block samples without it.

    >>> import numpy as np, wgpu_fft
    >>> echo = wgpu_fft.signal.StreamConvolve([1, 0, 0, 0, 0, 0.5], block=4)
    >>> echo.push([1, 2, 3, 4]).round(3).tolist(), echo.push([0, 0, 0, 0]).round(3).tolist()
    ([1.0, 2.0, 3.0, 4.0], [0.0, 0.5, 1.0, 1.5])
    """

    def __init__(self, kernel: ArrayLike, block: int, channels: int | None = None, device: Device | None = None) -> None:
        self._kernel_shape = np.shape(kernel)
        if self._kernel_shape[:-1] not in ((), (channels,)):
            raise ArgumentError(f"a kernel of shape {self._kernel_shape} is none for {channels} channels")
        taps = self._taps(kernel)
        self.block, self.channels = _count("block", block), channels
        device = get_device() if device is None else device
        count = 1 if channels is None else _count("channels", channels)
        self._stream = _core.stream_convolve(device._core, self.block, self._kernel_shape[-1] if taps.size else 0, count, taps)

    def _taps(self, kernel: ArrayLike) -> NDArray[np.float32]:
        if np.shape(kernel) != self._kernel_shape or not self._kernel_shape:
            raise ArgumentError(f"a kernel of shape {np.shape(kernel)}: it has taps, or channels x taps, here {self._kernel_shape}")
        return np.ascontiguousarray(_real("taps", kernel), np.float32).ravel()

    def push(self, block: ArrayLike) -> NDArray[np.float32]:
        """The next block of the result, for the next one of the input."""
        array = _samples(block, self.channels, self.block)
        return self._stream.push(array.ravel()).reshape(array.shape)

    def set_kernel(self, kernel: ArrayLike) -> None:
        """Another kernel of the same shape, from the next block on."""
        self._stream.set_kernel(self._taps(kernel))

    def reset(self) -> None:
        """Silence before the next block."""
        self._stream.reset()


class StftStream:
    """The short-time Fourier transform of a real signal that comes in pieces of any length: each call
    returns the frames that its samples complete, so many as there are, in complex64.

    window : array
        Of real numbers.
    hop : int
        From one frame to the next.
    channels : int, optional
        Pieces are arrays of channels x samples then.
    mfft, phase_shift : as those of `scipy.signal.ShortTimeFFT`
    frames : int
        So many are transformed at once: more for long pieces.

    >>> import numpy as np, wgpu_fft
    >>> stream = wgpu_fft.signal.StftStream(np.ones(8), hop=4)
    >>> [stream.push(np.ones(6)).shape for _ in range(3)]
    [(0, 5), (2, 5), (1, 5)]
    """

    def __init__(
        self,
        window: ArrayLike,
        hop: int,
        channels: int | None = None,
        mfft: int | None = None,
        phase_shift: int | None = 0,
        frames: int = 16,
        device: Device | None = None,
    ) -> None:
        given = np.ascontiguousarray(_real("a window's elements", window), np.float64)
        if given.ndim != 1:
            raise ArgumentError(f"a window of shape {given.shape}: it has one axis")
        mfft = len(given) if mfft is None else _count("mfft", mfft)
        hop, frames = _count("hop", hop), _count("frames", frames)
        self.channels, self._bins, self._piece = channels, mfft // 2 + 1, hop * frames
        device = get_device() if device is None else device
        count = 1 if channels is None else _count("channels", channels)
        self._stream = _core.stream_stft(device._core, given, hop, mfft, phase_shift, count, frames)

    def push(self, samples: ArrayLike) -> NDArray[np.complex64]:
        """Frames x frequencies, or channels x frames x frequencies."""
        array = _samples(samples, self.channels, None)
        lead: tuple[Any, ...] = array.shape[:-1]
        # A run at a time, so that Ctrl-C need not wait for all of them.
        firsts = range(0, max(array.shape[-1], 1), self._piece)
        parts = [self._stream.push(array[..., first : first + self._piece].ravel()) for first in firsts]
        return np.concatenate([part.reshape(*lead, -1, self._bins) for part in parts], axis=-2)

    def reset(self) -> None:
        """Forgets all samples: the next one is the first again."""
        self._stream.reset()
