"""A case of a task, as plain data: sizes, layout and values of the inputs, and what an answer must do with them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import torch

from course.errors import CourseError

LAYOUTS = ("contiguous", "transposed", "offset", "offset:2", "offset:3", "pitched")
VALUES = ("normal", "special")
# How an input can be made wrong, with the words for the name of a case.
CHANGES = {
    "host": "on the host",
    "dtype": "of another dtype",
    "shape": "one element too long",
    "short": "one element too short",
}
EXPECTATIONS = ("value", "error")
# What a budget can limit, in the words for the name of a case. A case's name does not mention the limits with "".
COUNTS = {
    "sectors": "sectors",
    "requests": "requests",
    "sectors_touched": "sectors from and to memory",
    "wavefronts": "wavefronts",
    "threads": "threads",
    "threads_along_x": "threads along x",
    "blocks": "blocks",
    **dict.fromkeys(("store_wavefronts", "l1_wavefronts", "idle_threads", "atomics_per_address"), ""),
    **dict.fromkeys(("threads_per_element", "elements_per_thread", "requests_per_warp", "barriers"), ""),
    **dict.fromkeys(("unoverlapped_copies", "tensor_sums"), ""),
}
# The budget of a case whose threads must share the elements: no element may be stored by many threads. An honest kernel
# stores each element once, or twice if the last vector overlaps the vector before it.
STORED_ONCE = {"threads_per_element": 4}
# The budget of a case of 255 elements or more whose question asks for one thread per element. A thread of an honest
# kernel may have several elements: 16 in four float4, 5 in a grid-stride loop of one block over 1025 elements, 64 in a
# tile of 8 x 8. A thread with more elements loops over all elements, or over a whole row.
ONE_THREAD_PER_ELEMENT = {**STORED_ONCE, "elements_per_thread": 64}
ASKS_FOR_ONE_THREAD = "one thread per element: launch one thread for each element"  # `Case.asks` of such a question


class TaskError(CourseError):
    """A task does not exist, is not a task, or lacks a size or a case that was asked for."""


@dataclass(frozen=True)
class Case:
    """One set of inputs of a task, as plain data that can be sent to a worker as JSON.

    Parameters
    ----------
    sizes : Mapping of str to int
        Values that replace the integers of the task file with the same names.
    layout : str
        How every input tensor is stored:
        "contiguous";
        "transposed": a matrix has swapped strides, and a vector is every second element of its storage;
        "offset", "offset:2", "offset:3": contiguous, from the second, third or fourth element of the storage on;
        "pitched": the distance between the starts of two rows is twice the length of a row.
    values : str
        "normal", or "special": NaN, both infinities and -0.0 at random places of every floating-point input.
    dtype : str
        Name of the dtype of every floating-point input, such as "float16"; "" for the task's own dtype.
    change : str
        How one input is made wrong for a case that expects an error; "" for no change:
        "host:0": input 0 is on the host;
        "dtype:1": input 1 has another dtype;
        "shape:0": the last dimension of input 0 is one element too long;
        "short:0": the last dimension of input 0 is one element too short.
    expect : str
        "value": the answer must return the reference's values. "error": the answer must raise an error. If only the
        dtype is wrong, it may return the values instead.
    budget : Mapping of str to int
        How much the kernels of one call may use. A case with a budget is always traced, however long that takes.
        "sectors": the sectors of 32 bytes that all requests to global memory take;
        "requests": the requests of warps to global memory;
        "sectors_touched": the different sectors that each launch reads and writes, added up over the launches;
        "wavefronts": the wavefronts that all requests to shared memory take;
        "store_wavefronts": those that the stores among them take;
        "l1_wavefronts": the wavefronts that all requests to global memory take in the L1 cache, if nvcc merges all
        loads that it may;
        "threads", "blocks": those of a launch;
        "threads_along_x": the threads of a launch along x, of all blocks together;
        "idle_threads": the threads of a launch that neither load from global memory nor store into it;
        "atomics_per_address": the atomic operations of a launch's threads on one address of global memory, or of a
        block's threads on one address of its shared memory;
        "threads_per_element": the threads of a launch that store the same element;
        "elements_per_thread": the different elements that a thread stores;
        "requests_per_warp": the requests of a warp to global and shared memory;
        "barriers": those that a block passes;
        "unoverlapped_copies": the batches of asynchronous copies that a thread waits for without a load from shared
        memory since their start. A call without asynchronous copies exceeds each such budget;
        "tensor_sums": how often tensor cores add to elements of a thread: 4 times in an `mma` of 16 x 8 elements. A
        call without any exceeds each such budget.
    asks : str
        What the question asks for, as the end of a sentence that says what exceeds the budget, such as "one block for
        each row". "" if the number of the budget says enough.

    Raises
    ------
    TaskError
        If a field has a value that does not exist, or a budget cannot be counted.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    layout: str = "contiguous"
    values: str = "normal"
    dtype: str = ""
    change: str = ""
    expect: str = "value"
    budget: Mapping[str, int] = field(default_factory=dict)
    asks: str = ""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("layout", self.layout, LAYOUTS),
            ("values", self.values, VALUES),
            ("change", self.change.partition(":")[0], ("", *CHANGES)),
            ("expect", self.expect, EXPECTATIONS),
        ):
            if value not in known:
                raise TaskError(f"A case cannot have {name} {value!r}; it can have {', '.join(filter(None, known))}.")
        if self.dtype and not (isinstance(getattr(torch, self.dtype, None), torch.dtype)):
            raise TaskError(f"A case cannot have dtype {self.dtype!r}: PyTorch has no such dtype.")
        for name, count in self.budget.items():
            if name not in COUNTS or type(count) is not int or count < 0:
                raise TaskError(
                    f"A budget cannot be {count!r} {name}; it must be a whole number, 0 or more, of "
                    f"{', '.join(list(COUNTS)[:-1])} or {list(COUNTS)[-1]}."
                )
        if self.budget and self.expect != "value":
            raise TaskError("A case that expects an error cannot have a `budget`: there is nothing to count.")

    def to_json(self) -> dict[str, Any]:
        """This case as a dict that `json` can write and `from_json` can read."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Case":
        return cls(**data)

    def __str__(self) -> str:
        parts = [f"{name}={value}" for name, value in self.sizes.items()]
        if self.layout != "contiguous":
            parts.append(self.layout)
        if self.values == "special":
            parts.append("with NaN, infinities and -0.0")
        if self.dtype:
            parts.append(self.dtype)
        if self.change:
            kind, _, index = self.change.partition(":")
            parts.append(f"input {index} {CHANGES[kind]}")
        parts += [f"at most {count:,} {COUNTS[name]}" for name, count in self.budget.items() if COUNTS[name]]
        return ", ".join(parts) or "the sizes of the task file"

    @property
    def differs_in_dtype(self) -> bool:
        """Whether only the dtype makes the inputs of this case other than normal ones."""
        return self.layout == "contiguous" and (
            self.change.startswith("dtype:") or (not self.change and bool(self.dtype))
        )

    def apply(self, inputs: Sequence[Any]) -> list[Any]:
        """The task's own `inputs` with the dtype, the values, the layout and the change of this case."""
        return _changed([self._shaped(x) if isinstance(x, torch.Tensor) else x for x in inputs], self.change)

    def _shaped(self, x: torch.Tensor) -> torch.Tensor:
        """`x` with the dtype, the values and the layout of this case."""
        if self.dtype and x.is_floating_point():
            x = x.to(getattr(torch, self.dtype))
        if self.values == "special" and x.is_floating_point() and x.numel():
            x = _sprinkled(x)
        if self.layout.startswith("offset"):
            start = int(self.layout.partition(":")[2] or 1)
            return torch.empty(x.numel() + start, dtype=x.dtype)[start:].view(x.shape).copy_(x)
        if self.layout == "pitched" and x.ndim >= 2:
            return torch.cat([x, x], -1)[..., : x.shape[-1]]
        if self.layout == "transposed" and x.ndim >= 2:
            return x.mT.contiguous().mT
        if self.layout == "transposed" and x.ndim == 1:  # a vector cannot be transposed, so take every second element
            return torch.stack([x, x], -1)[:, 0]
        return x


def _sprinkled(x: torch.Tensor) -> torch.Tensor:
    """`x` with NaN, both infinities and -0.0 at an eighth of its places, or at four places if these are more."""
    x = x.contiguous().clone()
    places = torch.randperm(x.numel())[: max(4, x.numel() // 8)]
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0], dtype=x.dtype)
    x.view(-1)[places] = special.repeat(len(places) // 4 + 1)[: len(places)]
    return x


def _changed(inputs: list[Any], change: str) -> list[Any]:
    """`inputs`, one of which is made wrong as `change` says. On the CPU, PyTorch does not see the change `host`."""
    if not change:
        return inputs
    kind, _, index = change.partition(":")
    if not index.isdecimal() or int(index) >= len(inputs) or not isinstance(inputs[int(index)], torch.Tensor):
        raise TaskError(f"The change {change!r} names no input tensor: write it as {kind}:0.")
    x = inputs[int(index)]
    if kind == "host":
        x = x.cpu()
    elif kind == "dtype":
        x = x.to(torch.float64 if x.dtype != torch.float64 else torch.float32)
    else:
        x = torch.nn.functional.pad(x, (0, 1 if kind == "shape" else -1)) if x.ndim else x.reshape(1)
    return [*inputs[: int(index)], x, *inputs[int(index) + 1 :]]


def cases(names: str, *sizes: Sequence[int], **fields: Any) -> list[Case]:
    """A case with these `fields` for each of `sizes`, whose `names` are given once: `cases("M N", (0, 8), (8, 0))`."""
    return [Case(dict(zip(names.split(), each, strict=True)), **fields) for each in sizes]


def refusals(sizes: Mapping[str, int], *wrong: str) -> list[Case]:
    """Cases that the answer must refuse: each has a change, such as "host:0", or a layout of all inputs."""
    return [
        Case(sizes, layout=each, expect="error") if each in LAYOUTS else Case(sizes, change=each, expect="error")
        for each in wrong
    ]


def few_requests(M: int, N: int) -> Case:
    """A case of M x N elements that are read and written by float4: 1.5 times the least requests and sectors.

    The least is one load request and one store request for each 128 elements, since 32 lanes have 16 bytes each, and 16
    sectors for each request. The budget leaves room for the requests of a tail of up to 3 elements, for other block
    sizes, and for one more request per warp, which loads a row's element of A. A kernel with one float per lane makes
    four times the least number of requests, and a kernel with a float2 twice. If neighbouring lanes have float4s that
    are two float4s apart, each request takes twice as many sectors.
    """
    requests = 2 * -(-M * N // 128)
    return Case({"M": M, "N": N}, budget={"requests": 3 * requests // 2, "sectors": 3 * 16 * requests // 2})


def with_budget(
    cases: Sequence[Case], budget: Mapping[str, int], *sizes: Mapping[str, int], asks: str = ""
) -> list[Case]:
    """`cases`, in which the cases of these sizes have a budget. Raises TaskError if no case has one of the sizes."""
    if unknown := [each for each in sizes if each not in [case.sizes for case in cases]]:
        raise TaskError(f"A budget is given for the sizes {unknown[0]}, but no case has these sizes.")
    return [replace(case, budget=budget, asks=asks) if case.sizes in sizes else case for case in cases]
