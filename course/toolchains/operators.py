"""The operators that a source registers by TORCH_LIBRARY: `torch.ops.NAMESPACE.NAME`."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from course.toolchains.native import is_on_host, of_elements

_LABEL = re.compile(r"(\w+) ([\w:.]+)(\(.*)?(?: (.*)> (.*))?", re.DOTALL)
_TYPES = {"T": "Tensor", "b": "bool", "i": "int", "u": "int", "d": "float", "s": "str", "D": "ScalarType",
          "S": "Scalar"}  # fmt: skip
_registered: dict[str, torch.library.Library] = {}  # by an operator's name; a source that is built again replaces it


def register(functions: Mapping[str, Callable], emulated: bool) -> None:
    """Registers operators, whose functions have the names that shim/include/torch/library.h gives them.

    If they are `emulated`, all tensors are on the host for PyTorch, which chooses a function by the device. So each
    operator has only one function for PyTorch, which chooses here. Functions for autograd and the like are left out.
    """
    kernels: dict[str, dict[str, Callable]] = defaultdict(dict)
    schemas: dict[str, str] = {}
    for label, function in functions.items():
        key, operator, schema, texts, result = _LABEL.fullmatch(label).groups()  # type: ignore[union-attr]
        if key in ("schema", "all"):
            inferred = ", ".join(f"{_type(text)} _{n}" for n, text in enumerate((texts or "").split()))
            schemas[operator] = operator.partition("::")[2] + (schema or f"({inferred}) -> {_type(result)}")
        if key != "schema":
            kernels[operator][key] = function
    for operator, schema in schemas.items():
        if operator in _registered:
            _registered[operator]._destroy()
        space, _, name = operator.partition("::")
        library = _registered[operator] = torch.library.Library(space, "FRAGMENT")
        library.define(schema)
        taken = torch._C.parse_schema(schema).arguments
        library.impl(name, _chosen(operator, taken, kernels[operator], emulated), "CompositeExplicitAutograd")


def _chosen(operator: str, taken: list[Any], kernels: Mapping[str, Callable], emulated: bool) -> Callable:
    """A function that calls the one among `kernels` that is for the device of its tensors."""

    def call(*arguments: Any, **named: Any) -> Any:
        # PyTorch leaves out what is the default, and passes what can only be named by its name.
        rest = [named.get(each.name, each.default_value) for each in taken[len(arguments) :]]
        arguments = (*arguments, *rest)
        tensors = [each for each in tree_leaves(arguments) if isinstance(each, torch.Tensor)]
        device = "CPU" if any(is_on_host(x) if emulated else not x.is_cuda for x in tensors) else "CUDA"
        for key in (device, "all", "CompositeExplicitAutograd", "CompositeImplicitAutograd"):
            if key in kernels:
                return kernels[key](*arguments)
        raise NotImplementedError(f"Could not run '{operator}' with arguments from the '{device}' backend.")

    return call


def _type(text: str) -> str:
    """The name that schemas have for a type, whose `text` is explained in binding.h."""
    if text[0] in "?[":
        return _type(text[1:]) + {"?": "?", "[": "[]"}[text[0]]
    return f"({', '.join(map(_type, of_elements(text)))})" if text[0] == "(" else _TYPES[text[0]]
