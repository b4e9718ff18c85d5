#!/usr/bin/env python3
"""Writes tests/data/reductions.txt: reductions by NumPy of arrays with NaN, infinities, zeros of both
signs and numbers near the ends of their type. tests/support/numpy.rs reads it.

Run it with NumPy (the file says which one wrote it):
python3 scripts/reduction_vectors.py > tests/data/reductions.txt

A line is the text of a specification, the name of a list, and the results. Element i of the array
is number (7i² + 3i) mod 23 mod the list's length of the list, which stands in the file as well.
"""

import warnings

import numpy as np

LISTS = {
    "plain": [1.5, -2.0, 0.25, 3.0, -0.75, 2.0, -1.0],
    "nan": [1.5, -2.0, np.nan, 3.0, -0.75, 0.0, -1.0],
    "inf": [1.5, np.inf, 0.25, 3.0, -0.75, 2.0, -1.0],
    "-inf": [1.5, -2.0, 0.25, -np.inf, -0.75, 2.0, -1.0],
    "infinities": [1.5, np.inf, 0.25, -np.inf, -0.75, 2.0, -1.0],
    "all": [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0],
    "zeros": [0.0, -0.0, 0.0],
    "minus-zeros": [-0.0],
    "-0": [-0.0, 1.0, -0.0, 2.0],
    "+0": [0.0, -1.0, 0.0, -2.0],
    "small": [2.0**-140, -(2.0**-141), 2.0**-126, -(2.0**-149), 0.0],
    "large": [2.0**127, 2.0**126, -(2.0**127), 1.0],
    "overflow": [2.0**127, 2.0**127, 2.0**127, 1.0],
}
WHOLE = {
    "plain": [3, -2, 0, 7, -1, 5],
    "ends": [2147483647, -2147483648, 0, 1, -1, 2147483647],
    "zeros": [0, 0],
}
SHAPES = [((37,), None), ((6, 10), (1,)), ((6, 10), (0,)), ((3, 4, 5), (0, 2)), ((4, 1, 6), (1,))]

FLOATS = {
    "sum": np.sum,
    "mean": np.mean,
    "product": np.prod,
    "min": np.min,
    "max": np.max,
    "argmin": None,
    "argmax": None,
    "any": np.any,
    "all": np.all,
    "count": np.count_nonzero,
    "var": np.var,
    "std": np.std,
    "norm": lambda x, axis: np.sqrt(np.sum(x * x, axis=axis)),
}
INTEGERS = ["sum", "product", "min", "max", "argmin", "argmax", "any", "all", "count"]


def positions(function, x, axes):
    """The index among the elements that are reduced to one result, in the order of the shape."""
    axes = tuple(range(x.ndim)) if axes is None else axes
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    moved = np.transpose(x, kept + list(axes))
    return function(moved.reshape([x.shape[axis] for axis in kept] + [-1]), axis=-1)


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return str(int(x))
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    return repr(float(x))


def lines(ty, dtype, lists, names):
    for name, values in lists.items():
        for shape, axes in SHAPES:
            i = np.arange(int(np.prod(shape)), dtype=np.uint64)
            at = ((i * i * 7 + i * 3) % 23 % len(values)).astype(int)
            x = np.array(values, dtype=dtype)[at].reshape(shape)
            for operator in names:
                if operator.startswith("arg"):
                    results = positions(getattr(np, operator), x, axes)
                elif dtype in (np.int32, np.uint32) and operator in ("sum", "product"):
                    results = FLOATS[operator](x, axis=axes, dtype=dtype)
                else:
                    results = FLOATS[operator](x, axis=axes)
                own = "" if axes is None else " axes=" + ",".join(map(str, axes))
                extents = "x".join(map(str, shape))
                print(f"{operator} {ty} {extents}{own} | {name} | " + " ".join(number(x) for x in np.ravel(results)))


def main():
    warnings.simplefilter("ignore")
    print(f"# By scripts/reduction_vectors.py with NumPy {np.__version__}.")
    for kind, lists in (("floats", LISTS), ("integers", WHOLE)):
        for name, values in lists.items():
            print(f"{kind} {name} = " + " ".join(number(x) for x in values))
    lines("f32", np.float32, LISTS, FLOATS)
    lines("f64", np.float64, LISTS, FLOATS)
    lines("i32", np.int32, WHOLE, INTEGERS)


main()
