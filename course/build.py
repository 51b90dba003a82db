"""`load_inline`: builds a module from CUDA source with one of two toolchains."""

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.device import gpu
from course.errors import CourseError, ToolchainMissing
from course.explain.texts import Found, say
from course.progress import progress
from course.text.cuda import CudaText
from course.toolchains.base import HEADERS, Source, Toolchain
from course.toolchains.cache import cached
from course.toolchains.compiler import unbound
from course.toolchains.emulator.toolchain import Emulator
from course.toolchains.nvcc import Nvcc

TOOLCHAINS: dict[str, Toolchain] = {each.name: each for each in (Nvcc(), Emulator())}
_TRACED = Emulator(traced=True)  # only the judge and `trace` use it; learners cannot choose it


class Function:
    """A function of a built module: call it with tensors.

    `source` is the CUDA text of the function's module, `built_from` everything that determines the build, and `module`
    the module's name.
    """

    def __init__(self, name: str, call: Callable[..., Any], built_from: Source, toolchain: str, module: str = ""):
        self.name, self.module, self.toolchain = name, module, toolchain
        self.source, self.built_from = built_from.cuda, built_from
        self.__name__, self.__doc__ = name, call.__doc__
        self._call = call

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if named:  # as with PyTorch's load_inline, whose bindings do not name the parameters
            why = Found("keyword_arguments", {"names": ", ".join(named)})
            raise TypeError(f"{self.name}(): {say(why)}")
        return self._call(*arguments)

    def __repr__(self) -> str:
        return f"<function {self.name}, built by {self.toolchain}>"


class Module:
    """A built module. Its attributes are the bound functions."""

    def __init__(self, name: str, functions: dict[str, Function], toolchain: str, source: str):
        self.__name__, self.toolchain, self._functions, self._source = name, toolchain, functions, source

    def __getattr__(self, name: str) -> Function:
        try:
            return self.__dict__["_functions"][name]
        except KeyError:
            there = ", ".join(self.__dict__.get("_functions", {})) or "none"
            why = unbound(self.__dict__.get("_source", ""), name) or f"its functions: {there}"
            raise AttributeError(f"this module has no function '{name}'; {why}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._functions]

    def __repr__(self) -> str:
        return f"<module {self.__name__} with {', '.join(self._functions)}, built by {self.toolchain}>"


@dataclass(frozen=True)
class UnbuiltFunction:
    """A function of a `%%cuda` cell that did not build. It cannot be called, but its verdict gives the build error."""

    module: str
    name: str
    source: str

    def __call__(self, *args: object) -> None:
        raise CourseError(f"{self.module} did not build: fix and run its %%cuda cell, then call {self.name} again.")


@dataclass(frozen=True)
class Unbuilt:
    """What `%%cuda NAME` binds when the cell does not build; each of its attributes is an UnbuiltFunction."""

    _module: str
    _source: str

    def __getattr__(self, name: str) -> UnbuiltFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return UnbuiltFunction(self._module, name, self._source)

    def __repr__(self) -> str:
        return f"{self._module} did not build: see the error under its %%cuda cell."


def default_toolchain() -> str:
    """The toolchain that fits `course.DEVICE`: `COURSE_TOOLCHAIN` if set, else `nvcc` with a GPU, else `emulator`."""
    return os.environ.get("COURSE_TOOLCHAIN") or ("nvcc" if gpu() else "emulator")


def usable_toolchain(name: str | None = None) -> Toolchain:
    """The toolchain `name`, or the default one, if it works on this machine. Raises ToolchainMissing if not."""
    toolchain = known_toolchain(name)
    missing = toolchain.missing()
    if missing:
        raise ToolchainMissing(f"The toolchain {toolchain.name!r} cannot work here: {missing}")
    return toolchain


def known_toolchain(name: str | None = None) -> Toolchain:
    """The toolchain `name`, or the default one, whether or not it works here. Raises ToolchainMissing if unknown."""
    name = name or default_toolchain()
    known = {**TOOLCHAINS, _TRACED.name: _TRACED}
    if name not in known:
        raise ToolchainMissing(f"There is no toolchain {name!r}: choose one of {', '.join(TOOLCHAINS)}.")
    return known[name]


class Builder:
    """Builds and loads sources for `load_inline` in the same process. A worker's builder asks the referee instead."""

    def toolchain(self, name: str | None) -> Toolchain:
        """The toolchain called `name`, or the default one for None. Raises ToolchainMissing."""
        return usable_toolchain(name)

    def build(self, toolchain: Toolchain, source: Source) -> Path:
        """The folder with the build of `source` by `toolchain`, from the cache or new. Raises BuildError."""
        return cached(toolchain.name, _key(toolchain, source), lambda work: toolchain.build(source, work))

    def load(self, toolchain: Toolchain, source: Source, folder: Path) -> dict[str, Callable]:
        """The functions of the build in `folder`, which `build` has returned. Raises BuildError."""
        return toolchain.load(source, folder)


_builder = Builder()


@contextlib.contextmanager
def use_builder(builder: Builder) -> Iterator[None]:
    """A context in which everything in this process is built and loaded with `builder`. A worker has its own."""
    global _builder
    before, _builder = _builder, builder
    try:
        yield
    finally:
        _builder = before


def load_inline(
    name: str,
    cpp_sources: str | list[str] | None = None,
    cuda_sources: str | list[str] | None = None,
    sycl_sources: None = None,
    functions: str | list[str] | dict[str, str] | None = None,
    extra_cflags: list[str] | None = None,
    extra_cuda_cflags: list[str] | None = None,
    extra_sycl_cflags: None = None,
    extra_ldflags: list[str] | None = None,
    extra_include_paths: list[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: bool | None = None,
    is_python_module: bool = True,
    with_pytorch_error_handling: bool = True,
    keep_intermediates: bool = True,
    use_pch: bool = False,
    no_implicit_headers: bool = False,
    *,
    toolchain: str | None = None,
) -> Module:
    """Build CUDA and C++ source and return the module.

    The arguments are those of `torch.utils.cpp_extension.load_inline`, with two differences: `cpp_sources` may be left
    out, and `toolchain` chooses the toolchain. Builds are cached by their source and options.

    Parameters
    ----------
    name : str
        The name of the module. The same source under another name is not built again.
    cpp_sources : str or list of str, optional
        C++ source. If None, the prototypes of `functions` are derived from `cuda_sources`. As in PyTorch, `""` means no
        C++ source.
    cuda_sources : str or list of str, optional
        CUDA source. The texts of a list are joined.
    functions : str, list of str or dict of str to str, optional
        The functions to bind. A dict maps their names to their docstrings.
    extra_cflags, extra_cuda_cflags, extra_ldflags : list of str, optional
        Flags for the C++ compiler, for nvcc and for the linker.
    extra_include_paths : list of str, optional
        Folders to find headers in.
    verbose : bool, default False
        Print the compiler's output.
    is_python_module : bool, default True
        Must be True.
    no_implicit_headers : bool, default False
        Must be False.
    sycl_sources, extra_sycl_cflags, with_sycl
        Must be left out, because the course builds only CUDA.
    build_directory, keep_intermediates, use_pch, with_cuda, with_pytorch_error_handling
        These have no effect: builds are in the course's cache, every source is CUDA, and C++ exceptions become Python's
        by PyTorch's rules.
    toolchain : {"nvcc", "emulator"}, optional
        The toolchain that builds the module; by default `default_toolchain()`.

    Returns
    -------
    Module
        The built module. Its attributes are the bound functions.

    Raises
    ------
    BuildError
        If the source does not build, or the module does not import.
    ToolchainMissing
        If the toolchain is unknown or does not work on this machine.
    CourseError
        If an argument asks for something that the course does not support, or if there is no source.
    ValueError
        If `functions` is neither a list nor a dict, as in PyTorch.
    """
    chosen = _builder.toolchain(toolchain)
    if not is_python_module:
        raise CourseError("The course's load_inline always returns a Python module: leave is_python_module out.")
    if sycl_sources or extra_sycl_cflags or with_sycl:
        raise CourseError("The course's load_inline builds CUDA, not SYCL: leave sycl_sources and its flags out.")
    if no_implicit_headers:
        raise CourseError("The course's load_inline always includes its headers: leave no_implicit_headers out.")
    cuda = _joined(cuda_sources)
    if not cuda.strip() and not _joined(cpp_sources).strip():
        raise CourseError("load_inline needs a source: cuda_sources is empty.")
    source = Source(
        cuda=cuda,
        cpp=None if cpp_sources is None else _joined(cpp_sources),
        functions=_names_and_docs(functions),
        cflags=_flags(extra_cflags),
        cuda_cflags=_flags(extra_cuda_cflags),
        ldflags=_flags(extra_ldflags),
        include_paths=tuple(map(os.path.abspath, _flags(extra_include_paths))),  # as in PyTorch
    )
    with progress(f"{chosen.name} builds {name}"):
        folder = _builder.build(chosen, source)
        calls = _builder.load(chosen, source, folder)
    if verbose:
        log = folder / "build.log"
        print(log.read_text() if log.exists() else f"Loading {name} from the build cache.")
    built = {each: Function(each, call, source, chosen.name, name) for each, call in calls.items()}
    if registered := {each: built.pop(each) for each in calls if "::" in each}:
        from course.toolchains import operators  # imports PyTorch, which a builder does not need

        operators.register(registered, chosen.name != "nvcc")
    return Module(name, built, chosen.name, cuda)


def include_path() -> str:
    """The folder of the course's own headers, for PyTorch's `load_inline`. The course's `load_inline` does not need it.

    With `extra_include_paths=[course.include_path()]`, a source can `#include <course/checks.h>`.
    """
    return str(HEADERS)


def load_traced(function: Function) -> Callable[..., Any]:
    """Build a function again, for the emulator and with every access to memory traced. Raises BuildError."""
    return _TRACED.load(function.built_from, _builder.build(_TRACED, function.built_from))[function.name]


def _key(toolchain: Toolchain, source: Source) -> str:
    # The module's name is not part of the key, so that a cell that was built is not built again to be judged.
    return f"{source!r} {toolchain.version()}"


def bindable_functions(cuda_source: str) -> list[str]:
    """The host functions of a CUDA source that a cell magic binds: those with a Tensor in their signature.

    A function with a pointer or a stream in its signature, for example, is not bound: Python could not pass either.
    """
    return [
        function.name
        for function in CudaText.of(cuda_source).functions
        if not function.unbound and re.search(r"\bTensor\b", function.prototype)
    ]


def cell_source(cuda: str, cuda_cflags: Sequence[str] = ()) -> Source:
    """The source that `%%cuda` builds from a cell, with all its functions, so that judging need not build it again."""
    return Source(cuda, functions=_names_and_docs(bindable_functions(cuda)), cuda_cflags=tuple(cuda_cflags))


def _joined(sources: str | list[str] | None) -> str:
    if sources is None:
        return ""
    return sources if isinstance(sources, str) else "\n".join(sources)


def _names_and_docs(functions: str | list[str] | dict[str, str] | None) -> tuple[tuple[str, str], ...] | None:
    if functions is None:
        return None
    if isinstance(functions, str):
        functions = [functions]
    if isinstance(functions, (list, tuple)):
        functions = {each: each for each in functions}
    if not isinstance(functions, dict):
        raise ValueError(f"Expected 'functions' to be a list or dict, but was {type(functions)}")
    return tuple(functions.items())


def _flags(flags: list[str] | None) -> tuple[str, ...]:
    return tuple(flag for flag in flags or () if flag)
