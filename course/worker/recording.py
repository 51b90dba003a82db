"""The PyTorch operations and module functions that a script called in one call of its model, as plain data.

A script is Python, which could compute an output and hide how. So it runs in a separate process, on inputs with the
right shapes, dtypes and strides but with other values, and a `Recorder` there records each PyTorch operation and each
call of a module's function. The referee checks the record (`checked`), and a worker, which runs no Python of the
answer, repeats it with the judged inputs (`Replay`). Everything else that a script does uses the wrong values.

A record is JSON. Each of its `steps` says in `tensors` how many tensors it gives. All tensors are numbered, inputs
first. A step has one of three forms:

    {"constant": dtype, "bytes": n, "device": "cpu" or "cuda"}                     memory that the script itself filled
    {"operator": name, "arguments": [...], "keywords": {...}}                      an operation of PyTorch
    {"module": i, "function": name, "arguments": [...], "gives": text, "line": n}  a call of a function

`modules` are the sources of the modules, and `result` is what the model returned.
"""

import functools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from course.errors import CourseError
from course.toolchains import native
from course.toolchains.base import Source
from course.worker.messages import as_count, as_list, as_plain, as_string

ANSWER = "<answer>"  # the file name of the answer's code, which identifies its lines
STEPS_BOUND = 20_000
CONSTANTS_BOUND = 64 << 20  # bytes of the tensors that a script itself makes, without the weights of the task's Model
TEXT_BOUND = 4000
DEPTH_BOUND = 8
NAMES = {  # of dtypes, layouts and memory formats
    str(value).removeprefix("torch."): value
    for value in vars(torch).values()
    if isinstance(value, torch.dtype | torch.layout | torch.memory_format)
}
PYTORCHS_OPERATORS = frozenset(torch._C._dispatch_get_all_op_names())  # before a script can register others
PLAIN = "Tensor|number|int|float|bool|Device|Generator"  # PyTorch's names of types; a generator must be None


class ValueRead(CourseError):
    """A script used the values of its inputs, which it does not have."""


class Recorder(TorchDispatchMode):
    """Records the operations on tensors while it is active; `inputs` are the first tensors of the record.

    `constants_bound` is in bytes. `modes` makes the context in which the script's own code runs. An operator that the
    script itself has registered is not recorded, but what it does is.
    """

    PASSED_OVER = frozenset(
        ("record_stream", "is_pinned", "is_same_size")
    )  # operations that neither change nor return a tensor

    def __init__(
        self,
        inputs: Sequence[Any],
        constants_bound: int = CONSTANTS_BOUND,
        modes: Callable[[], AbstractContextManager] = nullcontext,
    ) -> None:
        super().__init__()
        self._modes = modes
        self.constants = bytearray()
        self._bound = constants_bound
        self._steps: list[dict] = []
        self._modules: list[Source] = []
        self._tensors: list[torch.Tensor] = []  # kept alive, so that no id is used again
        self._numbers: dict[int, int] = {}
        self._storages: dict[tuple[int, torch.dtype], int] = {}
        self._of_inputs = set(range(self._number_all(inputs)))  # numbers of the tensors that depend on them

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and skipping the compiler would import it first: 0.7 s

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.ops.aten._local_scalar_dense.default:
            self.refuse(args[0], "item(), or a condition,")
        elif func.name() not in PYTORCHS_OPERATORS:
            with self._modes(), NoValues(self), self:
                tensors = tensors_in([*args, *kwargs.values()])
                places = {"Meta" if x.is_meta else "CUDA" if x.is_cuda else "CPU" for x in tensors}
                key = torch._C.DispatchKey.__members__[max(places, default="CUDA")]  # CUDA before CPU
                return func.redispatch(torch._C.DispatchKeySet(key), *args, **kwargs)
        elif func.overloadpacket.__name__ not in self.PASSED_OVER:
            step = {"operator": str(func), "arguments": self._encoded(args)}
            step["keywords"] = {name: self._encoded(value) for name, value in kwargs.items()}
            result = func(*args, **kwargs)
            self._add(step, result)
            return result
        return func(*args, **kwargs)

    def call(self, name: str, source: Source, function: Callable, arguments: Sequence[Any]) -> Any:
        """Call `function`, which is `name` of the module built from `source`."""
        with _disable_current_modes(), torch._C.DisableTorchFunction():
            given = self._encoded(arguments)
            result = function(*arguments)
            if source not in self._modules:
                self._modules.append(source)
            module = self._modules.index(source)
            step = dict(module=module, function=name, arguments=given, gives=in_words(result), line=_line_of_answer())
            self._add(step, result)
            return result

    def record(self, result: Any) -> dict:
        """The record of the call that returned `result`."""
        with torch._C.DisableTorchFunction():
            result = self._encoded(result, other=lambda value: {"class": type(value).__name__})
        return {"modules": [asdict(source) for source in self._modules], "steps": self._steps, "result": result}

    def refuse(self, tensor: Any, what: str) -> None:
        """Raise ValueRead if `tensor` depends on the inputs; a script may read the tensors that it made itself."""
        if self._numbers.get(id(tensor)) in self._of_inputs:
            raise ValueRead(
                "a script may use the shapes, dtypes and strides of tensors. Only kernels may use their values, and "
                f"{what} would read a value"
            )

    def _encoded(self, value: Any, other: Callable[[Any], Any] | None = None) -> Any:
        """`value` as JSON, tensors by their numbers."""
        if isinstance(value, torch.Tensor):
            number = {"tensor": self._number(value)}
            return {**number, "host": True} if native.is_on_host(value) else number
        if isinstance(value, list | tuple):
            return [self._encoded(item, other) for item in value]
        if isinstance(value, Mapping):
            return {"dict": {str(key): self._encoded(item, other) for key, item in value.items()}}
        if isinstance(value, torch.dtype | torch.layout | torch.memory_format):
            return {"torch": _name(value)}
        if isinstance(value, torch.device):
            return {"device": str(value)}
        if value is None or isinstance(value, bool | float | str) or (type(value) is int and abs(value) < 1 << 64):
            return value
        if other:
            return other(value)
        for kind, conversion in ((int, "__index__"), (float, "__float__")):  # NumPy's numbers
            if hasattr(type(value), conversion):
                return kind(value)
        raise CourseError(f"a script can pass tensors, numbers and text, and a {type(value).__name__} is none of these")

    def _add(self, step: dict, result: Any) -> None:
        if len(self._steps) >= STEPS_BOUND:
            raise CourseError(f"a call takes more than {STEPS_BOUND:,} operations on tensors; move loops into a kernel")
        first, count = len(self._tensors), self._number_all(result)
        self._steps.append({**step, "tensors": count})
        if _uses(step) & self._of_inputs:
            self._of_inputs.update(range(first, first + count))

    def _number_all(self, value: Any) -> int:
        """Number the tensors of `value`, and return how many there are."""
        tensors = tensors_in(value)
        for tensor in tensors:
            self._numbers[id(tensor)] = number = len(self._tensors)
            self._tensors.append(tensor)
            if tensor.layout == torch.strided:
                self._storages.setdefault(_memory(tensor), number)
        return len(tensors)

    def _number(self, tensor: torch.Tensor) -> int:
        """The number of `tensor`; a tensor that no step gave is a view of another one, or the script's own."""
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter):  # a subclass could lie about its memory
            raise CourseError(f"a script can pass only plain tensors; {type(tensor).__name__} is a subclass of Tensor")
        if id(tensor) not in self._numbers:
            if _memory(tensor) not in self._storages:
                whole = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(tensor.untyped_storage())
                if len(self.constants) + whole.nbytes > self._bound:
                    raise CourseError(f"the tensors that a script makes may have {self._bound >> 20} MiB at most")
                values = whole.cpu().view(torch.uint8).numpy().tobytes()
                self.constants += values
                own = {"constant": _name(tensor.dtype), "bytes": len(values), "device": tensor.device.type}
                self._add(own, whole)
            place = [list(tensor.shape), list(tensor.stride()), tensor.storage_offset()]
            arguments = [{"tensor": self._storages[_memory(tensor)]}, *place]
            self._add({"operator": "aten.as_strided.default", "arguments": arguments, "keywords": {}}, tensor)
        return self._numbers[id(tensor)]


class NoValues(TorchFunctionMode):
    """Refuses reads of a recorder's tensors that bypass PyTorch's dispatcher; prints tensors by shape and dtype."""

    READS = frozenset(
        getattr(torch.Tensor, name) for name in ("tolist", "numpy", "__array__", "__dlpack__", "data_ptr")
    )

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if func in self.READS:
            self.recorder.refuse(args[0], f"{func.__name__}()")
        if func in (torch.Tensor.__repr__, torch.Tensor.__format__):
            return in_words(args[0])
        return func(*args, **(kwargs or {}))


class NotRun(Exception):
    """A PyTorch operation that no worker runs for a script; the message is the operation's name."""


def checked(data: Any, inputs: int, constants: int) -> dict:
    """The record `data` on `inputs` tensors, with `constants` bytes of constants; all fields except `modules` checked.

    Raises NotRun, and also AttributeError, KeyError, TypeError or ValueError if `data` is not a record.
    """
    tensors, size, steps = inputs, 0, []
    for step in as_list(data["steps"]):
        new: dict[str, Any] = {"tensors": as_count(step["tensors"])}
        if "constant" in step:
            new |= {"constant": step["constant"], "bytes": as_count(step["bytes"]), "device": step["device"]}
            dtype = NAMES[_text(new["constant"])]
            if not isinstance(dtype, torch.dtype) or new["bytes"] % dtype.itemsize:
                raise ValueError("no constant")
            if new["device"] not in ("cpu", "cuda") or new["tensors"] != 1:
                raise ValueError("no constant")
            size += new["bytes"]
        else:
            new["arguments"] = _checked(as_list(step["arguments"]), tensors)
            if "operator" in step:
                new["operator"] = _text(step["operator"])
                if operator(new["operator"]) is None:
                    raise NotRun(".".join(new["operator"].split(".")[1:-1]) or new["operator"])
                new["keywords"] = {_text(name): _checked(each, tensors) for name, each in step["keywords"].items()}
            else:
                new |= {key: _text(step[key]) for key in ("function", "gives")}
                new |= {"module": as_count(step["module"]), "line": as_count(step["line"])}
        steps.append(new)
        tensors += new["tensors"]
    modules = as_list(data["modules"])
    if len(steps) > STEPS_BOUND or size != constants or any(s.get("module", -1) >= len(modules) for s in steps):
        raise ValueError("no record")
    return {"modules": modules, "steps": steps, "result": _checked(data["result"], tensors)}


@functools.lru_cache(maxsize=4096)
def operator(name: str) -> torch._ops.OpOverload | None:
    """The operation, such as `aten.view.default`, if a worker may run it for a script, else None.

    A worker may run any ATen operation that takes and returns tensors and numbers. None of these operations reads
    a file or runs code, since that would need a name as an argument. A wrapper in C++ could call them too.
    """
    where = re.fullmatch(r"aten\.(\w+)\.(\w+)", name)
    found = where and getattr(getattr(torch.ops.aten, where[1], None), where[2], None)
    if not isinstance(found, torch._ops.OpOverload):
        return None
    takes, gives = ([str(each.type) for each in part] for part in (found._schema.arguments, found._schema.returns))
    plain = all(re.fullmatch(rf"((Optional|List)\[)*({PLAIN})\]*", each) for each in takes)
    return found if plain and gives and all(each in ("Tensor", "List[Tensor]") for each in gives) else None


class Replay:
    """A record that can be called. `constants` are the bytes of its constants. `functions` has, for each of its
    modules, the functions by name.
    """

    def __init__(self, record: dict, constants: bytes, functions: Sequence[Mapping[str, Callable]]) -> None:
        self._steps, self._result, self._functions = record["steps"], record["result"], functions
        self._constants, start = [], 0
        for step in self._steps:
            if "constant" in step:
                values = torch.empty(step["bytes"], dtype=torch.uint8)  # aligned, as PyTorch's memory is
                values.numpy()[:] = memoryview(constants)[start : start + step["bytes"]]
                dtype = NAMES[step["constant"]]
                assert isinstance(dtype, torch.dtype)  # checked
                self._constants.append(values.view(dtype).to(step["device"]))
                start += step["bytes"]
        last_uses: dict[int, int] = {}
        for place, step in enumerate(self._steps):
            last_uses |= dict.fromkeys(_uses(step), place)
        self._done_with: list[list[int]] = [[] for _ in self._steps]
        for number in last_uses.keys() - _numbers(self._result):
            self._done_with[last_uses[number]].append(number)

    def __call__(self, *inputs: Any) -> Any:
        tensors = dict(enumerate(tensors_in(inputs)))
        count, constants = len(tensors), iter(self._constants)
        for step, done_with in zip(self._steps, self._done_with, strict=True):
            try:
                with torch._C.DisableTorchFunction():  # the record names the CPU where the tensors are on the GPU
                    result = next(constants) if "constant" in step else self._run(step, tensors)
            except BaseException as error:
                error.line_of_answer = step.get("line")  # type: ignore[attr-defined]  # for `describe_error`
                raise
            for tensor in tensors_in(result):
                tensors[count], count = tensor, count + 1
            for number in done_with:
                del tensors[number]  # a later step gets its memory
        return _decoded(self._result, tensors)

    def _run(self, step: dict, tensors: Mapping[int, torch.Tensor]) -> Any:
        arguments = _decoded(step["arguments"], tensors)
        if "operator" in step:
            keywords = {name: _decoded(value, tensors) for name, value in step["keywords"].items()}
            operation = operator(step["operator"])
            assert operation  # checked
            return operation(*arguments, **keywords)
        result = self._functions[step["module"]][step["function"]](*arguments)
        if in_words(result) != step["gives"]:
            raise ValueRead(
                f"{step['function']} gave {in_words(result)}, and {step['gives']} for other values of the same shapes. "
                "The result of a function that a script calls must not depend on values"
            )
        return result


def in_words(value: Any) -> str:
    """A value of a script in words; for tensors, the properties that a script may know."""
    if isinstance(value, torch.Tensor):
        return f"tensor(shape={tuple(value.shape)}, dtype={value.dtype})"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(in_words, value))})"[:TEXT_BOUND]
    return repr(value)[:TEXT_BOUND]


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors of a value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for item in value for tensor in tensors_in(item)] if isinstance(value, list | tuple) else []


def _memory(tensor: torch.Tensor) -> tuple[int, torch.dtype]:
    return tensor.untyped_storage()._cdata, tensor.dtype


def _line_of_answer() -> int:
    """The line of the answer that is running, 0 if there is none."""
    frame = sys._getframe()
    while frame and frame.f_code.co_filename != ANSWER:
        frame = frame.f_back
    return frame.f_lineno if frame else 0


def _checked(data: Any, tensors: int, depth: int = 0) -> Any:
    """A value in a record in which `tensors` have numbers so far."""
    if depth > DEPTH_BOUND:
        raise ValueError("too deep")
    if isinstance(data, list):
        return [_checked(item, tensors, depth + 1) for item in data]
    if not isinstance(data, dict):
        return _text(data) if isinstance(data, str) else as_plain(data)
    ((kind, value),) = [(kind, value) for kind, value in data.items() if kind != "host"]
    if kind == "tensor":
        if as_count(value) >= tensors:
            raise ValueError("no tensor yet")
        return {"tensor": value, "host": data.get("host") is True}
    if kind == "dict":
        return {"dict": {_text(name): _checked(item, tensors, depth + 1) for name, item in value.items()}}
    if kind == "torch":
        NAMES[_text(value)]
    elif kind not in ("device", "class"):
        raise ValueError("no value")
    return {kind: _text(value)}


def _decoded(data: Any, tensors: Mapping[int, torch.Tensor]) -> Any:
    """The value that a record has as `data`."""
    if isinstance(data, list):
        return [_decoded(item, tensors) for item in data]
    if not isinstance(data, dict):
        return data
    if "tensor" in data:
        tensor = tensors[data["tensor"]]
        return native.mark_on_host(tensor) if data["host"] else tensor
    if "dict" in data:
        return {name: _decoded(item, tensors) for name, item in data["dict"].items()}
    if "torch" in data:
        return NAMES[data["torch"]]
    return torch.device(data["device"]) if "device" in data else type(data["class"], (), {})()


def _uses(step: Mapping[str, Any]) -> set[int]:
    """The numbers of the tensors that a step works on."""
    return _numbers([step.get("arguments"), step.get("keywords")])


def _numbers(data: Any) -> set[int]:
    """The numbers of the tensors in a value of a record."""
    if isinstance(data, list):
        return set().union(*map(_numbers, data))
    if not isinstance(data, dict):
        return set()
    return {data["tensor"]} if "tensor" in data else _numbers(list(data.values()))


def _name(value: Any) -> str:
    return str(value).removeprefix("torch.")


def _text(data: Any) -> str:
    return as_string(data, TEXT_BOUND)
