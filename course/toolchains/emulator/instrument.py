"""Adds calls of the runtime's hooks to clang's LLVM IR, which is then compiled.

In each unit, a hook is called before each call through a pointer. In a traced unit, there is one for each access to
memory, too: its IR is that of `-O0`, in which every access of the source is a load, a store, an atomic operation or a
call. So nothing in the source can hide an access: attributes, pragmas and macros have had their effect. What the IR
does not show, such as assembly, is refused. The next compilation optimises, but cannot move or merge the hooks of
stores and of basic blocks. A hook that loads has no other effect, so a load that is not used is not counted, and equal
loads of a basic block without a store between them count once, as with nvcc.

Each hook is told its place in the code: the number of its unit, its own number in the order of the IR, and, in the
lowest LINE_BITS bits, the line of the student's source (0 for code of headers that no line of the source calls).
"""

import re
import sys
from collections.abc import Generator, Iterator, Sequence
from typing import NoReturn

from course.errors import BuildError
from course.text.cuda import with_line
from course.toolchains.compiler import MAIN_SOURCE
from course.toolchains.guard.symbols import ON_THE_HOST

LINE_BITS = 20
SITE_BITS = 24

_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128, "half": 16, "bfloat": 16, "float": 32, "double": 64,
         "ptr": 64}  # fmt: skip
_INSTRUCTION = re.compile(
    r"  (?:(?P<result>%\S+) = )?(?:(?:tail|musttail|notail) )?"
    r"(?P<kind>load|store|atomicrmw|cmpxchg|call|invoke|indirectbr|callbr|alloca|getelementptr) (?P<rest>.*)"
)
_PART = re.compile(r"(?:(?:inbounds|nuw|nusw) )*(.+), ptr (%[\w.$-]+), i(?:32|64) 0, i(?:32|64) ([^,]+)")
_WIDENED = re.compile(r"  (%\S+) = ([zs]ext (?:nneg )?\S+ %\S+ to i64)")
_CHECKED_INDEX = re.compile(r"  %\S+ = icmp ult i64 (%\S+), (\d+), !nosanitize")  # of an array, against its size
_NO_MARK_YET = re.compile(r"  %\S+ = (?:phi|landingpad) ")
_DEBUG = re.compile(r", !dbg !(\d+)")
_DEFINED = re.compile(r"@([\w.$-]+|\"[^\"]*\")\(")
_ASSEMBLY = re.compile(r"\basm (?:sideeffect|alignstack|inteldialect|unwind|\")")
# What is called: a function or a value by its name, or, where it ends with a bracket, a constant that is an address.
_CALLED = re.compile(r"(?:(?<= )([@%])([\w.$-]+|\"[^\"]*\")|\))\(")
# What names another function than its name says, what calls a function that only the linker or the loader chooses, and
# what is in a place of its own, such as among the functions.
_MISNAMED = re.compile(
    r'@"(?!(?:[\w.$-]|\\[89A-F][0-9A-F])*")|^@\S+ = .*?\b(ifunc)\b|^module (asm)'
    r'| (section) "(?!llvm\.metadata"|\.text\.startup"[^,])'
)
_ORDERING = re.compile(r" (?:syncscope\(\"\w+\"\) )?(?:unordered|monotonic|acquire|release|acq_rel|seq_cst)(?: \w+)?$")
_COPIED_ARGUMENT = re.compile(r"byval\(((?:[^()]|\([^()]*\))*)\)[^,]*? ([%@][\w.$-]+)[,)]")
# LLVM's functions that do not touch memory, or only local variables.
_HARMLESS = re.compile(
    r"llvm\.(?:abs|assume|bitreverse|bswap|canonicalize|ceil|copysign|ct(?:lz|pop|tz)|dbg|eh\.typeid|exp(?:2|10)?"
    r"|expect|fabs|experimental\.noalias|floor|fma|fmuladd|fsh[lr]|is\.(?:constant|fpclass)|lifetime|l?l?rint"
    r"|l?l?round(?:even)?|ldexp|log(?:2|10)?|max(?:imum|num)|min(?:imum|num)|nearbyint|objectsize|pow|ptrmask"
    r"|[su](?:add|sub|mul|shl|max|min|cmp)|sin|cos|tan|sqrt|stack(?:save|restore)|threadlocal\.address|trap|trunc"
    r"|ubsantrap|va_end|vector\.reduce)\b"
)
# Functions of the C library that store, and what is called in their place, with the place as one more argument.
_STORE = {
    "memcpy": "memmove", "memmove": "memmove", "memset": "memset",
    **{name: name for name in ("frexp", "frexpf", "modf", "modff", "sincos", "sincosf")},
}  # fmt: skip
# Functions that are the runtime's in a traced module.
_REPLACED = r"@(malloc|_Znwm|_Znam|printf)\("
_INDICES = ("@threadIdx", "@blockIdx", "@blockDim", "@gridDim")
_BUILT_IN = (
    *_INDICES,
    *(
        f'getelementptr inbounds nuw (%"struct.emulator::Index", ptr {name}, i32 0, i32 {field})'
        for name in _INDICES
        for field in (1, 2)
    ),
    "@warpSize",
)
_READS = re.compile(r"nan[fl]?|__cxa_guard_\w+")
_CLOSES = {"(": ")", "[": "]", "{": "}", "<": ">"}
_CHECKED_COPIES = ("__memcpy_chk", "__memmove_chk", "__memset_chk")
_HOOKED = (8, 16, 32, 64, 128)  # bits of an access that has a hook of its own
_MEMSET = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
_DECLARED = "declare void @emulator_pointer_call(ptr)\n"
_DECLARED_TRACED = """
declare void @emulator_access(ptr, i64, i64, i1 zeroext, i1 zeroext, i1 zeroext) nounwind
declare void @emulator_atomic(ptr, i64, i64) nounwind
declare void @emulator_block(i64) nounwind
declare void @emulator_host_call(ptr)
declare ptr @emulator_memmove(ptr, ptr, i64, i64) nounwind
declare ptr @emulator_memset(ptr, i32, i64, i64) nounwind
declare double @emulator_frexp(double, ptr, i64) nounwind
declare float @emulator_frexpf(float, ptr, i64) nounwind
declare double @emulator_modf(double, ptr, i64) nounwind
declare float @emulator_modff(float, ptr, i64) nounwind
declare void @emulator_sincos(double, ptr, ptr, i64) nounwind
declare void @emulator_sincosf(float, ptr, ptr, i64) nounwind
""" + "".join(
    f"declare i{bits} @emulator_load{bits}(ptr, i64) nounwind willreturn memory(argmem: read)\n"
    f"declare i{bits} @emulator_volatile{bits}(ptr, i64) nounwind\n"
    f"declare void @emulator_store{bits}(ptr, i64) nounwind\n"
    for bits in _HOOKED
)


def instrumented(ir: str, unit: int, source: str, traced: bool) -> str:
    """The IR of a unit with the calls of the hooks: only if it is `traced`, those for accesses.

    `unit` is the unit's number, and `source` the CUDA source. Raises BuildError for what could hide one from the hooks.
    """
    ir = ir.replace("\n          to label", " to label")  # an instruction is a line
    return _Unit(ir, unit, source, traced).text(ir)


def line_at(place: int) -> int:
    """The line of a place in the code, as the runtime reports it; 0 if it is unknown."""
    return place % (1 << LINE_BITS)


class _Lines:
    """The lines of the student's source to which debug locations lead."""

    def __init__(self, ir: str):
        nodes = r"^!(\d+) = (?:distinct )?!DI(?:Location|Subprogram|LexicalBlock\w*|File)\((.*)\)$"
        self.nodes = dict(re.findall(nodes, ir, re.MULTILINE))
        self.file = f'filename: "{MAIN_SOURCE}"'
        self.lines: dict[str, int] = {}
        self.in_source: dict[str, bool] = {}

    def of(self, location: str) -> int:
        """The innermost line of the source among a location and the calls that were inlined there; 0 if none is."""
        if location not in self.lines:
            fields = dict(re.findall(r"(\w+): !?(\d+)", self.nodes[location]))
            if self._is_in_source(fields["scope"]):
                self.lines[location] = int(fields.get("line", 0))
            else:
                self.lines[location] = self.of(fields["inlinedAt"]) if "inlinedAt" in fields else 0
        return self.lines[location]

    def _is_in_source(self, scope: str) -> bool:
        if scope not in self.in_source:
            files = re.findall(r"file: !(\d+)", self.nodes[scope])
            self.in_source[scope] = any(self.file in self.nodes[file] for file in files)
        return self.in_source[scope]


def _callees_first(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first line of each function, and the line after its last one, with functions before those that call them.

    Places are numbered in this order. Where the lanes of a warp are at different places, those at the lowest come
    first. So lanes in a function return before the others, which wait in its caller, go on.
    """
    spans: dict[str, tuple[int, int]] = {}
    calls: dict[str, list[str]] = {}
    name = ""
    for number, line in enumerate(lines):
        if line.startswith("define ") and (match := _DEFINED.search(line)):
            name, begin = match[1], number
        elif name and line == "}":
            spans[name] = begin, number + 1
            name = ""
        elif name:
            calls.setdefault(name, []).extend(match[2] for match in _CALLED.finditer(line) if match[1] == "@")
    waiting = [(each, False) for each in reversed(spans)]
    done: set[str] = set()
    while waiting:
        name, called = waiting.pop()
        if called:
            yield spans[name]
        elif name not in done:
            done.add(name)
            waiting += [(name, True), *((each, False) for each in calls.get(name, ()) if each in spans)]


class _Unit:
    def __init__(self, ir: str, number: int, source: str, traced: bool):
        self.lines, self.source, self.traced = _Lines(ir), source, traced
        self.site = number << SITE_BITS
        self.line = 0  # of the instruction that is looked at
        self._begin_function()
        self.host_calls: dict[str, str] = {}  # the names of called functions, and of the variables with these names
        # Of a function that is also defined elsewhere, the linker may take another definition.
        own = r"^define (?!available_externally ).*?@([\w.$]+|\"[^\"]*\")\("
        self.defined = set(re.findall(own, ir, re.MULTILINE))

    def _begin_function(self) -> None:
        self.local = dict.fromkeys(_BUILT_IN, "")  # the addresses of variables, with their types
        self.bounds: dict[str, int] = {}  # the indices that the compiler checks, with what they are below
        self.widened: dict[str, str] = {}  # values, with the values of which they are wider copies
        self.checked: set[str] = set()  # the labels to which the compiler's own checks lead

    def text(self, ir: str) -> str:
        lines = ir.splitlines()
        functions = {begin: self._function(lines[begin:end]) for begin, end in _callees_first(lines)}
        out: list[str] = []
        inside = False
        self.line = 0
        for number, line in enumerate(lines):
            if number in functions:
                out += functions[number]
                inside = True
            elif inside:
                inside = line != "}"
            elif not line.startswith("!"):
                self._refuse_misnamed(line)
                out.append(re.sub(r" !dbg !\d+", "", line) if line.startswith(("declare ", "@")) else line)
            elif not line.startswith("!llvm.dbg.cu"):  # debug information has had its use
                out.append(line)
        if not self.traced:
            return "\n".join([*out, _DECLARED])
        names = (
            f'{variable} = private constant [{len(name) + 1} x i8] c"{name}\\00"'
            for name, variable in self.host_calls.items()
        )
        memset = _MEMSET * ("declare void @llvm.memset.p0.i64(" not in ir)
        whole = "\n".join([*out, *names, _DECLARED, _DECLARED_TRACED, memset])
        for line in [line for line in whole.splitlines() if line.startswith("declare ") and re.search(_REPLACED, line)]:
            whole += re.sub(_REPLACED, r"@emulator_\1(", line) + "\n"
        return re.sub(r"(?m)^(?!declare ).*", lambda each: re.sub(_REPLACED, r"@emulator_\1(", each[0]), whole)

    def _function(self, lines: Sequence[str]) -> list[str]:
        """The lines of a function, from its `define` to its bracket, with the hooks."""
        self.line = 0
        self._refuse_misnamed(lines[0])
        out = [re.sub(r" !dbg !\d+", "", lines[0])]
        self._begin_function()
        unmarked = True
        for line in lines[1:]:
            self._refuse_misnamed(line)
            if not line.startswith("  ") and line not in ("", "}"):  # a label
                unmarked = line.partition(":")[0] not in self.checked
            elif line.startswith("  ") and not line.startswith("    ") and not line.startswith("  ]"):
                if unmarked and not _NO_MARK_YET.match(line):
                    unmarked, self.line = False, 0
                    if self.traced:
                        out.append(f"  call void @emulator_block({self._place()})")
                if location := _DEBUG.search(line):
                    self.line = self.lines.of(location[1])
                    line = line[: location.start()] + line[location.end() :]
                if line.startswith("  br ") and "!nosanitize" in line:  # a check of the compiler's own
                    self.checked.update(re.findall(r"label %([\w.]+)", line))
                if wide := _WIDENED.match(line):  # once for the check, and once more for the access
                    self.widened[wide[1]] = wide[2]
                if index := _CHECKED_INDEX.match(line):
                    self.bounds[self.widened.get(index[1], index[1])] = int(index[2])
                if match := _INSTRUCTION.match(line):
                    out += self._instruction(line, match["result"] or "", match["kind"], match["rest"])
                    continue
            out.append(_DEBUG.sub("", line))
        return out

    def _refuse_misnamed(self, line: str) -> None:
        if misnamed := _MISNAMED.search(line):
            self._refuse(next(filter(None, misnamed.groups()), "asm"))

    def _place(self, accesses: int = 1) -> str:
        """The place of the next access, or of the second of two `accesses`; see `other_place` in runtime/shadow.h."""
        self.site += accesses
        return f"i64 {self.site << LINE_BITS | min(self.line, (1 << LINE_BITS) - 1)}"

    def _refuse(self, what: str) -> NoReturn:
        text = f"'{what}' may hide what a kernel does to memory: leave it out"
        raise BuildError(with_line(self.source, self.line, text) if self.line else text)

    def _instruction(self, line: str, result: str, kind: str, rest: str) -> Iterator[str]:
        if kind in ("indirectbr", "callbr"):
            self._refuse("goto *")
        if kind in ("call", "invoke"):
            called, name = yield from self._called(rest)
            if self.traced:
                yield from self._call(line, rest[called.end() :], name)
                return
        if not self.traced:
            yield line
            return
        if kind == "alloca":
            yield line
            yield from self._cleared(result, _operands(rest))
            return
        elif kind == "getelementptr":
            # A part of a variable. Other indices of arrays may lead out of it.
            part = _PART.fullmatch(rest)
            if part and part[2] in self.local and part[1] == self.local[part[2]]:
                array = re.match(r"\[(\d+) x (.*)\]$", part[1])
                index = part[3]
                checked = self.bounds.get(self.widened.get(index, index), sys.maxsize)
                below = int(index) + 1 if index.isdigit() else checked
                if not array or below <= int(array[1]):
                    self.local[result] = array[2] if array else ""
        elif kind == "load":
            line = yield from self._load(line, result, rest)
        elif kind == "store":
            yield from self._store(rest)
        else:
            first, second = _operands(rest)[:2]
            pointer = first[first.index("ptr ") :]
            if not self._is_own(pointer[4:], True):
                yield f"  call void @emulator_atomic({pointer}, i64 {_size(second.split(' ')[0])}, {self._place()})"
        yield line

    def _cleared(self, variable: str, operands: Sequence[str]) -> Iterator[str]:
        """What fills a new variable, which would begin with what another thread has left on the stack.

        A source can switch off clang's own flag for this, and it leaves out temporaries.
        """
        self.local[variable] = type_ = operands[0]
        size = _size(type_)
        if operands[1].startswith("i64 "):  # an array of variable length
            yield f"  %bytes.{variable[1:]} = mul {operands[1]}, {size}"
            size = f"%bytes.{variable[1:]}"
        yield f"  call void @llvm.memset.p0.i64(ptr {variable}, i8 -1, i64 {size}, i1 false)"

    def _is_own(self, pointer: str, writes: bool, bits: int = 1) -> bool:
        """Whether an access of `bits` at `pointer` needs no hook: it is small, and to the thread's own variable."""
        return pointer in self.local and 0 < bits <= max(_HOOKED) and not (writes and pointer in _BUILT_IN)

    def _load(self, line: str, result: str, rest: str) -> Generator[str, None, str]:
        """What comes before a load; returns the instruction that gives its result."""
        type_, pointer, aligned, strong = _access(rest)
        bits = _bits(type_)
        is_guard = pointer.startswith("ptr @_ZGV") and strong and bits == 8  # read before a static variable is used
        if is_guard or self._is_own(pointer[4:], False, bits):
            return line
        is_volatile = rest.startswith("volatile ")
        if bits not in _HOOKED or strong > is_volatile or not aligned:
            yield self._other(pointer, type_, False, aligned, strong)
            return line
        hook = f"call i{bits} @emulator_{'volatile' if is_volatile else 'load'}{bits}({pointer}, {self._place()})"
        if type_ == f"i{bits}":
            return f"  {result} = {hook}"
        yield f"  %bits.{result[1:]} = {hook}"
        convert = "inttoptr" if type_ == "ptr" else "bitcast"
        return f"  {result} = {convert} i{bits} %bits.{result[1:]} to {type_}"

    def _store(self, rest: str) -> Iterator[str]:
        value, pointer, aligned, strong = _access(rest)
        type_ = _type(value)
        if self._is_own(pointer[4:], True, _bits(type_)):
            return
        if _bits(type_) in _HOOKED and aligned and not strong:
            yield f"  call void @emulator_store{_bits(type_)}({pointer}, {self._place()})"
        else:
            yield self._other(pointer, type_, True, aligned, strong)

    def _other(self, pointer: str, type_: str, writes: bool, aligned: bool, strong: bool) -> str:
        flags = ", ".join(f"i1 {str(each).lower()}" for each in (writes, aligned, strong))
        return f"  call void @emulator_access({pointer}, i64 {_size(type_)}, {self._place()}, {flags})"

    def _called(self, rest: str) -> Generator[str, None, tuple[re.Match, str]]:
        """What comes before any call; returns where the called function is named, and its name, if it has one."""
        if _ASSEMBLY.search(rest):
            self._refuse("asm")
        called = next((each for each in _CALLED.finditer(rest) if _is_outside(rest, each.start())), None)
        if not called or not called[1]:
            self._refuse("a call of an address")
        if called[1] == "%":
            yield f"  call void @emulator_pointer_call(ptr %{called[2]})"
        return called, called[2] if called[1] == "@" else ""

    def _call(self, line: str, rest: str, name: str) -> Iterator[str]:
        for type_, pointer in _COPIED_ARGUMENT.findall(rest):
            if self.local.get(pointer) != type_:
                yield self._other(f"ptr {pointer}", type_, False, False, False)
        if name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")):
            yield from self._copy(line, name.split(".")[1], _operands(rest.rpartition(")")[0]))
            return
        of_lists = name.startswith(("llvm.va_start", "llvm.va_copy"))
        if of_lists and all(_bare(each) in self.local for each in _operands(rest.rpartition(")")[0])):
            yield line
            return
        if name.startswith("llvm.") and not _HARMLESS.match(name):
            self._refuse(name)
        reads = _READS.fullmatch(name)  # what its argument points to
        if name in _CHECKED_COPIES or (reads and not re.match(r"ptr (?:\w+ )*@(?:_ZGV|\.str)", rest)):
            self._refuse(name)
        if name in _STORE and name not in self.defined:
            end = _end(line, line.index(f"@{name}(") + len(name) + 1)
            line = f"{line[:end]}, {self._place(2)}{line[end:]}".replace(f"@{name}(", f"@emulator_{_STORE[name]}(")
        elif name.startswith("_ZN8emulator") and "ptr noundef null)" in line:
            line = line.replace("ptr noundef null)", f"ptr inttoptr ({self._place(2)} to ptr))")
        elif name and name not in self.defined and ON_THE_HOST.fullmatch(name):
            variable = self.host_calls.setdefault(name, f"@course.host.{len(self.host_calls)}")
            yield f"  call void @emulator_host_call(ptr {variable})"
        yield line

    def _copy(self, line: str, kind: str, arguments: Sequence[str]) -> Iterator[str]:
        """A copy, or a fill, that the compiler has made of an assignment or of a function of the C library."""
        pointers = [_bare(each) for each in arguments[: 1 if kind == "memset" else 2]]
        size = arguments[2].removeprefix("i64 ")
        bits = 8 * int(size) if size.isdigit() else 0
        if all(self._is_own(pointer, n == 0, bits) for n, pointer in enumerate(pointers)):
            yield line
        elif kind == "memset":
            byte = arguments[1].removeprefix("i8 ")
            wide = f"%fill.{self.site}"
            yield f"  {wide} = zext i8 {byte} to i32"
            arguments = f"ptr {pointers[0]}, i32 {wide}, i64 {size}, {self._place()}"
            yield f"  %filled.{self.site} = call ptr @emulator_memset({arguments})"
        elif bits in _HOOKED and all(_alignment(a) >= int(size) for a in arguments[:2]):
            # A whole struct, such as float4, in one access.
            to, source = pointers
            type_, value = f"i{bits}", f"%copy.{self.site}"
            load = f"load {type_}, ptr {source}, align {size}"
            yield from self._instruction(f"  {value} = {load}", value, "load", load[5:])
            store = f"store {type_} {value}, ptr {to}, align {size}"
            yield from self._instruction(f"  {store}", "", "store", store[6:])
        else:
            arguments = f"ptr {pointers[0]}, ptr {pointers[1]}, i64 {size}, {self._place(2)}"
            yield f"  %copied.{self.site} = call ptr @emulator_memmove({arguments})"


def _operands(text: str) -> list[str]:
    """The operands in `text`, which commas separate."""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        if letter in _CLOSES:
            depth += 1
        elif letter in _CLOSES.values():
            depth -= 1
        elif letter == "," and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [*found, text[begin:].strip()]


def _is_outside(text: str, at: int) -> bool:
    """Whether the place `at` is outside of the brackets in `text`; a bracket at the place closes there."""
    return text.count("(", 0, at) == text.count(")", 0, at + 1)


def _end(text: str, opened: int = 0) -> int:
    """Where the bracket that is `opened` in `text` is closed."""
    begin, end = text[opened], _CLOSES[text[opened]]
    depth = 0
    for at in range(opened, len(text)):
        depth += (text[at] == begin) - (text[at] == end)
        if depth == 0:
            return at
    raise ValueError(text)


def _access(rest: str) -> tuple[str, str, bool, bool]:
    """Of a load or a store: its type and value, its pointer, whether it is aligned as a whole, and whether strong."""
    strong = rest.startswith(("volatile ", "atomic "))
    first, pointer, *more = _operands(re.sub(r"^(?:(?:volatile|atomic) )+", "", rest))
    bits = _bits(_type(first))
    return first, _ORDERING.sub("", pointer), not bits or _alignment(" ".join(more)) * 8 >= bits, strong


def _type(value: str) -> str:
    """The type of `value`, which follows it."""
    return value[: _end(value) + 1] if value[0] in _CLOSES else value.partition(" ")[0]


def _bits(type_: str) -> int:
    """The size of a type; 0 if it is not a number, a pointer or a vector of these."""
    if vector := re.fullmatch(r"<(\d+) x (\w+)>", type_):
        return int(vector[1]) * _BITS.get(vector[2], 0)
    return _BITS.get(type_, 0)


def _size(type_: str) -> str:
    """The bytes of a type, as a constant of the IR."""
    return f"ptrtoint (ptr getelementptr ({type_}, ptr null, i64 1) to i64)"


def _alignment(text: str) -> int:
    """The alignment that is named in `text`; 1 if none is."""
    found = re.search(r"\balign (\d+)", text)
    return int(found[1]) if found else 1


def _bare(argument: str) -> str:
    """An argument that is a pointer, without its type and attributes."""
    return re.sub(
        r"^ptr (?:(?:nonnull|noundef|readonly|writeonly|align \d+|dereferenceable\(\d+\)|\w+\(\w*\)) )*", "", argument
    )
