"""A wrong output beside the right one, for the patterns of `diagnose.py` and `unwritten.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

Close = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Wrong:
    """One wrong output beside the right one.

    `got` and `expected` have the same shape, `expected` usually a wider dtype; `close(got, expected)` says for each
    element whether it is right; `inputs` maps the names of the input tensors to them; `mistakes` maps a sentence to the
    output that this mistake would give, in which NaN stands for anything; `changed` names the inputs that the
    call did not leave as they were; `narrow(bits)` yields outputs that operands rounded to that many bits would give;
    `source` is the CUDA source behind it.
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
        """Where `got` is wrong, flat."""
        return ~self.close(self.got, self.expected).reshape(-1)

    @cached_property
    def unwritten(self) -> torch.Tensor:
        """Where `got` is wrong and still holds what unwritten outputs are filled with, flat."""
        got = self.got.reshape(-1)
        if got.is_floating_point():
            # NaN in the inputs makes NaN of its own, which differs from the fill in its bits where that is 0xFF.
            filled = all_ones(got) if self.special else got.isnan()
        elif got.dtype == torch.bool:
            filled = torch.zeros_like(got)
        else:  # bytes of 0xFF from the course's own toolchains, the largest value from PyTorch
            filled = (got == torch.iinfo(got.dtype).max) | all_ones(got)
        return filled & self.mask

    @cached_property
    def special(self) -> bool:
        """Whether NaN or infinity was given."""
        return any(not bool(x.isfinite().all()) for x in self.inputs.values() if x.is_floating_point())

    def explained_by(self, other: torch.Tensor) -> bool:
        """Whether `got` is what `other` says, wrong elements among it; NaN in `other` stands for anything.

        A cancellation may give an element near 0 that has the rounding errors of the larger terms. Such errors are
        allowed everywhere; their size follows from the root mean square of `other`.
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
    """Where a flat tensor's element has the bits that `value` has in its dtype."""
    wanted = torch.full((1,), value, dtype=x.dtype, device=x.device).view(torch.uint8)
    return (x.contiguous().view(torch.uint8).view(-1, x.itemsize) == wanted).all(1)


def all_ones(x: torch.Tensor) -> torch.Tensor:
    """Where every bit of a flat tensor's element is set."""
    return (x.contiguous().view(torch.uint8).view(-1, x.itemsize) == 255).all(1)
