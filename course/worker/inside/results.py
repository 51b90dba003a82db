"""How a worker describes tensors, other values and exceptions as JSON. It keeps the tensors until the next call."""

import contextlib
import math
import re
import traceback
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch

from course.errors import HAZARDS
from course.toolchains import native
from course.worker.inside.engine import Engine
from course.worker.messages import MESSAGE_BOUND
from course.worker.protocol import DTYPES, HAZARDS_BOUND, LEAVES_BOUND
from course.worker.recording import ANSWER


class HeldTensors:
    """The tensors that were described: a list of the inputs, and a list of the outputs of the last call."""

    def __init__(self, engine: Engine):
        self._engine = engine
        self._lists: dict[str, list[torch.Tensor]] = {"inputs": [], "outputs": []}

    @property
    def outputs(self) -> list[torch.Tensor]:
        return self._lists["outputs"]

    def clear(self) -> None:
        self._lists = {"inputs": [], "outputs": []}

    def describe(self, value: Any, where: str = "outputs", depth: int = 0) -> Any:
        """`value` as JSON; its tensors are kept, in the list `where`, and described."""
        held = self._lists[where]
        if isinstance(value, np.generic):  # a number, for example from np.ceil
            value = value.item()
        if isinstance(value, torch.Tensor) and value.layout == torch.strided:
            emulated = "host" if native.is_on_host(value) else "cpu"
            device = emulated if self._engine.emulated else value.device.type
            value = value.detach().resolve_conj().resolve_neg()
            held.append(value)
            dtype = str(value.dtype).removeprefix("torch.")
            if dtype in DTYPES and len(held) <= LEAVES_BOUND:
                shape, strides = list(value.shape), list(value.stride())
                index = len(held) - 1
                return dict(where=where, index=index, shape=shape, strides=strides, dtype=dtype, device=device)
        if isinstance(value, tuple | list) and len(value) <= LEAVES_BOUND and depth < 4:
            return [self.describe(item, where, depth + 1) for item in value]
        if isinstance(value, dict) and len(value) <= LEAVES_BOUND and depth < 4:
            return {"dict": {str(key): self.describe(item, where, depth + 1) for key, item in value.items()}}
        if value is None or type(value) in (float, bool) or (type(value) is int and abs(value) < 1 << 64):
            return value
        if type(value) is str and len(value) <= MESSAGE_BOUND:
            return value
        return {"class": type(value).__name__}

    def values(self, where: str, index: int, start: int, stop: int) -> memoryview:
        """The bytes of elements `start` to `stop` of a tensor, in row-major order."""
        held = self._lists[where]
        if not held[index].is_contiguous():
            held[index] = held[index].contiguous()
        return held[index].view(-1)[start:stop].view(torch.uint8).cpu().numpy().data

    def spoil_outputs(self, inputs: Sequence[Any]) -> None:
        """Clear and drop the outputs, so that a later call that writes nothing does not find right values."""
        own = {x.untyped_storage().data_ptr() for x in inputs if isinstance(x, torch.Tensor)}
        for x in self.outputs:
            if x.untyped_storage().data_ptr() not in own:
                with contextlib.suppress(RuntimeError):  # fails for an expanded tensor, which has one value many times
                    x.fill_(math.nan if x.is_floating_point() else 0)
        self.outputs.clear()


def describe_error(error: BaseException, engine: Engine) -> dict:
    """`error` as JSON. `fatal` says that the error has made the GPU's context unusable."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == ANSWER]
    line = lines[-1] if lines else getattr(error, "line_of_answer", None)
    if isinstance(error, SyntaxError) and error.filename == ANSWER:
        line = error.lineno
    # An answer can raise an error with hazards of its own.
    hazards = [
        replace(each, kind=each.kind if each.kind in HAZARDS else "crash") for each in getattr(error, "hazards", ())
    ]
    fatal = engine.is_lost()
    message = re.sub(r"\nCUDA kernel errors might be asynchronously.*", "", str(error), flags=re.DOTALL).strip()
    name = type(error).__name__[:100]
    described = [asdict(each) for each in hazards[:HAZARDS_BOUND]]
    return dict(type=name, message=message[:MESSAGE_BOUND], line=line, hazards=described, fatal=fatal)
