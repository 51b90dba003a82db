"""The translation units of a source that is built against the shim headers: the same for `nvcc` and `emulator`.

As in PyTorch, `cuda_sources` and `cpp_sources` are two translation units, so a prototype that is missing or has another
linkage fails as in PyTorch. A third unit is the shim's own and the same for all sources. The build cache keeps each
unit's object, so after an edit of a kernel only the CUDA unit is compiled again.
"""

import re
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from course import text
from course.errors import BuildError
from course.text.cuda import CudaText
from course.toolchains import compiler, depfiles
from course.toolchains.base import HEADERS, INCLUDE, Source, Unit
from course.toolchains.cache import READS, cached, content_hash
from course.toolchains.compiler import unbound, unreadable
from course.toolchains.guard import symbols as guard
from course.toolchains.pytorch import pytorch_version

# The standard of PyTorch's own builds.
STANDARD = "-std=c++20" if [int(part) for part in pytorch_version()[0].split(".")[:2]] >= [2, 12] else "-std=c++17"
INSTRUCTIONS = (
    "instructions"  # a file beside an object, with the instructions in its PTX that a judged answer may not use
)
SRC = Path(__file__).with_name("src")
# Parts of a module's key: the Python code that makes units from a source, links them, and refuses sources; and the C++
# code that is compiled with them.
MAKERS = (
    Path(__file__),
    Path(depfiles.__file__),
    *sorted(Path(text.__file__).parent.glob("*.py")),
    *sorted(Path(guard.__file__).parent.glob("*.py")),
)
COMPILED = (INCLUDE, HEADERS, SRC)
CUDA, CPP = compiler.MAIN_SOURCE, "cpp_sources"  # what compiler errors call the two units

# Headers that torch's headers include and the shim's do not: included only if the source uses their names.
_STANDARD_HEADERS = {
    r"std::(?:cout|cerr|endl)\b": "iostream",
    r"std::[io]?stringstream\b": "sstream",
    r"std::(?:setw|setprecision|fixed)\b": "iomanip",
    r"std::(?:m(?:in|ax)(?:_element)?|swap|sort|clamp|fill|copy|transform|reverse|find|a(?:ll|ny)_of)\b": "algorithm",
    r"std::(?:make_tuple|tie|apply)\b": "tuple",
    r"std::nullopt\b": "optional",
    r"c10::(?:\w*optional|nullopt)\b": "c10/util/Optional.h",
    r"std::(?:shared_ptr|unique_ptr|make_shared|make_unique)\b": "memory",
    r"std::numeric_limits\b": "limits",
    r"std::(?:accumulate|iota|inner_product)\b": "numeric",
    r"std::function\b": "functional",
}
_HEADERS_OF_CUDA = {r"\b(?:FLT|DBL)_[A-Z]": "cfloat"}  # included only under nvcc, by <thrust/complex.h>
_NAMED_AS_THEIR_CLASS = re.compile(
    r"std::(array|atomic|bitset|chrono|complex|deque|list|map|optional|queue|set|stack|string_view|tuple|unordered_map"
    r"|variant)\b"
)


@dataclass(frozen=True)
class Compilers:
    """What decides, in addition to its unit, what an object contains: versions, and the headers that they stand for.

    The compilers and what is installed with them find those headers in `folders`.
    """

    versions: str
    folders: tuple[Path, ...]


def own_unit(command: Sequence[str], *more: Path) -> Unit:
    """The unit with what the shim's headers declare, so that not every source compiles it.

    `more` has further sources that it includes, and folders in which the command finds headers of the course.
    """
    sources = [SRC / "shim.cpp", *(path for path in more if path.suffix == ".cpp")]
    text = "".join(f"#include <{path.name}>\n" for path in sources)
    command = (*command, *(f"-I{path.parent}" for path in sources))
    return Unit("shim.cpp", text, command, (*COMPILED, *more), "shim")


def cuda_text(source: Source, prelude: str) -> str:
    """The CUDA unit after `prelude`."""
    # A CUDA unit rarely binds anything itself, and the bindings' header takes a tenth of its compile time.
    unbound = "" if re.search("PYBIND11_MODULE|TORCH_LIBRARY", source.cuda) else "#define COURSE_WITHOUT_BINDINGS\n"
    implied = _implied_headers(source.cuda, _STANDARD_HEADERS | _HEADERS_OF_CUDA)
    return f'{prelude}{unbound}{implied}#line 1 "{CUDA}"\n{source.cuda}\n'


def cpp_text(source: Source) -> str:
    """The C++ unit, with the bindings after it.

    Raises BuildError if prototypes must be derived and a function is not defined.
    """
    cpp = source.cpp if source.cpp is not None else prototypes(source)
    lines = [f'#include "torch/extension.h"\n{_implied_headers(cpp, _STANDARD_HEADERS)}#line 1 "{CPP}"\n{cpp}']
    lines.append('#line 1 "bindings"')
    if source.functions is not None:
        lines.append("COURSE_DEFINE_MODULE(TORCH_EXTENSION_NAME)")
    for index, (function, doc) in enumerate(source.functions or ()):
        quoted = doc.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        definition = f'(::course::module().def("{function}", {function}, "{quoted}"), true)'
        lines.append(f"static const bool course_bound_{index} = {definition};")
    return "\n".join(lines) + "\n"


def prototypes(source: Source) -> str:
    """The declarations that `cpp_sources` needs, derived from the CUDA source's definitions.

    Raises BuildError for a function that cannot be bound, that the source does not define, or that an error hides.
    """
    defined = {f.name: f for f in CudaText.of(source.cuda).functions if not f.unbound}
    # Names that the declarations use.
    lines = re.findall(r"^using\s[^=;]{0,400};", CudaText.of(source.cuda).blank, re.MULTILINE)
    # Namespaces of CUDA's headers and of the source's own are unknown there.
    lines = [
        re.sub(r"^using\s+namespace\s+(?!std|torch|at\b|c10)(\w[\w:]*)", r"namespace \1 {} \g<0>", x) for x in lines
    ]
    for name, _ in source.functions or ():
        if name not in defined:
            if problem := unreadable(source.cuda):  # no function is found after it
                raise BuildError(problem)
            there = ", ".join(sorted(each for each in defined if not each.isupper())) or "no function at all"
            why = unbound(source.cuda, name) or f"the source defines no such function; it defines {there}."
            raise BuildError(f"functions= names '{name}', but {why}")
        lines.append(defined[name].prototype)
    return "\n".join(lines)


def build(
    units: Sequence[Unit],
    link: Sequence[str],
    folder: Path,
    shown: dict[str, str],
    compilers: Compilers,
    then: Callable[[Unit, Path], Sequence[str]] = lambda unit, work: (),
) -> None:
    """Compile the units in parallel, each at most once, and link them into `folder/module.so`.

    The symbols that the module uses from outside are listed before any of its code can run: see `symbols`.

    `shown` maps the labels of compiler errors to the texts behind them. `link` ends before the option `-o`. `then`
    returns the command for the second step of a unit, given the unit and the folder where `unit.o` is what the first
    step has made; empty if there is none. Raises BuildError. An interrupt ends the compilers.
    """
    interrupted = threading.Event()

    def compiled(unit: Unit) -> Path:
        def compile_here(work: Path, unit: Unit = unit) -> None:
            (work / unit.file).write_text(unit.text)
            try:
                compiler.run([*unit.command, unit.file, "-c", "-o", "unit.o"], work, shown, interrupted=interrupted)
                if command := then(unit, work):
                    compiler.run(command, work, shown, interrupted=interrupted)
            except BuildError:
                if not unit.instead or not compiler.found_errors(work):  # a limit, for example, would be reached again
                    raise
                compile_here(work, unit.instead)
            else:
                depfiles.note(depfiles.take(work), work, compilers.folders)
                (work / INSTRUCTIONS).write_text("\n".join(guard.listed_instructions(work)))
                for path in work.iterdir():  # nvcc keeps what it makes on the way
                    if path.name not in ("unit.o", "build.log", INSTRUCTIONS, READS):
                        path.unlink()

        key = f"{unit} {content_hash(*unit.reads)} {compilers.versions}"
        return cached(unit.kept, key, compile_here)

    with ThreadPoolExecutor() as pool:
        try:
            futures = [pool.submit(compiled, unit) for unit in units]
            while wait(futures, 1.0).not_done:  # a signal that another thread received is seen when this thread wakes
                pass
            kept = [future.result() for future in futures]
        except KeyboardInterrupt:
            interrupted.set()
            raise
    # A confined compiler cannot read any other folder.
    linked = [
        shutil.copyfile(each / "unit.o", folder / f"{unit.file}.o") for unit, each in zip(units, kept, strict=True)
    ]
    for name in ("build.log", READS):
        with (folder / name).open("ab") as file:
            file.writelines((each / name).read_bytes() for each in kept)
    compiler.run([*link, "-o", "module.so", *(path.name for path in linked)], folder, shown)
    instructions = [name for each in kept for name in (each / INSTRUCTIONS).read_text().split()]
    (folder / "symbols").write_text("\n".join([*guard.undefined_symbols(folder / "module.so"), *instructions]))


def symbols(folder: Path) -> tuple[str, ...]:
    """The undefined symbols of the module that `build` left in `folder`; empty if another toolchain built it."""
    listed = folder / "symbols"
    return tuple(listed.read_text().split()) if listed.exists() else ()


def shown_sources(source: Source) -> dict[str, str]:
    """The texts that the names in compiler errors refer to."""
    return {CUDA: source.cuda, CPP: source.cpp or ""}


def torch_version() -> str:
    """PyTorch's version and the version of CUDA that it was built with."""
    return "torch {} cuda {}".format(*pytorch_version())


def _implied_headers(text: str, headers: Mapping[str, str]) -> str:
    named = [header for pattern, header in headers.items() if re.search(pattern, text)]
    named += _NAMED_AS_THEIR_CLASS.findall(text)
    return "".join(f"#include <{header}>\n" for header in sorted(set(named)))
