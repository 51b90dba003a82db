"""What a source may use of GCC if its accesses to memory are traced."""

from __future__ import annotations

import dataclasses
import itertools
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from course.errors import BuildError
from course.text.cuda import CudaText, line_of, with_line
from course.toolchains import compiler, depfiles
from course.toolchains.base import Unit

# GCC has thousands of built-in functions, attributes and pragmas, more with each release. Many of them read or write
# memory without g++'s instrumentation, or switch it off. So these lists name the few that are known to do neither. nvcc
# accepts them, too.
_BUILTINS = re.compile(
    r"__builtin_(?:expect(?:_with_probability)?|assume_aligned|unreachable|trap|offsetof"
    r"|(?:popcount|parity|clz|ctz|ffs|clrsb)(?:ll?)?|bswap(?:16|32|64)"
    r"|(?:nan|inf|huge_val)[fl]?|is(?:nan|inf|finite|normal)|signbit[fl]?|fabs[fl]?)"
)
_ATTRIBUTES = re.compile(
    "aligned|always_inline|cold|const|deprecated|fallthrough|flatten|format|hot|likely|maybe_unused|may_alias"
    "|no_unique_address|nodiscard|nonnull|noreturn|nothrow|packed|pure|unlikely|unused|used|visibility"
    "|warn_unused_result"
)
_PRAGMAS = re.compile(
    r"(?:unroll|nounroll|once|(?:nv_)?diag_\w+|nv_exec_check_disable|hd_warning_disable|message|pack|omp|STDC"
    r"|(?:push|pop)_macro|GCC (?:diagnostic|unroll|ivdep|warning|error))\b"
)
# Kernels are traced as nvcc builds them, with all calls inlined.
_ERASED = ("noinline",)
# Names that no source needs: assembly, the emulator's own functions, PyTorch's functions that copy, functions of the
# C++ runtime that call pointers, the linker's names, which tell where other code is, any function by its mangled name,
# and x86's vectors.
_INTERNAL = re.compile(
    r"asm|__asm|__asm__|emulator_(?!arguments$)\w+|(?:copy|fill)_untraced|atomic_(?:access|change)|_Z[A-Z]*[a-z]?\d\w*"
    r"|(?:__(?:tsan|sanitizer|ubsan|wrap|real(?!__$))|aoti_torch|__cxa|_Unwind|_mm\d*|_m)_\w+"
    r"|dladdr|_(?:GLOBAL_OFFSET_TABLE_|DYNAMIC|r_debug|_ehdr_start|_dso_handle)"
)
# Headers with functions that are not instrumented. Other such headers are left out, because their functions have
# internal names (see above).
_UNTRACED_HEADER = re.compile(r"(?![xep]?mm)\w*intrin\.h|simd\.h")

_HEADER = re.compile(r"[<\"](?!\S*\.\.)[\w+.-][\w/+.-]*[>\"]")
_SQUARE = ("[", "<:")
_MARKER = re.compile(r'# (\d+) "((?:\\.|[^"\\])*)".*')
_TOKEN = re.compile(
    r"""(?P<directive>^\#.*)
    # What touches a name or the literal before it is its suffix: `"a"R"("` has no raw string.
    | (?<![^\x00-\x7f]|[\w$"'])(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\((?:(?s:.*?)\)(?P=delimiter)"|(?s:.*+))
    | (?:u8|[uUL])?(?:"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?)
    | \.?\d(?:[eEpP][+-]|'\w|[\w.])*
    | (?P<word>[^\W\d][\w$]*) | (?P<open><:(?!:[^:>])|[\[(]) | (?P<close>:>|[\])]) | :: | \S""",
    re.VERBOSE | re.MULTILINE,
)


class _Token(NamedTuple):
    """`kind` is the name of the group of `_TOKEN` that matched, or None; `line` is the line in the source."""

    kind: str | None
    text: str
    start: int
    end: int
    line: int


def headers_first(text: str, written: str, folders: Sequence[Path], own: Sequence[str] = ()) -> str:
    """The unit `text` with all headers before the student's first line, so that no macro of the student changes them.

    `written` is the part that the student wrote, which begins with `#line 1`. The compiler finds the student's own
    headers, which keep their places, in `own`, and other headers in `folders`.
    """
    head, mark, rest = text.partition("#line 1 ")
    for header, _ in CudaText.of(written).includes:
        name = header[1:-1]
        is_own = not _HEADER.fullmatch(header) or any((Path(path) / name).exists() for path in own)
        # A missing header keeps its place and its error. `__has_include` would not do, because g++ 12 then treats a
        # header that it has not found as empty.
        if not is_own and any((folder / name).is_file() for folder in folders):
            head += f"#include {header}\n"
    return head + mark + rest


def traceable_unit(unit: Unit, label: str, folder: Path, shown: Mapping[str, str], known: Sequence[Path]) -> Unit:
    """`unit` as it is to be compiled for tracing, preprocessed in `folder`.

    `shown` maps labels in compiler errors to the student's texts, and `label` is that of the text in `unit`. `known`
    has the folders of the compilers' own headers. Raises BuildError.
    """
    # To the source, this folder looks like that of any other build: `__has_include` finds the same files in both.
    secret = secrets.token_hex(8)
    work = folder / secret
    work.mkdir()
    (work / unit.file).write_text(unit.text)
    preprocess = [*unit.command, "-E", "-fpch-preprocess", "-fno-working-directory", unit.file, "-o", secret]
    compiler.run(preprocess, work, shown)
    depfiles.note(depfiles.take(work), folder, known)
    expanded = traceable(shown[label], (work / secret).read_text(errors="replace"), label)
    shutil.rmtree(work)
    return dataclasses.replace(unit, file=f"{Path(unit.file).stem}.ii", text=expanded)


def traceable(source: str, expanded: str, file: str) -> str:
    """The text to compile for tracing: `expanded`, without the attributes that keep a function from being inlined.

    `expanded` is the preprocessor's output for a unit with the student's `source`, called `file` there, headers first.
    In it, no macro, digraph or line continuation conceals anything. A source can tell one run of the preprocessor from
    another, so no other text may be compiled. Raises BuildError for what could hide an access from the tracer.
    """
    for directive in CudaText.of(source).directives:
        if directive.name == "line" or directive.name.isdigit():
            why = "'#line' gives lines other numbers than they have in the cell: leave it out"
            raise BuildError(with_line(source, line_of(source, directive.begin), why))
    begin = next(match.start() for match in re.finditer(rf'^# \d+ "{file}"', expanded, re.MULTILINE))
    for marker in _MARKER.finditer(expanded, 0, begin):
        if _UNTRACED_HEADER.fullmatch(header := marker[2].rpartition("/")[2]):
            raise BuildError(_refusal(source, line_of(source, max(0, source.find(header))), f"<{header}>"))
    pieces, last = [], 0
    for name, start, end in _attributes(_harmless(source, _tokens(expanded, begin, file))):
        bare = re.sub(r"^__(\w+)__$", r"\1", name.text)
        if bare in _ERASED:
            pieces += [expanded[last:start], re.sub(r"[^\n]", " ", expanded[start:end])]
            last = end
        elif not _ATTRIBUTES.fullmatch(bare):
            raise BuildError(_refusal(source, name.line, name.text))
    return "".join(pieces) + expanded[last:]


def _refusal(source: str, line: int, what: str) -> str:
    return with_line(source, line, f"'{what}' may hide what a kernel does to memory: leave it out")


def _tokens(expanded: str, begin: int, file: str) -> Iterator[_Token]:
    """The tokens from `begin` on. Tokens of a header have the line of its #include."""
    line, here, last = 1, True, begin
    for match in _TOKEN.finditer(expanded, begin):
        if here:
            line += expanded.count("\n", last, match.start())
        last = match.start()
        kind = "directive" if match["directive"] else match.lastgroup
        if kind == "directive" and (marker := _MARKER.fullmatch(match[0])):
            here = marker[2] == file
            line = int(marker[1]) - 1 if here else line
        yield _Token(kind, match[0], match.start(), match.end(), line)


def _harmless(source: str, tokens: Iterable[_Token]) -> Iterator[_Token]:
    """The tokens without directives. Raises BuildError at the first that could hide an access."""
    for token in tokens:
        if token.kind == "directive":
            pragma = token.text.removeprefix("#pragma ")
            if not _MARKER.fullmatch(token.text) and (pragma == token.text or not _PRAGMAS.match(pragma)):
                raise BuildError(_refusal(source, token.line, " ".join(token.text.split()[:3])))
            continue
        if token.kind == "word" and (
            _INTERNAL.fullmatch(token.text)
            or (token.text.startswith("__builtin") and not _BUILTINS.fullmatch(token.text))
        ):
            raise BuildError(_refusal(source, token.line, token.text))
        yield token


def _attributes(tokens: Iterable[_Token]) -> Iterator[tuple[_Token, int, int]]:
    """The name of each attribute, and where the attribute begins and ends."""
    pairs = itertools.pairwise(tokens)
    for token, after in pairs:
        gnu = token.text in ("__attribute__", "__attribute")
        if not gnu and not (token.text in _SQUARE and after.text in _SQUARE):
            continue
        for _ in range(2 if gnu else 1):  # the brackets
            next(pairs, None)
        depth, begin = 0, None
        names: list[_Token] = []
        for token, after in pairs:
            begin = begin or token
            depth += (token.kind == "open") - (token.kind == "close")
            if depth < 0 or (depth == 0 and token.text in ",:"):
                for name in names if token.text != ":" else ():  # `using gnu:` names none
                    yield name, begin.start, token.start
                names, begin = [], None
            elif depth == 0 and token.kind == "word" and after.text != "::":
                names.append(token)
            if depth < 0:
                break
