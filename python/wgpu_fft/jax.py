"""Transforms and convolutions of JAX's arrays, with gradients.

The names and parameters are those of `jax.numpy.fft`, `jax.scipy.fft` and `jax.scipy.signal`. They need
JAX, which this package does not ask for.

>>> import jax, jax.numpy as jnp, wgpu_fft.jax
>>> def energy(x):
...     return jnp.sum(jnp.abs(wgpu_fft.jax.rfft(x)) ** 2)
>>> jax.grad(energy)(jnp.ones(4))
Array([8., 8., 8., 8.], dtype=float32)

The arrays are those on the host: each call is a `jax.pure_callback`, which `jax.jit` takes. `jax.vmap`
makes one call for the whole batch. Gradients are JAX's, conjugates of ∂/∂Re + i·∂/∂Im, of any order in
reverse mode (`grad`, `vjp`, `jacrev`), and not forward (`jvp`, `jacfwd`, `hessian`). Outside of `jit`,
those of `fftconvolve` with respect to one array are computed for both; `jit` drops what nobody uses.

What `jit` has traced keeps the `double` of `wgpu_fft.options` that held at that time: it decides the
type of the results. Later changes of it count for new traces only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _fourier
from ._gradients import Form, functions
from ._gradients import NAMES as __all__

try:
    import jax  # pyright: ignore[reportMissingImports]
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]
except ImportError as why:
    raise ImportError("wgpu_fft.jax needs JAX, which is not installed: pip install jax") from why


def _called(form: Form, i: int, *others: Any) -> Any:
    result = jax.ShapeDtypeStruct(form.shapes[i], form.dtypes[i])
    return jax.pure_callback(form.calls[i], result, *others, vmap_method="broadcast_all")


# A map of a form, whose derivatives are maps of the form too.
_map = jax.custom_vjp(_called, nondiff_argnums=(0, 1))


def _forward(form: Form, i: int, *others: Any) -> tuple[Any, tuple]:
    return _map(form, i, *others), others


def _backward(form: Form, i: int, others: tuple, h: Any) -> tuple:
    return tuple(jnp.conj(_map(form, j, *rest)) for j, rest in form.derivatives(i, others, jnp.conj(h)))


_map.defvjp(_forward, _backward)


def _apply(form: Callable[..., Form], *arrays: Any) -> Any:
    arrays = tuple(jnp.asarray(x) for x in arrays)
    arrays = tuple(x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(float) for x in arrays)
    return _map(form(*arrays), 0, *arrays)


(
    fft, ifft, fft2, ifft2, fftn, ifftn, rfft, irfft, rfft2, irfft2, rfftn, irfftn, hfft, ihfft, hfft2, ihfft2, hfftn, ihfftn,
    dct, idct, dst, idst, dctn, idctn, dstn, idstn, fftconvolve,
) = functions("jax", _apply, lambda name: {"x": "a"} if name in _fourier.__all__ else {})
