"""Compares parts of a result with the reference: their pairs, plain values and descriptions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from course.worker.protocol import Other, TensorInfo


def paired_parts(got: Any, expected: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    """Each part of a result, paired with the part of the reference; a tuple matches a list."""
    if isinstance(expected, tuple | list) and isinstance(got, tuple) and len(got) == len(expected):
        for i, (g, e) in enumerate(zip(got, expected, strict=True)):
            yield from paired_parts(g, e, f"{name}[{i}]")
    elif isinstance(expected, dict) and isinstance(got, dict) and set(got) == set(expected):
        for key, e in expected.items():
            yield from paired_parts(got[key], e, f"{name}[{key!r}]")
    else:
        yield name, got, expected


def is_right_value(got: Any, expected: Any) -> bool:
    """Whether a plain value is right: integers and text exactly, floats to one per cent."""
    if isinstance(expected, bool) or isinstance(got, bool) or not isinstance(expected, int | float):
        return type(got) is type(expected) and got == expected
    if not isinstance(got, int | float):
        return False
    if isinstance(expected, int):
        return got == expected
    return math.isclose(got, expected, rel_tol=1e-2) or (math.isnan(got) and math.isnan(expected))


def described(value: Any) -> str:
    """A result in words."""
    if isinstance(value, TensorInfo | torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, Other):
        return f"{'an' if value.name[:1] in 'aeiou' else 'a'} {value.name}"
    if isinstance(value, tuple):
        return f"({', '.join(map(described, value))})"[:200]
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {described(part)}' for key, part in value.items())}}}"[:200]
    return "nothing (None)" if value is None else repr(value)[:200]
