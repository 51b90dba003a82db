"""What a built module may use from outside: launches, the shim's functions, most of the C and C++ libraries.

A module whose kernels do the work needs nothing else. Whatever is not allowed here (cuBLAS, PyTorch's operators,
`dlopen`, threads, files, processes) could do a kernel's work, or do harm. Access policies are not allowed either,
because they could keep data in the L2 cache from one timed call to the next. They are set for streams, for launches
(`cudaLaunchKernelExC`), or by instructions. These are found in the PTX, and are listed beside the symbols. So is
assembly in host code, which could call a function without a symbol.
"""

import ctypes
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from course.toolchains.pytorch import c_functions

ASSEMBLY = "asm"  # is listed if there is assembly in host code
INSTRUCTIONS = frozenset({"L2::cache_hint", "L2::evict_last", "createpolicy"})
_MARK = re.compile(r"^#(?:NO_)?APP\n", re.MULTILINE)  # before and after assembly in the output of g++
_OF_IOSTREAM = ".globl _ZSt21ios_base_library_initv"  # the assembly of this header, from g++ 13 on
VALUES = (  # mathematical functions that only return a value
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor"
    " fma fmax fmin fmod hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround"
    " nearbyint nextafter pow remainder rint round scalbn sin sinh sqrt tan tanh tgamma trunc"
)
# What a module may use from the C and C++ libraries and a kernel cannot call: all of std except threads, files and
# random devices.
HOST_FUNCTIONS = (
    r"(?!\w*(?:thread|filesystem|fstream|filebuf|basic_file|random_device|future|_async))_Z(?:T[IVST])?N?K?R?S[tabso]\w+",
    r"mem(?:cmp|chr)|str(?:len|n?cmp|r?chr|str|n?len|error|to[a-z]+|n?cpy|n?cat|n?casecmp)",
    r"v?sn?printf|v?fprintf|vprintf|__(?:v?sn?|vf?|f)?printf_chk|puts|putchar|f(?:write|puts|putc|flush)|perror",
    r"v?sscanf|ato(?:i|f|ll?)",
    r"__isoc23_(?:strtou?ll?|v?sscanf)",  # the name in glibc 2.38 and newer
    r"getenv|time|clock_gettime|gettimeofday|difftime|isatty|__ctype_\w+|to(?:upp|low)er|pthread_mutex_(?:try|un)?lock",
    r"calloc|realloc|aligned_alloc|(?:frexp|modf|sincos)l|dladdr|_Unwind_(?!Resume$)\w+",
    r"__cxa_(?!guard_|pure_virtual|atexit|allocate_exception|throw|free_exception)\w+",
)
_ALLOWED = re.compile(
    "|".join(
        (
            # the emulator's and CUDA's launches, errors, memory, streams, events, attributes
            r"emulator_(?:empty_strided|storage_start|hold|copy|zero|fill|item_\w+64|cuda\w+)|_ZN8emulator\w+",
            r"threadIdx|blockIdx|blockDim|gridDim|warpSize",
            # what the emulator's modules call: see toolchains/emulator/instrument.py
            r"emulator_(?:(?:load|store|volatile)\d+|access|atomic|block|host_call|mem(?:move|set)|frexpf?|modff?|sincosf?)",
            r"emulator_(?:malloc|_Zn[wa]m|printf|pointer_call)|__ubsan_handle_\w+",
            r"__cuda(?:Register|Unregister|PushCall|PopCall|InitModule)\w*|cudaLaunch(?:Cooperative)?Kernel",
            r"__cudaLaunchKernel|__cudaGetKernel",
            r"cuda(?:GetLastError|PeekAtLastError|GetErrorString|GetErrorName|Func(?:GetAttributes|Set\w+))",
            r"cuda(?:Malloc|HostAlloc|Free|Mem(?:cpy|set))(?:Host|Managed|Pitch|2D)?(?:To|From)?(?:Symbol)?(?:Async)?",
            r"cuda(?:Stream|Event)(?:Create|Destroy|Synchronize|WaitEvent|Record|ElapsedTime|Query)\w*",
            r"cuda(?:DeviceSynchronize|GetDevice|SetDevice|GetDeviceCount|GetDeviceProperties\w*|DeviceGetAttribute)",
            r"cudaOccupancy\w+",
            # the C++ runtime
            r"__cxa_\w+|_Unwind_\w+|__gxx_personality_v0|_ITM_\w+|__gmon_start__|__stack_chk_fail|__dso_handle",
            r"_Zn[wa]\w+|_Zd[la]\w+|_ZTVN10__cxxabiv\w+|_ZTIP?K?[a-z]",
            # libc, as far as a kernel may call it or no kernel can tell
            r"mem(?:cpy|set|move)|__mem(?:cpy|set|move)_chk|f?printf|stdout|stderr|malloc|free",
            r"is[a-z]{5,6}|__popcountdi2|__u?(?:div|mod|mul)[dt]i\d|abs|rand|srand|clock",
            r"__\w+[sd]itf|__\w+tf(?:[23]|[sd]i|[sd]f2)|__extend[sd]ftf2",  # the arithmetic of ARM's long double
            # nvcc lets a __device__ function call exit() on the host
            r"abort|exit|__assert_fail|__errno_location",
            *HOST_FUNCTIONS,
            rf"(?:{VALUES.replace(' ', '|')}|frexp|modf|nan|sincos)[fl]?",
        )
    )
)
# A kernel calls the emulator only through the hooks that are added to it.
ON_THE_HOST = re.compile("|".join((*HOST_FUNCTIONS, r"emulator_\w+")))

# Where a call through a pointer may lead: g++ makes each such call of a module's units go through a thunk. The thunks'
# source is a part of the shim's own unit.
THUNK_FLAGS = ("-mindirect-branch=thunk-extern", "-fno-jump-tables")
THUNKS = Path(__file__).with_name("indirect_calls.cpp")


def undefined_symbols(library: Path) -> tuple[str, ...]:
    """The names, without versions, of the symbols that `library` uses from outside."""
    with library.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        undefined = {each.name for each in symbols.iter_symbols() if each["st_shndx"] == "SHN_UNDEF"}
        return tuple(sorted(undefined - {""}))


def listed_instructions(folder: Path) -> list[str]:
    """What no symbol of an object shows: INSTRUCTIONS in the PTX files in `folder`, ASSEMBLY in g++'s output there."""
    texts = [path.read_text(errors="replace") for path in folder.glob("*.ptx")]
    found = sorted(name for name in INSTRUCTIONS if any(name in text for text in texts))
    # nvcc's own assembly has the device code.
    of_nvcc = (re.findall(r'^"(.*)\\n"', path.read_text(), re.MULTILINE) for path in folder.glob("*.fatbin.c"))
    own = {_OF_IOSTREAM, *("\n".join(lines).replace('\\"', '"') for lines in of_nvcc)}
    compiled = (path.read_text(errors="replace") for path in folder.glob("*.s"))
    return found + [ASSEMBLY] * any(_has_assembly(each, own) for each in compiled)


def _has_assembly(output: str, own: set[str]) -> bool:
    """Whether the `output` of g++ has blocks of assembly other than `own`, each of these once.

    g++ marks the blocks after it has read the source, so no macro and no `#line` hides one. A source can write the
    marks as well, to end a block early, but then there is one block more.
    """
    blocks = _MARK.split(output)[1:]
    return len(blocks) > 2 * len(own.intersection(map(str.strip, blocks[::2])))


def foreign_symbols(symbols: Iterable[str]) -> list[str]:
    """The undefined symbols of a module, and the instructions listed with them, that are not allowed."""
    return [name for name in symbols if name not in c_functions() and not _ALLOWED.fullmatch(name)]


def refused_symbols(symbols: Iterable[str], libraries: Sequence[ctypes.CDLL]) -> list[str]:
    """The foreign symbols of a module that a process with `libraries` can call; it must not load such a module.

    A symbol that no library defines cannot be called. In that case the worker says that the module does not load.
    """
    return [
        name
        for name in foreign_symbols(symbols)
        if name in {ASSEMBLY, *INSTRUCTIONS} or any(hasattr(library, name) for library in libraries)
    ]
