"""Tasks: what an answer is judged against.

A task is one Python file in KernelBench's form (`Model`, `get_inputs()`, `get_init_inputs()`, sizes as module-level
integers); CONTRIBUTING.md lists what a task of the course adds. Each load runs a private copy of the file, so that
sizes can be overridden; `from course.tasks.NAME import *` in a task file includes that file, sizes and all.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import functools
import hashlib
import inspect
import random
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from course.toolchains.base import CourseError

FOLDER = Path(__file__).parent
LAYOUTS = ("contiguous", "transposed", "offset", "offset:2", "offset:3", "pitched")
VALUES = ("normal", "special")
CHANGES = ("host", "dtype", "shape", "short")
EXPECTATIONS = ("value", "error")
COUNTS = ("sectors", "requests")  # of global memory, all kernels of a call together

SIZES_GIVEN = "__sizes_given__"  # in a task's module: the integers that stand in the place of its own


class TaskError(CourseError):
    """The task does not exist, is no task, or was given sizes or a case that it does not have."""


@dataclass(frozen=True)
class Case:
    """One set of inputs of a task, as plain data; the terms stand in CONTRIBUTING.md.

    Raises TaskError for a term that does not exist.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    layout: str = "contiguous"
    values: str = "normal"
    dtype: str = ""
    change: str = ""
    expect: str = "value"
    most: Mapping[str, int] = field(default_factory=dict)

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
        for name, count in self.most.items():
            if name not in COUNTS or type(count) is not int or count < 1:
                raise TaskError(
                    f"A case cannot ask for at most {count!r} {name}; it can ask for a whole number, 1 or more, of "
                    f"{' or '.join(COUNTS)}."
                )
        if self.most and self.expect != "value":
            raise TaskError("A case that expects an error cannot have `most`: there is nothing to count.")

    def to_json(self) -> dict[str, Any]:
        """This case as an object that `json` can write; `from_json` reads it."""
        return {**asdict(self), "sizes": dict(self.sizes), "most": dict(self.most)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Case:
        return cls(**data)

    def __str__(self) -> str:
        parts = [f"{name}={value}" for name, value in self.sizes.items()]
        parts += [self.layout] * (self.layout != "contiguous")
        parts += ["with NaN, infinities and -0.0"] * (self.values == "special")
        parts += [self.dtype] * bool(self.dtype)
        if self.change:
            parts.append(describe_change(self.change))
        parts += [f"at most {count:,} {name}" for name, count in self.most.items()]
        return ", ".join(parts) or "the sizes of the task file"


def describe_change(change: str) -> str:
    """The words for a `change` such as `host:0`."""
    kind, _, index = change.partition(":")
    words = {
        "host": "on the host",
        "dtype": "of another dtype",
        "shape": "one element too long",
        "short": "one element too short",
    }
    return f"input {index} {words[kind]}"


class Task:
    """A task at one set of sizes.

    `module` is a private copy of the task file, run with `sizes` in place of its own integers. `name`, `path` and
    `source` say where it comes from; `Task(name, source, path, sizes)` makes the same task in another process.
    Raises TaskError where the source does not run or lacks a part, or a size that it does not define is given.
    """

    def __init__(self, name: str, source: str, path: str, sizes: Mapping[str, int] | None = None):
        self.name, self.source, self.path, self.sizes = name, source, path, dict(sizes or {})
        self.module = types.ModuleType("model", f"The task {name}.")
        self.module.__file__ = path
        try:
            code, names = _compiled(source, path)
        except SyntaxError as error:
            raise TaskError(f"The task file {path} is not valid Python: {error}.") from error
        except OSError as error:
            raise TaskError(f"The task file {path} includes one that cannot be read: {error.filename}.") from error
        setattr(self.module, SIZES_GIVEN, self.sizes)
        try:
            exec(code, self.module.__dict__)
        except (Exception, SystemExit) as error:
            raise TaskError(f"The task file {path} does not run: {type(error).__name__}: {error}.") from error
        values = {name: getattr(self.module, name) for name in names}
        self.integers = {name: value for name, value in values.items() if type(value) is int}
        for part in ("Model", "get_inputs"):
            if not callable(getattr(self.module, part, None)):
                raise TaskError(f"{path} is no task: it does not define {part}.")
        cases = getattr(self.module, "CASES", [Case()])
        if not (isinstance(cases, Sequence) and cases and all(isinstance(case, Case) for case in cases)):
            raise TaskError(f"The task file {path} must list one Case or more in CASES.")
        unknown = [name for name in self.sizes if name not in self.integers]
        if unknown:
            raise TaskError(f"The task {name} has no size {unknown[0]!r}; its sizes are {self._names()}.")

    def _names(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.integers.items()) or "none"

    def sized(self, sizes: Mapping[str, int]) -> Task:
        """The same task with `sizes` in place of its integers of those names."""
        return Task(self.name, self.source, self.path, {**self.sizes, **sizes}) if sizes else self

    @property
    def foreign(self) -> bool:
        """Whether the file is a bare KernelBench task: without cases of its own."""
        return not hasattr(self.module, "CASES")

    @property
    def asks_for_a_value(self) -> bool:
        """Whether the answer is a prediction: `Model` takes nothing."""
        return len(inspect.signature(self.module.Model.forward).parameters) == 1

    @property
    def cases(self) -> tuple[Case, ...]:
        """The visible cases; for a KernelBench file two draws of its own inputs, so that nothing can be kept."""
        return (Case(), Case()) if self.foreign else tuple(self.module.CASES)

    @property
    def named_sizes(self) -> tuple[tuple[str, dict[str, int]], ...]:
        """The sizes of `SIZES`, largest first: `(("full", {...}), ...)`; a KernelBench file has only its own."""
        sizes = getattr(self.module, "SIZES", {"full": {}})
        return tuple((name, sizes[name]) for name in ("full", "medium", "small", "tiny") if name in sizes)

    @property
    def sum_length(self) -> int | None:
        """Terms summed in one element of the output, None where the task does not say."""
        if hasattr(self.module, "sum_length"):
            return int(self.module.sum_length())
        return None if self.foreign else 1

    def inputs(self, case: Case, seed: int, device: str | torch.device) -> list[Any]:
        """The inputs of `case`, made on `device`; the same in every process for the same three arguments.

        The sizes of `case` apply. The random state of PyTorch is left as it was.
        """
        task = self.sized(case.sizes)
        with _seeded(seed, device):
            inputs = task._list("get_inputs")
            # KernelBench files may make tensors from NumPy: all go where the case wants.
            inputs = [x.to(device) if isinstance(x, torch.Tensor) else x for x in inputs]
            inputs = [_shape_values(x, case) if isinstance(x, torch.Tensor) else x for x in inputs]
            return _changed(inputs, case.change)

    def init_inputs(self, seed: int, device: str | torch.device) -> list[Any]:
        """The arguments of `Model` and `ModelNew`, made on `device` from `seed`."""
        with _seeded(seed, device):
            return self._list("get_init_inputs") if hasattr(self.module, "get_init_inputs") else []

    def _list(self, part: str) -> list[Any]:
        """What the file's function `part` returns."""
        try:
            return list(getattr(self.module, part)())
        except (Exception, SystemExit) as error:
            reason = str(error).partition("\n")[0]
            text = f"{part}() of the task {self.name} fails with {self._names()}: {type(error).__name__}: {reason}."
            raise TaskError(text) from error

    def model(self, kind: type, seed: int, device: str | torch.device) -> Any:
        """`kind` (`Model` or a `ModelNew`) made on `device`, its random weights drawn from `seed`."""
        arguments = self.init_inputs(seed, device)
        with _seeded(seed, device):
            model = kind(*arguments)
        return model.to(device) if isinstance(model, torch.nn.Module) else model

    def reference(
        self,
        inputs: Sequence[Any],
        seed: int = 0,
        *,
        widen: bool = True,
        change_weight: Callable[[torch.Tensor], torch.Tensor] | None = None,
    ) -> Any:
        """What `Model` makes of `inputs`, or the file's `reference`, where its formula treats NaN and infinity better.

        Computed in float64 where the inputs are floating, the device has the memory, and `widen` is not False, else in
        their own dtype. `seed` is that of the inputs; from it comes that of the weights of a `Model` that has any,
        each of which `change_weight` may replace. The inputs of a case have the task's sizes already. A `Model` that
        works in place changes copies. Raises CourseError for a `Model` that draws random numbers when it is called.
        """
        tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
        device = tensors[0].device if tensors else torch.device("cpu")

        def made() -> Any:
            if own := getattr(self.module, "reference", None):
                return own
            model = self.model(self.module.Model, other_seed(seed, "weights"), device)
            if change_weight and isinstance(model, torch.nn.Module):
                for weight in filter(torch.is_floating_point, model.parameters()):
                    weight.data = change_weight(weight.data)
            return model

        model, size = made(), sum(x.nbytes for x in tensors)
        # Eight times: inputs and output at twice (from half: four times) their size, and what lies between them.
        fits = 8 * size <= free_memory(device)
        if fits and widen and any(x.is_floating_point() for x in tensors):
            try:
                if isinstance(model, torch.nn.Module):
                    model.double()
                with _default_dtype(torch.float64):
                    return self._call(model, [_copy(x, torch.float64) for x in inputs], device)
            except (RuntimeError, torch.OutOfMemoryError):  # a Model that names a dtype itself cannot be widened
                model = made()
        return self._call(model, [_copy(x) for x in inputs] if fits else inputs, device)

    def _call(self, model: Any, inputs: Sequence[Any], device: torch.device) -> Any:
        with _torch_state, torch.no_grad(), _CudaMeans(device):
            before = _random_state(device)
            result = model(*inputs)
            if before != _random_state(device):
                raise CourseError(
                    f"Model of the task {self.name} draws random numbers when it is called, as dropout does: no answer "
                    "could give the same."
                )
            return result

    def weight_bytes(self) -> int:
        """Bytes of the parameters and buffers of `Model`; 0 where it takes no arguments that could size them."""
        if not hasattr(self.module, "get_init_inputs") or not self._list("get_init_inputs"):
            return 0
        with contextlib.suppress(Exception):  # a Model may need more than the meta device has
            model = self.model(self.module.Model, 0, "meta")
            return sum(x.nbytes for x in [*model.parameters(), *model.buffers()])
        return 0

    def footprint(self) -> tuple[int, int]:
        """Bytes of the inputs and of every tensor that `Model` makes, and its floating-point operations.

        Found on PyTorch's meta device, which allocates nothing; where `get_inputs` cannot run there, its inputs are
        made on the CPU. Where `Model` cannot run there, or has less than 1 MiB of inputs, so that it is not worth the
        second in which PyTorch loads that device, its outputs are taken to be as large as its inputs.
        """
        try:
            with _seeded(0, "meta"):
                inputs = self._list("get_inputs")
        except TaskError:
            inputs = self.inputs(Case(), 0, "cpu")
        size = sum(x.nbytes for x in inputs if isinstance(x, torch.Tensor))
        if size < 1 << 20:
            return 2 * size, 0
        allocated, operations = _Allocations(), FlopCounterMode(display=False)
        try:
            model = self.model(self.module.Model, 0, "meta")
            with operations, allocated:
                self._call(model, inputs, torch.device("meta"))
        except Exception:
            return 2 * size, 0
        own = getattr(self.module, "operations", None)
        return size + allocated.bytes, int(own()) if own else operations.get_total_flops()


def _copy(value: Any, dtype: torch.dtype | None = None) -> Any:
    """`value`, a tensor as a copy; one that is floating as `dtype`, if that is given."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.to(dtype if dtype and value.is_floating_point() else value.dtype, copy=True)


def load_task(name_or_path: str | Path, sizes: Mapping[str, int] | None = None) -> Task:
    """The task of that name (`-` and `_` alike), or in that KernelBench file, with `sizes` in place of its integers.

    Raises TaskError where there is none; the text lists near names.
    """
    name = str(name_or_path).replace("-", "_")
    path = FOLDER / f"{name}.py"
    if not (name.isidentifier() and name != "__init__" and path.exists()):
        path, name = Path(str(name_or_path)), Path(str(name_or_path)).stem
        if path.suffix != ".py":
            near = difflib.get_close_matches(str(name_or_path).replace("-", "_"), task_names(), n=3, cutoff=0.4)
            raise TaskError(
                f"There is no task {str(name_or_path)!r}; did you mean {' or '.join(near or task_names())}?"
            )
    try:
        source = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise TaskError(f"The task file {path} cannot be read: {reason}.") from error
    return Task(name, source, str(path), sizes)


def task_names() -> list[str]:
    """The names of the course's tasks, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def other_seed(seed: int, use: str) -> int:
    """A seed for `use` ("weights", say) that tells nothing of `seed`: a script knows some of these."""
    return int.from_bytes(hashlib.sha256(f"{use} {seed}".encode()).digest()[:4])


def altering(inputs: Sequence[Any], seed: int, times: int) -> Iterator[None]:
    """Change one element of each floating tensor of `inputs`, `times` times over: before each yield once.

    The same ones for the same seed: so a result that was kept from an earlier call is not right for the next.
    """
    draw = random.Random(seed)
    floating = [x for x in inputs if isinstance(x, torch.Tensor) and x.is_floating_point() and x.numel()]
    for _ in range(times):
        for x in floating:
            x[tuple(map(draw.randrange, x.shape))] = draw.randint(1, 7)
        yield


def free_memory(device: str | torch.device) -> int:
    """Bytes that can still be allocated on `device`."""
    if torch.device(device).type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def _tree(source: str, path: str) -> ast.Module:
    """`source`, with each `from course.tasks.NAME import *` replaced by that task's own statements."""
    tree = ast.parse(source, path)
    body = []
    for statement in tree.body:
        match statement:
            case ast.ImportFrom(module=str(module), names=[ast.alias("*")]) if module.startswith("course.tasks."):
                included = FOLDER / f"{module.removeprefix('course.tasks.')}.py"
                body += _tree(included.read_text(encoding="utf-8"), str(included)).body
            case _:
                body.append(statement)
    tree.body = [statement for statement in body if not _is_future(statement)]
    return tree


def _is_future(statement: ast.stmt) -> bool:
    # An included file's `from __future__` would stand too late; tasks need none.
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


@functools.lru_cache(maxsize=256)
def _compiled(source: str, path: str) -> tuple[types.CodeType, tuple[str, ...]]:
    """`source` as code that takes its sizes from SIZES_GIVEN, and the names it assigns at module level.

    A task is judged at dozens of sizes, and compiling it costs more than a small case.
    """
    with _parsing:
        tree, names = _tree(source, path), []
        tree.body = [each for statement in tree.body for each in _one_name_each(statement)]
        for statement in tree.body:
            if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
                continue
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                if isinstance(target, ast.Name):
                    names.append(target.id)
                    key = repr(target.id)
                    given, is_given = (
                        ast.parse(text, mode="eval").body
                        for text in (f"{SIZES_GIVEN}[{key}]", f"{key} in {SIZES_GIVEN}")
                    )
                    statement.value = ast.IfExp(is_given, given, statement.value)
        return compile(ast.fix_missing_locations(tree), path, "exec"), tuple(names)


def _one_name_each(statement: ast.stmt) -> list[ast.stmt]:
    """`a = b = 3` and `a, b = 3, 4` as statements of one name each, so that each size can be set by itself."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            pairs = list(zip(targets, values, strict=False)) if len(targets) == len(values) else []
        case ast.Assign(targets=targets, value=value):
            pairs = [(target, value) for target in targets]
        case _:
            pairs = []
    if not all(isinstance(target, ast.Name) and isinstance(value, ast.Constant) for target, value in pairs):
        pairs = []
    return [ast.copy_location(ast.Assign([target], value), statement) for target, value in pairs] or [statement]


_torch_state = threading.RLock()  # PyTorch's random state and default dtype are one for all threads
_parsing = threading.Lock()  # CPython 3.11 counts the depth of the trees of all threads in one number


@contextlib.contextmanager
def _seeded(seed: int, device: str | torch.device) -> Iterator[None]:
    """Random numbers from `seed`, tensors on `device`; afterwards both as before."""
    device = torch.device(device)
    devices = [torch.cuda.current_device()] if device.type == "cuda" else []
    with _torch_state, torch.random.fork_rng(devices=devices), device, _CudaMeans(device):
        # torch.manual_seed notes down, with a stack trace, what is to be done once for each device that is not there.
        torch.default_generator.manual_seed(seed)
        if devices:
            torch.cuda.manual_seed(seed)
        yield


@contextlib.contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    with _torch_state:
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


def _shape_values(x: torch.Tensor, case: Case) -> torch.Tensor:
    """`x` with the dtype, the values and the layout of `case`."""
    if case.dtype and x.is_floating_point():
        x = x.to(getattr(torch, case.dtype))
    if case.values == "special" and x.is_floating_point() and x.numel():
        x = _sprinkled(x)
    if case.layout.startswith("offset"):
        start = int(case.layout.partition(":")[2] or 1)
        return torch.empty(x.numel() + start, dtype=x.dtype)[start:].view(x.shape).copy_(x)
    if case.layout == "pitched" and x.ndim >= 2:
        return torch.cat([x, x], -1)[..., : x.shape[-1]]
    if case.layout == "transposed" and x.ndim >= 2:
        return x.mT.contiguous().mT
    if case.layout == "transposed" and x.ndim == 1:  # one dimension cannot be transposed: every other element
        return torch.stack([x, x], -1)[:, 0]
    return x


def _sprinkled(x: torch.Tensor) -> torch.Tensor:
    """`x` with NaN, both infinities and -0.0 in an eighth of its places, at least four of them."""
    x = x.contiguous().clone()
    places = torch.randperm(x.numel())[: max(4, x.numel() // 8)]
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0], dtype=x.dtype)
    x.view(-1)[places] = special.repeat(len(places) // 4 + 1)[: len(places)]
    return x


def _changed(inputs: list[Any], change: str) -> list[Any]:
    """`inputs`, one of them made wrong as `change` says. On the CPU `host` changes nothing that PyTorch could tell."""
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


class _CudaMeans(TorchFunctionMode):
    """Makes `.cuda()` and `device="cuda"` in a task file mean `device`, whichever the inputs shall lie on."""

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self.device = device

    def __torch_function__(self, func: Any, types: Any, args: Sequence = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.Tensor.cuda:
            func, args, kwargs = torch.Tensor.to, (args[0], self.device), {}
        elif any(map(_names_cuda, (*args, *kwargs.values()))):
            args = [self.device if _names_cuda(x) else x for x in args]
            kwargs = {name: self.device if _names_cuda(x) else x for name, x in kwargs.items()}
        else:
            return func(*args, **kwargs)
        with torch._C.DisableTorchFunction():  # a mode outside of this one must not see another device named
            return func(*args, **kwargs)


def _random_state(device: torch.device) -> bytes:
    """Where the random numbers of `device` stand; nowhere on the meta device, which draws none."""
    if device.type == "meta":
        return b""
    state = torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state()
    return state.numpy().tobytes()


def _names_cuda(x: Any) -> bool:
    return (isinstance(x, str) and x.partition(":")[0] == "cuda") or (isinstance(x, torch.device) and x.type == "cuda")


class _Allocations(TorchDispatchMode):
    """Counts the bytes of the tensors that are made while it is on."""

    bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not func.is_view:
            outputs = result if isinstance(result, tuple | list) else [result]
            self.bytes += sum(x.nbytes for x in outputs if isinstance(x, torch.Tensor))
        return result
