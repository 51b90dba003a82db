"""The variables of a built library, and the functions that they belong to."""

import ctypes
import dataclasses
import functools
import os
import re
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from course.text.cuda import CudaText
from course.toolchains.emulator.library import cxx_library


@dataclasses.dataclass(frozen=True)
class Variable:
    """A variable with static storage: its function ("" if none), its name, and its place in the library's file.

    `guard` says that it is the compiler's own, which says whether the variable of this name was initialised.
    """

    function: str
    name: str
    offset: int
    size: int
    guard: bool = False


def variables(library: Path) -> list[Variable]:
    """The writable variables of a library that have a size. Raises BuildError if they cannot be listed."""
    with library.open("rb") as file:
        elf = ELFFile(file)
        symbols = elf.get_section_by_name(".symtab")
        assert isinstance(symbols, SymbolTableSection)
        writable = {n for n, section in enumerate(elf.iter_sections()) if section["sh_flags"] & SH_FLAGS.SHF_WRITE}
        named = [
            (_demangled(symbol.name), symbol["st_value"], symbol["st_size"])
            for symbol in symbols.iter_symbols()
            if symbol["st_info"]["type"] == "STT_OBJECT" and symbol["st_shndx"] in writable and symbol["st_size"]
        ]
    found = []
    for text, offset, size in named:
        # A function's static variable has the name `function(...)::name` (`void f<T>(...)::name`).
        if match := re.match(r"(?!(?:vtable|typeinfo|VTT) )(guard variable for )?(?:(.+)::)?(\w+)$", text):
            guard, function, name = match.groups()
            found.append(Variable(function or "", name, offset, size, bool(guard)))
    return found


def _demangled(name: str) -> str:
    """A C++ name as it is written; other names are returned as they are."""
    library = _cxx_library()
    text = library.__cxa_demangle(name.encode(), None, None, None)
    if not text:
        return name
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        library.free(text)


@functools.cache
def _cxx_library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(cxx_library()), mode=os.RTLD_DEEPBIND)
    library.__cxa_demangle.restype = ctypes.c_void_p
    library.__cxa_demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.free.argtypes = [ctypes.c_void_p]
    return library


def on_device(function: str, source: str) -> bool:
    """Whether a function, as `variables` names it, is a kernel or a device function of `source`."""
    name = plain_name(function)
    return any(f.name == name and f.on_device for f in CudaText.of(source).functions)


def plain_name(function: str) -> str:
    """`k` of `void (anonymous namespace)::k<float>(float*)`."""
    function = function.replace("(anonymous namespace)::", "")
    while function != (shorter := re.sub(r"<[^<>]*>", "", function)):
        function = shorter
    return function.partition("(")[0].rpartition("::")[2].rpartition(" ")[2]
