"""The programs of the README, and the examples of the documentation of every function."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import wgpu_fft

README = pathlib.Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
MODULES = [module.name for module in pkgutil.iter_modules(wgpu_fft.__path__) if module.name != "_core"]


@pytest.mark.parametrize("block", BLOCKS, ids=[str(i) for i in range(len(BLOCKS))])
def test_programs_of_the_readme(block):
    exec(compile(block, str(README), "exec"), {})


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples(name):
    if name in ("torch", "jax"):
        pytest.importorskip(name)
    module = importlib.import_module(f"wgpu_fft.{name}" if name else "wgpu_fft")
    before = wgpu_fft.get_device()
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
    wgpu_fft.set_device(before)


def test_the_recipe_for_conda_is_of_this_version():
    recipe = (README.parent / "conda" / "recipe.yaml").read_text()
    assert re.search(r'^  version: "(.*)"$', recipe, re.MULTILINE).group(1) == wgpu_fft.__version__


def test_everything_has_words():
    for name in wgpu_fft.__all__:
        assert getattr(wgpu_fft, name).__doc__, name
