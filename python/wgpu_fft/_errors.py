"""What this package raises besides Python's own exceptions."""

from __future__ import annotations


class Error(RuntimeError):
    """Something that this package cannot do, or that went wrong on the device.

    `kind` is a word to test, such as "no-adapter".
    """

    kind: str = ""


class ArgumentError(Error, ValueError):
    """An argument that is wrong on any device, such as a text that is no specification."""


# They are known, and pickled, by the name under which users find them.
Error.__module__ = ArgumentError.__module__ = "wgpu_fft"
