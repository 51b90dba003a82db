"""The compiler flags that a judged answer may have: those that say how its text is compiled, and do nothing else.

A flag may load a plug-in, read a file, run a program or link a library that does a kernel's work. In a notebook,
`load_inline` accepts all flags.
"""

import re
from collections.abc import Iterator, Sequence

from course.errors import BuildError
from course.toolchains.base import Source

# Only names in capitals, because other names could change the meaning of the course's own headers. No value that a
# shell would execute, since nvcc passes flags through a shell.
_MACRO = r"-D(?!COURSE|EMULATOR|TORCH_|AT_|C10_)[A-Z][A-Z0-9_]*(?:=[^\n$`]*)?|-[DU]__CUDA_NO_\w+__"
_COMMON = rf"-O[0-3sg]?|-g|-w|--?std=(?:c|gnu)\+\+\d\w|{_MACRO}"
_HOST = re.compile(
    rf"{_COMMON}|-fPIC|-f(?:no-)?(?:fast-math|unroll-loops)|-m(?:arch|tune)=native|-W(?:no-)?(?:all|extra|[a-z-]*)"
)
_ARCHITECTURE = r"(?:compute|sm)_\d+[af]?|native|all|all-major"
_CUDA = re.compile(
    rf"{_COMMON}|--use_fast_math|-use_fast_math|--?(?:ftz|prec-div|prec-sqrt|fmad)=(?:true|false)|--?restrict"
    r"|--?(?:expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|lineinfo|generate-line-info|source-in-ptx)"
    rf"|--?(?:arch|gpu-architecture)=(?:{_ARCHITECTURE})"
    rf"|--?(?:gencode|generate-code)=arch=(?:{_ARCHITECTURE}),code=\[?(?:{_ARCHITECTURE}|,)+\]?"
    r"|--?(?:maxrregcount|threads|t|split-compile)=?\d+|-t\d+|--?(?:resource-usage|res-usage)"
    r"|(?:-Xptxas|--ptxas-options)=(?:-O[0-3]|-v|-dlcm=c[ag]|-dscm=\w\w|-warn-[a-z-]+|,)+"
    r"|-Xcompiler=.*|--compiler-options=.*"
)
_LIBRARIES = re.compile(r"-l(?:cudart|m|stdc\+\+)")  # libraries that a module has in any case
_TAKES_THE_NEXT = {
    *("-Xcompiler", "--compiler-options", "-Xptxas", "--ptxas-options", "-gencode", "--generate-code", "-arch"),
    *("--gpu-architecture", "-maxrregcount", "--maxrregcount", "-t", "--threads", "-std", "--std"),
}
FLAG_BOUND = 4000  # characters; a program with far longer arguments does not start
_FUNCTION = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")


def refuse_flags(source: Source) -> None:
    """Raise BuildError for the first argument of `load_inline` that a judged answer may not have."""
    for argument, flags, allowed in (
        ("extra_cflags", source.cflags, _HOST),
        ("extra_cuda_cflags", source.cuda_cflags, _CUDA),
        ("extra_ldflags", source.ldflags, _LIBRARIES),
    ):
        for flag in _whole(flags):
            parts = flag.partition("=")[2].split(",") if flag.startswith(("-Xcompiler=", "--compiler-options=")) else ()
            given = len(flag) <= FLAG_BOUND and "\0" not in flag
            if not (given and allowed.fullmatch(flag) and all(map(_HOST.fullmatch, parts))):
                raise BuildError(f"a judged answer cannot have the flag {flag[:100]!r}: leave it out of {argument}.")
    if source.include_paths:
        raise BuildError("a judged answer cannot include other files: leave extra_include_paths out.")
    for name, _ in source.functions or ():
        if not _FUNCTION.fullmatch(name):
            raise BuildError(f"functions= names {name[:100]!r}, which is not the name of a function.")


def _whole(flags: Sequence[str]) -> Iterator[str]:
    """The flags; a flag whose value is the next argument is joined with that value."""
    rest = iter(flags)
    for flag in rest:
        yield f"{flag}={next(rest, '')}" if flag in _TAKES_THE_NEXT else flag
