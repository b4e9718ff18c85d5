"""Transforms and convolutions of PyTorch's tensors, with gradients.

The names and parameters are those of `torch.fft`, with `dct` to `idstn` and `fftconvolve` beside them,
which PyTorch does not have. They need PyTorch 2.1 or later, which this package does not ask for.

>>> import torch, wgpu_fft.torch
>>> x = torch.ones(4, requires_grad=True)
>>> energy = wgpu_fft.torch.rfft(x).abs().square().sum()
>>> energy.backward()
>>> x.grad
tensor([8., 8., 8., 8.])

The tensors are those on the host; others are copied there and back. Gradients are PyTorch's, ∂/∂Re +
i·∂/∂Im, of any order, in reverse and forward mode; `torch.func` takes these functions too, and its
`vmap` computes a batch at once. Integers become PyTorch's default type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._gradients import Form, Like, functions
from ._gradients import NAMES as __all__

try:
    import torch  # pyright: ignore[reportMissingImports]
except ImportError as why:
    raise ImportError("wgpu_fft.torch needs PyTorch, which is not installed: pip install torch") from why


class _Map(torch.autograd.Function):
    """A map of a form, whose derivatives are maps of the form too."""

    @staticmethod
    def forward(form: Form, i: int, *others: torch.Tensor) -> torch.Tensor:
        result = form.run(i, *(x.numpy(force=True) for x in others))
        return torch.from_numpy(result).to(others[0].device)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
        ctx.form, ctx.i, *others = inputs
        # The derivative of a linear map is the same everywhere.
        saved = others if len(others) > 1 else []
        ctx.save_for_backward(*saved)
        ctx.save_for_forward(*saved)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple:
        found = ctx.form.derivatives(ctx.i, ctx.saved_tensors or (None,), *grad_outputs)
        needed = ctx.needs_input_grad[2:]
        return None, None, *(_Map.apply(ctx.form, j, *rest) if need else None for need, (j, rest) in zip(needed, found))

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: torch.Tensor | None) -> Any:
        others, tangents = list(ctx.saved_tensors) or [None], grad_inputs[2:]
        terms = [
            _Map.apply(ctx.form, ctx.i, *others[:j], tangent, *others[j + 1 :]) for j, tangent in enumerate(tangents) if tangent is not None
        ]
        return sum(terms[1:], terms[0])

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> tuple[torch.Tensor, int]:
        (form, i, *others), dims = args, in_dims[2:]
        if info.batch_size == 0:
            return torch.empty((0, *form.shapes[i]), dtype=getattr(torch, form.dtypes[i].name), device=others[0].device), 0
        batch = [x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0) for x, dim in zip(others, dims)]
        return _Map.apply(form.batched(info.batch_size), i, *batch), 0


def _like(x: torch.Tensor) -> Like:
    name = str(x.dtype).removeprefix("torch.")
    if name not in np.sctypeDict:
        raise TypeError(f"the device computes with numbers of NumPy's, not with {name}")
    return Like(tuple(x.shape), np.dtype(name))


@torch.compiler.disable
def _apply(form: Callable[..., Form], *tensors: Any) -> torch.Tensor:
    tensors = tuple(torch.as_tensor(x) for x in tensors)
    tensors = tuple(x if x.is_floating_point() or x.is_complex() else x.to(torch.get_default_dtype()) for x in tensors)
    if len({x.device for x in tensors}) > 1:
        raise ValueError(f"input is on {tensors[0].device}, and kernel on {tensors[1].device}: they must be on one device")
    return _Map.apply(form(*map(_like, tensors)), 0, *tensors)


(
    fft, ifft, fft2, ifft2, fftn, ifftn, rfft, irfft, rfft2, irfft2, rfftn, irfftn, hfft, ihfft, hfft2, ihfft2, hfftn, ihfftn,
    dct, idct, dst, idst, dctn, idctn, dstn, idstn, fftconvolve,
) = functions("torch", _apply, lambda _: {"x": "input", "axis": "dim", "axes": "dim", "in1": "input", "in2": "kernel"})
