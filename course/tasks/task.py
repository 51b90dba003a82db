"""A task at one set of sizes: its inputs, its reference, and its costs in bytes and operations."""

import ast
import contextlib
import functools
import hashlib
import inspect
import random
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from course.device import free_memory
from course.errors import CourseError
from course.tasks.case import Case, TaskError

SIZES_GIVEN = "__sizes_given__"  # name in a task's module: the integers that replace those of the task's text
VARIANT = "__variant__"  # name in a task's text: the chosen entry of its VARIANTS

TORCH_STATE = threading.RLock()  # all threads share PyTorch's random state and default dtype


class Task:
    """A task at one set of sizes. `load_task` makes a task from a name or a path.

    Each task runs the text of its file in a new `module`. Another process can make the same task from the parameters.
    If the text sets `__variant__`, the entry of that name in its `VARIANTS` replaces the module's definitions of the
    same names. `sizes` replaces integers that the text assigns at module level, and the text computes other values from
    them. `integers` has all sizes with their values. Raises TaskError if the text does not run or lacks a part, or if
    `sizes` has a name that is not a size of the task.
    """

    def __init__(self, name: str, source: str, path: str, sizes: Mapping[str, int] | None = None):
        self.name, self.source, self.path, self.sizes = name, source, path, dict(sizes or {})
        self.module = types.ModuleType("model", f"The task {name}.")
        self.module.__file__ = path
        try:
            code, names = _compiled(source, path)
        except SyntaxError as error:
            raise TaskError(f"The task file {path} is not valid Python: {error}.") from error
        defined = vars(self.module)
        defined[SIZES_GIVEN] = self.sizes
        try:
            exec(code, defined)
        except (Exception, SystemExit) as error:
            raise TaskError(f"The task file {path} does not run: {type(error).__name__}: {error}.") from error
        if VARIANT in defined:
            differs = defined["VARIANTS"][defined[VARIANT]]
            defined |= {name: value for name, value in differs.items() if name not in self.sizes}
        self.integers = {name: defined[name] for name in names if type(defined[name]) is int}
        for part in ("Model", "get_inputs"):
            if not callable(defined.get(part)):
                raise TaskError(f"{path} is not a task: it does not define {part}.")
        cases = defined.get("CASES", [Case()])
        if not (isinstance(cases, Sequence) and cases and all(isinstance(case, Case) for case in cases)):
            raise TaskError(f"The task file {path} must list at least one Case in CASES.")
        unknown = [name for name in self.sizes if name not in self.integers]
        if unknown:
            raise TaskError(f"The task {name} has no size {unknown[0]!r}; its sizes are {self._names()}.")

    def _names(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.integers.items()) or "none"

    def sized(self, sizes: Mapping[str, int]) -> "Task":
        """The same task with the values of `sizes` for its integers of the same names."""
        return Task(self.name, self.source, self.path, {**self.sizes, **sizes}) if sizes else self

    @property
    def foreign(self) -> bool:
        """Whether the file is a plain KernelBench task, which has no `CASES`."""
        return not hasattr(self.module, "CASES")

    @property
    def asks_for_a_value(self) -> bool:
        """Whether the answer is a prediction: `Model` takes nothing."""
        return len(inspect.signature(self.module.Model.forward).parameters) == 1

    @property
    def cases(self) -> tuple[Case, ...]:
        """The visible cases. A KernelBench file has two draws of its inputs, so an answer cannot keep its result."""
        return (Case(), Case()) if self.foreign else tuple(self.module.CASES)

    @property
    def named_sizes(self) -> tuple[tuple[str, dict[str, int]], ...]:
        """The entries of `SIZES`, largest first: `(("full", {...}), ...)`. A KernelBench file has only "full"."""
        sizes = getattr(self.module, "SIZES", {"full": {}})
        return tuple((name, sizes[name]) for name in ("full", "medium", "small", "tiny") if name in sizes)

    @property
    def sum_length(self) -> int | None:
        """The number of terms that one element of the output is the sum of; None if the task does not state it."""
        return int(self.module.sum_length()) if hasattr(self.module, "sum_length") else None

    def inputs(self, case: Case, seed: int, device: str | torch.device) -> list[Any]:
        """The arguments of the answer, in the order of `Model.forward`'s parameters, made on `device`.

        The same arguments give the same inputs in every process. PyTorch's random state does not change. Raises
        TaskError if the file's `get_inputs` fails, or the case changes an input that the task does not have.
        """
        task = self.sized(case.sizes)
        with seeded(seed, device):
            inputs = task._list("get_inputs")
            # A KernelBench file may make tensors from NumPy arrays, on the CPU.
            return case.apply([x.to(device) if isinstance(x, torch.Tensor) else x for x in inputs])

    def init_inputs(self, seed: int, device: str | torch.device) -> list[Any]:
        """The arguments with which `Model` and `ModelNew` are constructed, made on `device` from `seed`."""
        with seeded(seed, device):
            return self._list("get_init_inputs") if hasattr(self.module, "get_init_inputs") else []

    def _list(self, part: str) -> list[Any]:
        """The result of the file's function `part`, as a list."""
        try:
            return list(getattr(self.module, part)())
        except (Exception, SystemExit) as error:
            reason = str(error).partition("\n")[0]
            text = f"{part}() of the task {self.name} fails with {self._names()}: {type(error).__name__}: {reason}."
            raise TaskError(text) from error

    def model(self, kind: type, seed: int, device: str | torch.device) -> Any:
        """An instance of `kind` (`Model` or a `ModelNew`) on `device`, with random weights drawn from `seed`."""
        arguments = self.init_inputs(seed, device)
        with seeded(seed, device):
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
        """The expected result for `inputs`, from the file's `reference` if it has one, else from `Model`.

        A file has a `reference` if its formula treats NaN and infinity better than `Model` does. If `widen` and an
        input is floating-point, the result is computed in float64, unless the device lacks the memory. A `Model` that
        works in place changes copies of the inputs. Its weights are drawn from a seed that is computed from `seed`, and
        `change_weight` replaces each floating-point weight. Raises CourseError if `Model` draws random numbers when it
        is called.
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
        # In float64, inputs and output have two or four times their size. Eight times also has room for other tensors.
        fits = 8 * size <= free_memory(device)
        if fits and widen and any(x.is_floating_point() for x in tensors):
            try:
                if isinstance(model, torch.nn.Module):
                    model.double()
                with default_dtype(torch.float64):
                    return self._call(model, [_copy(x, torch.float64) for x in inputs], device)
            except (RuntimeError, torch.OutOfMemoryError):  # a Model whose code names a dtype cannot run in float64
                model = made()
        return self._call(model, [_copy(x) for x in inputs] if fits else inputs, device)

    def _call(self, model: Any, inputs: Sequence[Any], device: torch.device) -> Any:
        with TORCH_STATE, torch.no_grad(), CudaMeans(device):
            before = random_state(device)
            result = model(*inputs)
            if before != random_state(device):
                raise CourseError(
                    f"Model of the task {self.name} draws random numbers when it is called, as dropout does, so no "
                    "answer can return the same values."
                )
            return result

    def weight_bytes(self) -> int:
        """Bytes of the parameters and buffers of `Model`; 0 if `Model` has no arguments that could set their sizes."""
        if not hasattr(self.module, "get_init_inputs") or not self._list("get_init_inputs"):
            return 0
        with contextlib.suppress(Exception):  # the meta device may lack an operation that Model needs
            model = self.model(self.module.Model, 0, "meta")
            return sum(x.nbytes for x in [*model.parameters(), *model.buffers()])
        return 0

    def footprint(self) -> tuple[int, int]:
        """Bytes of the inputs and of every tensor that `Model` makes, and the floating-point operations of `Model`.

        `Model` runs on PyTorch's meta device, which allocates nothing. If `get_inputs` cannot run on this device, the
        inputs are made on the CPU. If `Model` cannot run on it, the outputs are assumed to be as large as the inputs.
        This is also assumed for less than 1 MiB of inputs, since PyTorch needs a second to load the meta device.
        """
        try:
            with seeded(0, "meta"):
                inputs = self._list("get_inputs")
        except TaskError:
            inputs = self.inputs(Case(), 0, "cpu")
        size = sum(x.nbytes for x in inputs if isinstance(x, torch.Tensor))
        if size < 1 << 20:
            return 2 * size, 0
        allocated, operations = Allocations(), FlopCounterMode(display=False)
        try:
            model = self.model(self.module.Model, 0, "meta")
            with operations, allocated:
                self._call(model, inputs, torch.device("meta"))
        except Exception:
            return 2 * size, 0
        own = getattr(self.module, "operations", None)
        return size + allocated.bytes, int(own()) if own else operations.get_total_flops()


def _copy(value: Any, dtype: torch.dtype | None = None) -> Any:
    """`value`, copied if it is a tensor. If `dtype` is given, the copy of a floating-point tensor has this dtype."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.to(dtype if dtype and value.is_floating_point() else value.dtype, copy=True)


def other_seed(seed: int, use: str) -> int:
    """A seed for `use`, such as "weights". A script knows some of these seeds, but they do not reveal `seed`."""
    return int.from_bytes(hashlib.sha256(f"{use} {seed}".encode()).digest()[:4])


def altering(inputs: Sequence[Any], seed: int, times: int) -> Iterator[None]:
    """Change one element of each floating-point tensor of `inputs` before each of `times` yields.

    The same seed always changes the same elements. After a change, the result of an earlier call is wrong.
    """
    draw = random.Random(seed)
    floating = [x for x in inputs if isinstance(x, torch.Tensor) and x.is_floating_point() and x.numel()]
    for _ in range(times):
        for x in floating:
            x[tuple(map(draw.randrange, x.shape))] = draw.randint(1, 7)
        yield


@functools.lru_cache(maxsize=256)
def _compiled(source: str, path: str) -> tuple[types.CodeType, tuple[str, ...]]:
    """`source` as code that takes its sizes from SIZES_GIVEN, and the names that it assigns at module level.

    The result is cached: a task is judged at dozens of sizes, and compiling its text takes longer than a small case.
    """
    with _parsing:
        tree, names = ast.parse(source, path), []
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
    """`a = b = 3` or `a, b = 3, 4` as statements that assign one name each, so that each size can be set alone."""
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


_parsing = threading.Lock()  # CPython 3.11 has one counter for the depth of the syntax trees of all threads


@contextlib.contextmanager
def seeded(seed: int, device: str | torch.device) -> Iterator[None]:
    """In the block, draw random numbers from `seed` and make tensors on `device`. Restore both states afterwards."""
    device = torch.device(device)
    devices = [torch.cuda.current_device()] if device.type == "cuda" else []
    with TORCH_STATE, torch.random.fork_rng(devices=devices), device, CudaMeans(device):
        # Not torch.manual_seed: for each kind of device that is missing, that records a deferred call and its stack.
        torch.default_generator.manual_seed(seed)
        if devices:
            torch.cuda.manual_seed(seed)
        yield


@contextlib.contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    with TORCH_STATE:
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


class CudaMeans(TorchFunctionMode):
    """Makes `.cuda()` and `device="cuda"` in a task file mean `device`, the device of the inputs."""

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self.device = device

    def __torch_function__(self, func: Any, types: Any, args: Sequence = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if self.device.type == "cuda":
            return func(*args, **kwargs)
        if func is torch.Tensor.cuda:
            func, args, kwargs = torch.Tensor.to, (args[0], self.device), {}
        elif any(device_type(x) == "cuda" for x in (*args, *kwargs.values())):
            args, kwargs = [self._meant(x) for x in args], {name: self._meant(x) for name, x in kwargs.items()}
        else:
            return func(*args, **kwargs)
        with torch._C.DisableTorchFunction():  # an outer CudaMeans must not redirect the device again
            return func(*args, **kwargs)

    def _meant(self, x: Any) -> Any:
        return self.device if device_type(x) == "cuda" else x


def device_type(x: Any) -> str | None:
    """The type of the device that `x` names, such as "cuda". For other texts, the part before ":"; otherwise None."""
    if isinstance(x, torch.device):
        return x.type
    return x.partition(":")[0] if isinstance(x, str) else None


def random_state(device: torch.device) -> bytes:
    """The random state of `device`. It is empty for the meta device, which draws no random numbers."""
    if device.type == "meta":
        return b""
    state = torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state()
    return state.numpy().tobytes()


class Allocations(TorchDispatchMode):
    """While this mode is on, it counts the bytes of the tensors that are made."""

    bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not func.is_view:
            outputs = result if isinstance(result, tuple | list) else [result]
            self.bytes += sum(x.nbytes for x in outputs if isinstance(x, torch.Tensor))
        return result
