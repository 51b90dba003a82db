"""A wrong output beside the right one, for the patterns of `diagnose.py` and `unwritten.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

Close = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Wrong:
    """One wrong output beside the right output.

    `got` and `expected` have the same shape, but `expected` usually has a wider dtype. `close(got, expected)` says for
    each element whether it is right. `inputs` has the input tensors by name. `mistakes` maps the sentence for each
    known mistake to the output that the mistake would give, in which NaN stands for any value. `changed` has the names
    of the inputs that the call changed. `narrow(bits)` yields the outputs for operands that are rounded to this many
    bits. `source` is the CUDA source of the answer.
    """

    got: torch.Tensor
    expected: torch.Tensor
    close: Close
    inputs: Mapping[str, torch.Tensor]
    mistakes: Mapping[str, torch.Tensor]
    changed: Sequence[str] = ()
    narrow: Callable[[int], Iterator[torch.Tensor]] = lambda bits: iter(())
    source: str = ""

    @cached_property
    def mask(self) -> torch.Tensor:
        """A flat mask of the wrong elements of `got`."""
        return ~self.close(self.got, self.expected).reshape(-1)

    @cached_property
    def unwritten(self) -> torch.Tensor:
        """A flat mask of the wrong elements of `got` that still hold the value that fills unwritten outputs."""
        got = self.got.reshape(-1)
        if got.is_floating_point():
            # NaN in the inputs gives NaN in the output. If the fill is bytes of 0xFF, such NaN has other bits.
            filled = all_ones(got) if self.special else got.isnan()
        elif got.dtype == torch.bool:
            filled = torch.zeros_like(got)
        else:  # the course's own toolchains fill with bytes of 0xFF, and PyTorch fills with the largest value
            filled = (got == torch.iinfo(got.dtype).max) | all_ones(got)
        return filled & self.mask

    @cached_property
    def special(self) -> bool:
        """Whether an input has NaN or infinity."""
        return any(not bool(x.isfinite().all()) for x in self.inputs.values() if x.is_floating_point())

    def explained_by(self, other: torch.Tensor) -> bool:
        """Whether `got` equals `other`, which must have a value for at least one of the wrong elements.

        NaN in `other` stands for any value.

        After a cancellation, an element near 0 may have the rounding errors of larger terms. Errors of this size, which
        follows from the root mean square of `other`, are allowed everywhere.
        """
        if other.shape != self.got.shape:
            return False
        known = ~other.isnan()
        right = self.close(self.got, other)
        if self.got.is_floating_point():
            size = other[other.isfinite()].double().square().mean().sqrt()
            right |= (self.got - other).abs() <= 4 * torch.finfo(self.got.dtype).eps * size
        return bool((known.reshape(-1) & self.mask).any()) and bool(right[known].all())


def same_bytes(x: torch.Tensor, value: float) -> torch.Tensor:
    """A mask of the elements of a flat tensor that have the bits of `value` in the tensor's dtype."""
    wanted = torch.full((1,), value, dtype=x.dtype, device=x.device).view(torch.uint8)
    return (x.contiguous().view(torch.uint8).view(-1, x.itemsize) == wanted).all(1)


def all_ones(x: torch.Tensor) -> torch.Tensor:
    """A mask of the elements of a flat tensor in which every bit is set."""
    return (x.contiguous().view(torch.uint8).view(-1, x.itemsize) == 255).all(1)
