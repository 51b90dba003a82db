"""What the source of a wrong answer shows: each function looks for one mistake, and returns its facts or None."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.text.cuda import CudaText, cited, line_of
from course.text.syntax import Assignment, Call, Declared, Function, Part, Syntax, within

Facts = dict[str, object]

LONGEST, LONGEST_VALUE = 20_000, 500  # characters: far more than a kernel of the course has, and than one expression
# The largest number that a type of at most 16 bits holds.
LIMITS = {"int8_t": 127, "char": 127, "uint8_t": 255, "int16_t": 32767, "short": 32767, "uint16_t": 65535}
LIMITS |= {"unsigned char": 255, "unsigned short": 65535}
WHOLE = {"int", "long", "short", "char", "unsigned", "size_t"}
WHOLE |= {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
FLOAT = {"float", "double"}
NUMBER = {*WHOLE, *FLOAT, "half", "__half", "__nv_bfloat16", "float2", "float4", "scalar_t"}
FLOAT_FUNCTIONS = {"fmaxf", "fmax", "fminf", "fmin", "fmaf", "fma", "__expf", "expf", "exp", "sqrtf", "sqrt"}
INDICES = (("blockIdx", "grid", "gridDim"), ("threadIdx", "block", "blockDim"))
LASTING = {"__shared__", "static", "extern"}


@dataclass(frozen=True)
class SourceText:
    """A CUDA source, and how many elements the output has."""

    cuda: CudaText
    elements: int

    @classmethod
    def of(cls, source: str, elements: int) -> "SourceText":
        """The part of `Evidence` for a source; a text that is too long counts as empty."""
        return cls(CudaText.of(source if len(source) <= LONGEST else ""), elements)

    @property
    def syntax(self) -> Syntax:
        return self.cuda.syntax

    @property
    def kernels(self) -> list[Function]:
        """The functions that run on the device."""
        return [function for function in self.cuda.functions if function.on_device]

    def cite(self, offset: int) -> str:
        """The line of an offset, with its text."""
        return cited(self.cuda.without_comments, line_of(self.cuda.source, offset))


def _words(text: str) -> list[str]:
    """The names, numbers and signs in an expression."""
    return re.findall(r"\w+|[^\w\s]", text)


def _value(each: Declared | Assignment) -> str:
    """What a variable is set to; "" for nothing, and for a text that is far too long."""
    return each.value.text if each.value and each.value.end - each.value.begin <= LONGEST_VALUE else ""


def _mentions(kernel: Function, name: str, after: int) -> Iterator[int]:
    """Where a kernel names something, from an offset on."""
    for match in re.finditer(rf"(?<!\.)\b{name}\b", kernel.text[max(0, after - kernel.body.begin) :]):
        yield max(after, kernel.body.begin) + match.start()


def _own(text: SourceText, kernel: Function) -> list[Declared]:
    """The variables that each thread has for itself."""
    return [each for each in within(text.syntax.declared, kernel) if LASTING.isdisjoint(each.words)]


def _calls(text: SourceText, part: Part | Function, *names: str) -> list[Call]:
    return [call for call in within(text.syntax.calls, part) if call.name in names]


# ----------------------------------------------------------------------------------------------------------------------
# Certainly wrong, if values are.


def not_shared(text: SourceText) -> Facts | None:
    """An array for a tile that lacks __shared__, so that each thread has its own array.

    Two signs show that threads should share the array. A thread stores at its own index and uses the array after a
    barrier, or an asynchronous copy goes to the array. Asynchronous copies can only go to shared memory.
    """
    for kernel in text.kernels:
        by_thread = _set_from_the_thread(text, kernel)
        barriers = _calls(text, kernel, "__syncthreads")
        copies = [_words(call.arguments[0].text) for call in _calls(text, kernel, "__pipeline_memcpy_async")]
        for array in {
            each.name: each for each in reversed(_own(text, kernel)) if each.sizes and not each.value
        }.values():
            stores = [
                each
                for each in within(text.syntax.assignments, kernel)
                if each.begin > array.begin and each.name == array.name and each.operator == "="
            ]
            barrier = next((call.begin for call in barriers if call.begin > array.begin), -1)
            own_places = all(by_thread & set(_words(store.target.text)) - {array.name} for store in stores)
            passed_on = (
                stores and own_places and stores[0].begin < barrier and any(_mentions(kernel, array.name, barrier))
            )
            if passed_on or any(array.name in words[:2] for words in copies):
                return {"name": array.name, "line": text.cite(array.begin)}
    return None


def _set_from_the_thread(text: SourceText, kernel: Function) -> set[str]:
    """The variables that are only set from `threadIdx`, or from an earlier such variable."""
    found, others = {"threadIdx"}, set[str]()
    set_: list[Declared | Assignment] = [
        *within(text.syntax.declared, kernel),
        *within(text.syntax.assignments, kernel),
    ]
    for each in sorted(set_, key=lambda each: each.begin):
        if each.value:
            (found if found & set(_words(_value(each))) else others).add(each.name)
    return found - others


def no_first_value(text: SourceText) -> Facts | None:
    """A variable that has no first value when its first use adds to it."""
    for kernel in text.kernels:
        updates = {each.target.begin: each for each in within(text.syntax.assignments, kernel) if each.operator != "="}
        set_ = {each.name for each in within(text.syntax.assignments, kernel) if each.operator == "="}
        set_ |= {each.text.lstrip("& ") for call in within(text.syntax.calls, kernel) for each in call.arguments}
        set_ |= {_value(each).lstrip("& ") for each in within(text.syntax.declared, kernel)}  # by a reference
        for variable in _own(text, kernel):
            if variable.value or variable.pointers or variable.type not in NUMBER:
                continue
            use = next(_mentions(kernel, variable.name, variable.statement.end), -1)
            between = kernel.text[variable.statement.end - kernel.body.begin : max(0, use - kernel.body.begin)]
            # A condition in between could skip this use, so another use might come first, and set the variable.
            skips = not {"if", "else", "switch", "case", "goto", "?"}.isdisjoint(_words(between))
            if use in updates and not (skips and variable.name in set_):
                return {"name": variable.name, "line": text.cite(use), "declared": text.cite(variable.begin)}
    return None


# What a wrapper needs around a launch, with the headers that have it. A question's skeleton includes what it asks for.
NEEDED = {
    "unguarded": (r"Guard\b(?!\.h)", {"<c10/cuda/CUDAGuard.h>", "<course/checks.h>"}),
    "unchecked": (
        r"LAUNCH_CHECK\b|cuda(?:GetLast|PeekAtLast)Error\b",
        {"<ATen/cuda/CUDAContext.h>", "<c10/cuda/CUDAException.h>", "<course/checks.h>"},
    ),
}
STREAMS = {"<ATen/cuda/CUDAContext.h>", "<c10/cuda/CUDAStream.h>", "<course/checks.h>"}


def careless_launch(text: SourceText) -> Iterator[tuple[str, Facts]]:
    """What the launches lack among what the source includes headers for: a case of the sentence, and its facts."""
    included = {header for header, _ in text.cuda.includes}
    for launch in text.syntax.launches[:1]:
        for case, (name, headers) in NEEDED.items():
            if included & headers and not re.search(name, text.cuda.blank):
                yield case, {"line": text.cite(launch.begin)}
    for launch in text.syntax.launches:
        if included & STREAMS and len(launch.config) < 4:
            yield "default_stream", {"line": text.cite(launch.begin)}


def adds_to_output(text: SourceText) -> Facts | None:
    """A kernel that adds to memory through one of its parameters, which may be registers in a `__device__` function."""
    for kernel in [each for each in text.kernels if "__global__" in each.qualifiers]:
        names = {each.name for each in kernel.parameters if each.pointers}
        added = [
            (each.begin, each.name)
            for each in within(text.syntax.assignments, kernel)
            if each.operator in ("+=", "-=") and "[" in each.target.text
        ]
        added += [
            (call.begin, word)
            for call in _calls(text, kernel, "atomicAdd")
            for word in [word for word in _words(call.arguments[0].text) if word != "&"][:1]
        ]
        if found := min(((at, name) for at, name in added if name in names), default=None):
            return {"name": found[1], "line": text.cite(found[0])}
    return None


# ----------------------------------------------------------------------------------------------------------------------
# Launches, dimensions, types and loops that right answers hardly ever have.


def launch_exchanged(text: SourceText) -> Facts | None:
    """A launch whose first argument is called threads, or whose second is called blocks."""
    for launch in text.syntax.launches:
        first, second = [*(each.text.lower() for each in launch.config), "", ""][:2]
        of_threads = "threads" in first or first in ("block", "blocksize", "block_size", "blockdim", "block_dim")
        fits = not second or "thread" in second or second == "block" or second.isdigit() or "block" in first[1:]
        if first.isidentifier() and of_threads and not fits:
            return {"line": text.cite(launch.begin), "blocks": launch.config[0].text}
    return None


def _compact(text: str) -> str:
    """An expression without blanks and closing parentheses."""
    return "".join(text.split()).replace(")", "")


def wrong_factor(text: SourceText) -> Facts | None:
    """A step or an index that is multiplied by the number of blocks instead of the number of threads in a block."""
    set_: list[Declared | Assignment] = [*text.syntax.declared, *text.syntax.assignments]
    forms = {"step": "gridDim.{0}*gridDim.{0}", "start": "blockIdx.{0}*gridDim.{0}+threadIdx"}
    for case, form in forms.items():
        for each in set_:
            if any(form.format(axis) in _compact(_value(each)) for axis in "xyz"):
                return {"case": case, "line": text.cite(each.begin)}
    return None


def one_dimension(text: SourceText) -> Facts | None:
    """A launch with one dimension, although the only kernel reads y."""
    for index, what, whole, line, sizes, read in _dimensions(text):
        in_order = f"{index}.y*{whole}" in _compact(text.cuda.blank)  # also a flat index
        if len(sizes) == 1 and "y" in read and not in_order:
            return {"what": what, "index": index, "line": line}
    return None


def unread_dimension(text: SourceText) -> Facts | None:
    """A launch with x and y, although the only kernel does not read one of them."""
    for index, what, _, line, sizes, read in _dimensions(text):
        for axis, size in zip("xy", sizes, strict=False):
            if len(sizes) > 1 and size != "1" and axis not in read:
                return {"what": what, "index": index, "axis": axis, "line": line}
    return None


def _dimensions(text: SourceText) -> Iterator[tuple[str, str, str, str, list[str], set[str]]]:
    """The sizes of each grid and block, where they are known, and what the only kernel reads of its index."""
    words = _words(text.cuda.blank)  # a macro may read an index too
    globals_ = [each for each in text.cuda.functions if "__global__" in each.qualifiers]
    if "cooperative_groups" in words or len(globals_) != 1:
        return
    for launch in text.syntax.launches:
        for (index, what, whole), argument in zip(INDICES, launch.config, strict=False):
            sizes, place = _sizes(text, argument)
            after = [words[at + 1 : at + 3] for at, word in enumerate(words) if word == index]
            read = {axis for dot, axis in after if dot == "."}
            if read and all(dot == "." for dot, _ in after):
                yield index, what, whole, text.cite(launch.begin if place < 0 else place), sizes, read


def _sizes(text: SourceText, argument: Part) -> tuple[list[str], int]:
    """The sizes of a grid or block, and the place of their declaration (-1: in the launch). No sizes if unknown."""
    name = argument.text
    if not name.isidentifier():
        called = any(call.name != "cdiv" for call in within(text.syntax.calls, argument))  # cdiv gives an integer
        return ([] if called or {".", "{", "["} & set(name) else [name]), -1
    declared = [each for each in text.syntax.declared if each.name == name]
    if len(declared) != 1 or any(each.name == name for each in text.syntax.assignments):
        return [], -1
    (only,) = declared
    if only.type != "dim3" or not only.value:
        return ([name] if only.type in WHOLE else []), -1
    sizes = only.value.source[only.value.begin : only.value.end]
    for call in within(text.syntax.calls, only.value):
        arguments = only.value.source[call.begin : call.end]
        sizes = sizes.replace(arguments, arguments.replace(",", " "))
    return [size.strip("(){} \n") for size in sizes.split(",")], only.begin


def narrow_index(text: SourceText) -> Facts | None:
    """A variable of 8 or 16 bits that holds a block's index, a size, or a loop index that goes up to a size."""
    for function in text.cuda.functions:
        parameters = {each.name for each in function.parameters}
        for each in within(text.syntax.declared, function):
            limit = LIMITS.get(each.type, text.elements)
            if limit >= text.elements or not each.value:
                continue
            sized = set(_words(_value(each))) & {"blockIdx", "gridDim", "cdiv", "size", "numel"}
            if sized or _until(text, each) & parameters:
                return {"name": each.name, "type": each.type, "limit": limit, "line": text.cite(each.begin)}
    return None


def _until(text: SourceText, index: Declared) -> set[str]:
    """What the condition of the loop over an index compares it with."""
    for loop in text.syntax.statements:
        if loop.word == "for" and loop.head.begin <= index.begin < loop.head.end:
            condition = _words(loop.head.text.split(";")[1]) if ";" in loop.head.text else []
            return set(condition[-1:]) if condition[:2] == [index.name, "<"] else set()
    return set()


def fraction_lost(text: SourceText) -> Facts | None:
    """An integer variable that is set to an element of a float array, a shuffled float, or a float result."""
    members = {each.name for each in text.syntax.declared if each.type in FLOAT}
    for function in text.cuda.functions:
        own = within(text.syntax.declared, function)
        arrays = {each.name for each in function.parameters if each.pointers and each.type in FLOAT}
        floats = {each.name for each in own if each.type in FLOAT}
        for each in own:
            if each.type not in WHOLE or not each.value:
                continue
            first, second = [*_words(_value(each)), "", ""][:2]
            shuffled = first.startswith("__shfl") and any(
                call.arguments[1].text in floats or call.arguments[1].text.partition(".")[2] in members
                for call in within(text.syntax.calls, each.value)[:1]
                if len(call.arguments) > 1
            )
            if (first in arrays and second == "[") or (first in FLOAT_FUNCTIONS and second == "(") or shuffled:
                return {"name": each.name, "line": text.cite(each.begin)}
    return None


def late_start(text: SourceText) -> Facts | None:
    """A loop that begins at 1 if a loop of the same length begins at 0, except one that reads what is before."""
    for function in text.cuda.functions:
        if "[0]" in "".join(function.text.split()):  # the first element may be handled before the loop
            continue
        begins: dict[str, dict[str, int]] = {}
        for loop in within(text.syntax.statements, function):
            for index in within(text.syntax.declared, loop.head)[:1] if loop.word == "for" else ():
                rest = loop.head.text.partition(";")[2]
                form = " ".join("_" if word == index.name else word for word in _words(rest))
                before = re.search(rf"\b{index.name} ?- ?1\b", text.cuda.blank[loop.begin : loop.end])
                if index.value and index.value.text in "01" and not before:
                    begins.setdefault(form, {}).setdefault(index.value.text, loop.begin)
        for begin in begins.values():
            if len(begin) == 2 and not _takes_an_element(text, function, begin["1"]):
                return {"line": text.cite(begin["1"]), "first": line_of(text.cuda.source, begin["0"])}
    return None


def _takes_an_element(text: SourceText, function: Function, loop: int) -> bool:
    """Whether a variable is set to an array's element just before the loop and changes later, like a maximum."""
    taken = {
        each.name
        for each in within(text.syntax.declared, function)
        if each.value and loop - 200 < each.begin < loop and "[" in each.value.text
    }
    return any(each.name in taken and each.begin > loop for each in within(text.syntax.assignments, function))


def shifted_load(text: SourceText) -> Facts | None:
    """A store at an index of what another array has one element before or after, if it is never read at this index."""
    for kernel in text.kernels:
        arrays = {each.name for each in kernel.parameters if each.pointers}
        code = "".join(kernel.text.split())
        for store in within(text.syntax.assignments, kernel):
            index = "".join(store.target.text.split()).removeprefix(f"{store.name}[").removesuffix("]")
            if store.name not in arrays or f"{store.name}[{index}]" not in code:
                continue
            value = "".join(_value(store).split())
            for name, sign in re.findall(rf"\b(\w+)\[{re.escape(index)}([+-])1\]", value):
                if name in arrays - {store.name} and f"{name}[{index}]" not in code:  # a difference reads both
                    return {"case": "next" if sign == "+" else "previous", "name": name, "line": text.cite(store.begin)}
    return None
