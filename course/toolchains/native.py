"""Loads a library built against the shim headers and calls its functions; shared by `nvcc` and `emulator`.

A module is a plain shared library with a few C functions (at the end of `shim/src/binding.cpp`). Tensors are
passed as PyTorch's own handles, so nothing is copied and a returned argument is the same Python object.
"""

import ctypes
import functools
import itertools
import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import torch

from course.errors import BuildError, Hazard, KernelError
from course.explain.hazards import refused_call
from course.explain.texts import Found, say

NONE, BOOL, INTEGER, FLOATING, TENSOR, STRING, LIST, TUPLE = range(8)
# The Python exceptions for the status codes of `guarded` (binding.cpp); code 6 is the emulator's (emulator/calls.py).
EXCEPTIONS = {
    1: RuntimeError, 2: IndexError, 3: ValueError, 4: TypeError, 5: NotImplementedError, 6: RuntimeError,
    7: RuntimeError,
}  # fmt: skip
REFUSED_CALL = 7
# PyTorch's numbers for element types (c10/core/ScalarType.h).
DTYPES = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
    torch.float64: 7, torch.bool: 11, torch.bfloat16: 15,
}  # fmt: skip


class Number(ctypes.Union):
    _fields_: ClassVar = [("integer", ctypes.c_int64), ("floating", ctypes.c_double), ("pointer", ctypes.c_void_p)]


class Value(ctypes.Structure):
    """`CourseValue` of binding.h."""

    _anonymous_ = ("number",)
    _fields_ = [("kind", ctypes.c_int32), ("on_host", ctypes.c_int32), ("number", Number), ("length", ctypes.c_int64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


_ON_HOST = "_course_on_host"  # an attribute of storages


def on_host(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of `tensor` on the CPU. Under the emulator, a wrapper sees a CPU tensor and not a CUDA tensor."""
    return mark_on_host(tensor.cpu() if tensor.is_cuda else tensor.clone())


def mark_on_host(tensor: torch.Tensor) -> torch.Tensor:
    """`tensor`, whose storage now counts as memory of the host under the emulator."""
    setattr(tensor.untyped_storage(), _ON_HOST, True)
    return tensor


def is_on_host(tensor: torch.Tensor) -> bool:
    """Whether the storage of this tensor is marked as memory of the host."""
    return tensor.layout == torch.strided and getattr(tensor.untyped_storage(), _ON_HOST, False)


@functools.cache
def torch_library() -> ctypes.CDLL:
    """PyTorch's C interface, whose symbols become visible to libraries that are loaded later."""
    folder = Path(torch.__file__).parent / "lib"
    if torch.version.cuda:
        ctypes.CDLL(str(folder / "libtorch_cuda.so"), mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(folder / "libtorch_cpu.so"), mode=ctypes.RTLD_GLOBAL)
    library.aoti_torch_delete_tensor_object.argtypes = [ctypes.c_void_p]
    return library


def release(handle: int) -> None:
    """Ends a handle."""
    torch_library().aoti_torch_delete_tensor_object(handle)


class Library:
    """A loaded module."""

    def __init__(self, path: Path, mode: int = ctypes.RTLD_LOCAL):
        torch_library()
        try:
            self.library = ctypes.CDLL(str(path), mode=mode)
        except OSError as error:
            raise BuildError(_import_error(str(error), path)) from None
        if not hasattr(self.library, "PyInit_module"):
            raise BuildError(
                "the module was built but does not import: dynamic module does not define module export function:"
                " list the functions to bind in functions=, or bind them with PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)"
            )
        self.library.course_warning.restype = ctypes.c_char_p
        self.library.course_function_count.restype = ctypes.c_int64
        self.library.course_invoke.argtypes = [
            ctypes.c_int64, ctypes.POINTER(Value), ctypes.c_bool, ctypes.POINTER(ctypes.c_void_p),
            ctypes.POINTER(Value), ctypes.POINTER(ctypes.c_char_p),
        ]  # fmt: skip
        if hasattr(self.library, "course_launch_error"):
            self.library.course_launch_error.restype = ctypes.c_char_p
        self.library.course_free.argtypes = [ctypes.c_void_p]

    def functions(self, function_class: Callable[..., Callable]) -> dict[str, Callable]:
        """The bound functions by name, as objects of `function_class`."""
        found: dict[str, Callable] = {}
        for index in range(self.library.course_function_count()):
            name, doc, arguments = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_char_p()
            self.library.course_function(
                ctypes.c_int64(index), ctypes.byref(name), ctypes.byref(doc), ctypes.byref(arguments)
            )
            called, text, takes = (each.value.decode() for each in (name, doc, arguments) if each.value is not None)
            found[called] = function_class(self.library, index, called, text, takes.split())
        return found


class NativeFunction:
    """A bound function; the toolchains' classes derived from it have the call."""

    def __init__(self, library: ctypes.CDLL, index: int, name: str, doc: str, arguments: list[str]):
        self.library, self.index, self.name, self.arguments = library, index, name, arguments
        self.__name__, self.__doc__ = name, doc


class Call:
    """One call of a function: its packed arguments and its results."""

    def __init__(self, function: NativeFunction, arguments: Sequence[Any]):
        self.function = function
        self.packing = Packing(function.name, function.arguments, arguments)
        self.result, self.value, self.error, self.status = ctypes.c_void_p(), Value(), ctypes.c_char_p(), 0

    def invoke(self) -> None:
        """Calls the C++ function; its exceptions become `status` and `error`."""
        # If PyTorch fills new tensors, the shim fills them with bytes of 0xFF too (see course/device.h). The stubs of
        # PyTorch do not have this module.
        fills = torch.utils.deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
        self.status = self.function.library.course_invoke(
            self.function.index,
            self.packing.values,
            fills and torch.are_deterministic_algorithms_enabled(),
            ctypes.byref(self.result),
            ctypes.byref(self.value),
            ctypes.byref(self.error),
        )

    def message(self) -> str:
        """The text of the C++ exception, empty if there was none."""
        text = (self.error.value or b"").decode(errors="replace")
        return say(Found("refused_call", refused_call(text))) if self.status == REFUSED_CALL else text

    def returned(self) -> Any:
        """The results as Python objects, after the call's warnings are issued. Raises what the C++ function threw."""
        given = (self.function.library.course_warning(self.result, ctypes.c_int64(n)) for n in itertools.count())
        for text in itertools.takewhile(lambda text: text is not None, given):
            warnings.warn(text.decode(errors="replace"), stacklevel=4)
        if self.status:
            raise EXCEPTIONS[self.status](self.message())
        value, self.value = self.value, Value()  # unpacking invalidates its handles
        return unpack(value)

    def free(self) -> None:
        for tensor in tensors_in(self.value):  # results that were not unpacked, since the call failed
            release(tensor.pointer)
        if self.result:
            self.function.library.course_free(self.result)
        self.packing.release()


class DeviceFunction(NativeFunction):
    """A bound function on a real GPU. A launch that CUDA refused is a KernelError even if the wrapper did not check."""

    def __call__(self, *values: Any) -> Any:
        call = Call(self, values)
        try:
            call.invoke()
            launch_error = self.library.course_launch_error()
            if launch_error:
                text = f"the launch was refused: {launch_error.decode()}"
                raise KernelError(text, (Hazard("bad-launch", text),))
            return call.returned()
        finally:
            call.free()


class Unpassable(TypeError):
    """A value that cannot be passed, for a reason that its type does not show, such as a sparse tensor."""


class Packing:
    """Python arguments as C values, checked against the texts of the C++ types (see binding.h).

    It accepts and refuses the same arguments as pybind11: None for a bool is accepted, and None for a tensor is not.
    """

    def __init__(self, name: str, texts: Sequence[str], arguments: Sequence[Any]):
        self.keep: list[Any] = []
        self.handles: list[Value] = []
        self.values = (Value * max(len(texts), 1))()
        try:
            if len(arguments) != len(texts):
                raise TypeError
            for value, text, argument in zip(self.values, texts, arguments, strict=False):
                self._pack(value, text, argument)
        except Unpassable as error:
            self.release()
            raise TypeError(f"{name}(): {error}") from None
        except (TypeError, ValueError, OverflowError, RuntimeError):  # the exceptions of an argument's own conversion
            self.release()
            given = ", ".join(type(argument).__name__ for argument in arguments)
            expected = ", ".join(_type_name(text) for text in texts)
            raise TypeError(
                f"{name}(): incompatible function arguments: it takes ({expected}), but was called with ({given})"
            ) from None

    def release(self) -> None:
        for value in self.handles:
            release(value.pointer)
        self.handles = []

    def _pack(self, value: Value, text: str, argument: Any) -> None:
        kind = text[0]
        if kind == "?":
            if argument is None:
                value.kind = NONE
                return
            self._pack(value, text[1:], argument)
        elif kind in "[(":
            if not isinstance(argument, Sequence) or isinstance(argument, (str, bytes)):
                raise TypeError
            texts = [text[1:]] * len(argument) if kind == "[" else of_elements(text)
            elements = (Value * max(len(argument), 1))()
            self.keep.append(elements)
            for element, (each, item) in zip(elements, zip(texts, argument, strict=True), strict=False):
                self._pack(element, each, item)
            value.kind, value.length, value.pointer = LIST, len(argument), ctypes.addressof(elements)
        elif kind == "T":
            self._pack_tensor(value, argument)
        elif kind == "S" and type(argument) in (bool, int, float):
            self._pack(value, {bool: "b", int: "i8", float: "d"}[type(argument)], argument)
        elif kind == "D" and argument in DTYPES:
            value.kind, value.integer = INTEGER, DTYPES[argument]
        elif kind == "b" and (argument is None or hasattr(type(argument), "__bool__")):
            value.kind, value.integer = BOOL, int(bool(argument))
        elif kind == "s" and isinstance(argument, (str, bytes)):
            encoded = argument.encode() if isinstance(argument, str) else argument
            self.keep.append(encoded)
            value.kind, value.length = STRING, len(encoded)
            value.pointer = ctypes.cast(ctypes.c_char_p(encoded), ctypes.c_void_p).value
        elif kind in "iu" and hasattr(argument, "__int__") and not isinstance(argument, float):
            number = int(argument)
            if not _fits(number, text):
                type_ = f"{'u' * (kind == 'u')}int{8 * int(text[1:])}_t"
                raise Unpassable(say(Found("does_not_fit", {"number": number, "type": type_})))
            value.kind, value.integer = INTEGER, number if number < 2**63 else number - 2**64
        elif kind == "d" and hasattr(argument, "__float__"):
            value.kind, value.floating = FLOATING, float(argument)
        else:
            raise TypeError

    def _pack_tensor(self, value: Value, argument: Any) -> None:
        if not isinstance(argument, torch.Tensor):
            raise TypeError
        if argument.layout is not torch.strided or argument.is_nested or argument.is_meta:
            kind = "nested" if argument.is_nested else "meta" if argument.is_meta else "sparse"
            raise Unpassable(
                f"a {kind} tensor has no single block of memory that a kernel could use: pass an ordinary tensor"
            )
        handle = _capsule_pointer(torch._C._aoti.unsafe_alloc_void_ptr_from_tensor(argument), None)
        value.kind, value.on_host, value.pointer = TENSOR, is_on_host(argument), handle
        self.handles.append(value)


def unpack(value: Value) -> Any:
    """The Python value of a C value; a tensor's handle is invalid afterwards."""
    if value.kind == BOOL:
        return bool(value.integer)
    if value.kind == INTEGER:
        return value.integer
    if value.kind == FLOATING:
        return value.floating
    if value.kind == STRING:
        return ctypes.string_at(value.pointer, value.length).decode(errors="replace")
    if value.kind == TENSOR:
        # The function with a plural name, because the one with a singular name copies the tensor and keeps the handle.
        handle = _capsule_new(value.pointer, None, None)
        tensor = torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs([handle])[0]
        if value.on_host and tensor.untyped_storage().device.type == "cpu":  # a worker changes what tensors say of it
            mark_on_host(tensor)
        return tensor
    if value.kind in (LIST, TUPLE):
        elements = ctypes.cast(value.pointer, ctypes.POINTER(Value * value.length)).contents if value.length else ()
        unpacked = [unpack(element) for element in elements]
        return unpacked if value.kind == LIST else tuple(unpacked)
    return None


def tensors_in(value: Value) -> list[Value]:
    """The tensors of a C value, in order."""
    if value.kind == TENSOR:
        return [value]
    if value.kind in (LIST, TUPLE) and value.length:
        elements = ctypes.cast(value.pointer, ctypes.POINTER(Value * value.length)).contents
        return [tensor for element in elements for tensor in tensors_in(element)]
    return []


def _fits(number: int, text: str) -> bool:
    bits = 8 * int(text[1:])
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if text[0] == "i" else (0, 2**bits)
    return low <= number < high


def of_elements(text: str) -> list[str]:
    """The texts of a tuple's elements, such as `i8` and `?T` for `(i8?T)`."""
    return re.findall(r"[?\[]*[A-Za-z]\d*", text)


def _type_name(text: str) -> str:
    names = {"T": "Tensor", "b": "bool", "i": "int", "u": "int", "d": "float", "s": "str", "D": "dtype",
             "S": "number"}  # fmt: skip
    if text[0] == "?":
        return f"{_type_name(text[1:])} or None"
    if text[0] == "[":
        return f"list of {_type_name(text[1:])}"
    if text[0] == "(":
        return f"tuple of ({', '.join(map(_type_name, of_elements(text)))})"
    return names[text[0]]


def _import_error(text: str, path: Path) -> str:
    text = text.replace(f"{path}: ", "")
    if "undefined symbol" in text:
        symbol = demangled(text.rpartition("undefined symbol: ")[2].split()[0])
        return (
            f"the module was built but does not import: undefined symbol: {symbol}. It is declared but never defined"
            ' with this signature and linkage (a misspelt name, other parameter types, or extern "C" on one side only)'
        )
    return f"the module was built but does not import: {text}"


def demangled(symbol: str) -> str:
    """A C++ symbol as it is written in the source, if the C++ library can translate it."""
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except OSError:
        return symbol
    demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    pointer = demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not pointer:
        return symbol
    name = ctypes.string_at(pointer).decode()
    ctypes.CDLL(None).free(ctypes.c_void_p(pointer))
    return name
