"""Element types of NumPy, and what the device calls them."""

from __future__ import annotations

import numpy as np

ELEMENTS: dict[np.dtype, str] = {
    np.dtype(np.float32): "f32",
    np.dtype(np.complex64): "complex f32",
    np.dtype(np.float64): "f64",
    np.dtype(np.complex128): "complex f64",
}
DTYPES: dict[str, np.dtype] = {element: dtype for dtype, element in ELEMENTS.items()}
# What plans made from a text may also have.
DTYPES.update(
    (element, np.dtype(dtype))
    for element, dtype in {
        "f16": np.float16, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
        "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    }.items()
)
VECTORS = ("x2", "x3", "x4")


def dtype_of(element: str) -> tuple[np.dtype, int]:
    """The type of the numbers of an element, and how many it has."""
    if element in DTYPES:
        return DTYPES[element], 1
    if element[-2:] in VECTORS and element[:-2] in DTYPES:
        return DTYPES[element[:-2]], int(element[-1])
    # NumPy has no bf16, and no complex f16: their bits.
    words = {"bf16": 1, "complex bf16": 2, "complex f16": 2}
    return np.dtype(np.uint16), words[element]


def is_double(dtype: np.dtype) -> bool:
    return dtype.char in "dD"


def is_complex(dtype: np.dtype) -> bool:
    return dtype.kind == "c"


def complex_of(dtype: np.dtype) -> np.dtype:
    """The complex type of the same precision."""
    return np.dtype(np.complex128 if is_double(dtype) else np.complex64)


def real_of(dtype: np.dtype) -> np.dtype:
    """The real type of the same precision."""
    return np.dtype(np.float64 if is_double(dtype) else np.float32)


def single_of(dtype: np.dtype) -> np.dtype:
    """The type of single precision."""
    return np.dtype(np.complex64 if is_complex(dtype) else np.float32)
