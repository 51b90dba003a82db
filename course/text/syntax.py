"""What a CUDA source contains: its functions, launches, calls, declarations, assignments and statements.

All offsets are those of the source.
"""

import bisect
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar


@dataclass(frozen=True)
class Part:
    """A part of a source, from one offset to another. `source` is the source without comments."""

    begin: int
    end: int
    source: str = field(repr=False)

    @property
    def text(self) -> str:
        """The text of the part, with single blanks."""
        return " ".join(self.source[self.begin : self.end].replace("\\\n", " ").split())


@dataclass(frozen=True)
class Name:
    """A name that is used or declared, with all scopes and without template arguments: `std::vector`, `n`.

    Members after `.` and `->` are no names. `throw`, `try`, `asm`, `NULL` and `nullptr` are.
    """

    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Declared:
    """A name that is declared: a variable, a parameter, a member of a class, or a function without its body."""

    name: str  # "" for a parameter without a name
    begin: int  # of the name
    # "variable", "parameter", "member" or "function". `T x(a, b);` is a variable in a function, a function elsewhere.
    role: str
    nested: bool  # in a namespace or a class, and in no function
    head: Part  # what is before the first name that the statement declares
    kind: Part | None  # the type in `head`, without qualifiers and without `*`
    pointers: int  # how many `*` are before the name
    sizes: tuple[str, ...]  # between each pair of brackets after the name; "" for `[]`
    value: Part | None  # what is after `=`, or in the parentheses or braces after the name
    statement: Part  # with its semicolon; or the parameter

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """The words of `head`: `__shared__`, `extern`, `const`, `float`, ..."""
        return frozenset(re.findall(r"\w+", self.head.text))

    @property
    def type(self) -> str:
        """The text of `kind`."""
        return self.kind.text if self.kind else ""


@dataclass(frozen=True)
class Call:
    """A call, `function(arguments)`.

    `function` is what is called, without template arguments: `f`, `std::max`, `A.size`. `name` is its last part.
    `passed` is the first argument without casts and without `&`.

    `asm(instructions : operands)` is a call of `asm`, which passes its instructions; the operands are its arguments.
    """

    function: str
    name: str
    begin: int
    end: int
    arguments: tuple[Part, ...]
    passed: Part | None


@dataclass(frozen=True)
class Launch:
    """A kernel launch, `kernel<<<config>>>(arguments)`.

    `kernel` is the expression before `<<<`, `function` its text without template arguments, and `name` the last name
    in it; "" if it has none. `angles` are the offsets of `<<<` and `>>>`, `parentheses` those of the arguments'
    parentheses.
    """

    kernel: Part
    function: str
    name: str
    config: tuple[Part, ...]
    arguments: tuple[Part, ...]
    angles: tuple[int, int]
    parentheses: tuple[int, int]

    @property
    def begin(self) -> int:
        return self.kernel.begin

    @property
    def end(self) -> int:
        return self.parentheses[1] + 1


@dataclass(frozen=True)
class Assignment:
    """`target operator value`, such as `c[i] += 1`; `++` and `--` have no value. `name` is the target's first word."""

    target: Part
    name: str
    operator: str
    value: Part | None
    begin: int


@dataclass(frozen=True)
class Statement:
    """An `if`, `else`, `for`, `while`, `do`, `switch` or `return`, as `word`.

    `head` is the text in the parentheses (of `return`, its value), "" if there is none.
    """

    word: str
    begin: int
    end: int
    head: Part


@dataclass(frozen=True, eq=False)
class Function:
    """A function definition."""

    name: str
    begin: int  # of the name
    before: str  # the text before the name, with the words of a template and without `__launch_bounds__`
    parameters: tuple[Declared, ...]
    prototype: str  # for `cpp_sources`, without default arguments
    body: Part  # what is between the braces
    text: str  # of the body in `CudaText.text`
    scope: str  # the namespace or class that it is in, such as `the namespace a`; "" for none
    undecided: bool  # whether the text before the body depends on an `#if` that a macro decides

    @functools.cached_property
    def qualifiers(self) -> frozenset[str]:
        """The words in `before`: `__global__`, `static`, `template`, the return type, ..."""
        return frozenset(re.findall(r"\w+", self.before))

    @functools.cached_property
    def unbound(self) -> tuple[str, str] | None:
        """Why it cannot be bound for Python: the case of the sentence `unbound`, and the words that this is about."""
        if self.scope:
            return "scope", self.scope
        for word, case in _UNBOUND.items():
            if word in self.qualifiers and not self.undecided:
                return case, word
        found = _UNPASSED.search(self.prototype)
        return ("type", found[0]) if found else None

    @property
    def on_device(self) -> bool:
        """Whether it runs on the device: a kernel or a `__device__` function."""
        return not self.qualifiers.isdisjoint(("__global__", "__device__"))


_UNBOUND = {"__global__": "kernel", "__device__": "device", "template": "template"}
_UNBOUND |= dict.fromkeys(("static", "inline", "__forceinline__"), "hidden")
_UNPASSED = re.compile(
    r"[\w:]+\s*\*|\b(?:cudaStream_t|TensorOptions|dim3|(?:u?(?:char|short|int|long|longlong)|float|double)[1-4])\b"
)

Begins = TypeVar("Begins", Name, Declared, Call, Launch, Assignment, Statement)


@dataclass
class Syntax:
    """What is in a source. Everything is in the order of the source, also from macros and from all branches of `#if`.

    `specifiers` has a mapping for each declaration, definition or unreadable part: from `static`, `__shared__`,
    `__noinline__` and `alignas` (also for `__align__`) to where they are. `type_parameters` are the names of the types
    that templates take.
    """

    functions: list[Function] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    declared: list[Declared] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    specifiers: list[dict[str, Part]] = field(default_factory=list)
    type_parameters: set[str] = field(default_factory=set)

    def ordered(self) -> "Syntax":
        """The same, in the order of the source."""
        several: tuple[list, ...] = (self.functions, self.launches, self.calls, self.declared, self.names)
        for each in (*several, self.assignments, self.statements):
            each.sort(key=lambda found: found.begin)
        return self

    def function_at(self, offset: int) -> Function | None:
        """The function whose body contains `offset`."""
        index = bisect.bisect(self.functions, offset, key=lambda function: function.body.begin) - 1
        return self.functions[index] if index >= 0 and offset < self.functions[index].body.end else None


def within(found: Sequence[Begins], part: Part | Function) -> Sequence[Begins]:
    """Those of `found`, which are in order, that begin in a part of the source or in a function's body."""
    part = part.body if isinstance(part, Function) else part
    begin, end = (bisect.bisect_left(found, at, key=lambda each: each.begin) for at in (part.begin, part.end))
    return found[begin:end]
