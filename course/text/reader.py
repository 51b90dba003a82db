"""Reads a CUDA source with tree-sitter, whose grammar of CUDA parses any text, also a half-typed one.

What tree-sitter cannot read is in ERROR nodes, and everything around them is read.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course.text.conditions import spaces, without
from course.text.syntax import Assignment, Call, Declared, Function, Launch, Name, Part, Statement, Syntax

if TYPE_CHECKING:
    from tree_sitter import Language, Node

    from course.text.cuda import CudaText

NOT_IN_A_PROTOTYPE = ("inline", "__host__")
_SCOPES = {"namespace_definition", "class_specifier", "struct_specifier", "union_specifier"}
_STATEMENTS = {
    "if_statement": "if",
    "else_clause": "else",
    "for_statement": "for",
    "for_range_loop": "for",
    "while_statement": "while",
    "do_statement": "do",
    "switch_statement": "switch",
    "return_statement": "return",
}
_DECLARATORS = {"pointer_declarator", "reference_declarator", "array_declarator", "function_declarator",
                "parenthesized_declarator", "init_declarator", "attributed_declarator", "structured_binding_declarator",
                "abstract_pointer_declarator", "variadic_declarator"}  # fmt: skip
_NAMES = {"identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name"}
_ROLES = {
    "declaration": "variable",
    "for_range_loop": "variable",
    "parameter_declaration": "parameter",
    "optional_parameter_declaration": "parameter",
    "variadic_parameter_declaration": "parameter",
    "field_declaration": "member",
}
_SPECIFIED = {"declaration", "field_declaration", "function_definition", "ERROR"}
_NAMED = {"identifier", "type_identifier", "namespace_identifier", "qualified_identifier", "null"}
_BOUNDS = re.compile(
    r"\b(?:__launch_bounds__|__maxnreg__|C10_LAUNCH_BOUNDS_\d)\s*+\([^()]*+(?:\([^()]*+\)[^()]*+){0,9}\)"
)
_UNENDED = re.compile(r"(?<=\))(?:[^\S\n]*\n(?=\s*[A-Za-z_])|\s(?=\s*\}))")
_LONGEST_RETRIED = 20_000  # characters of a text that is parsed again
_MOST_SECONDS = 0.25  # of processor time for a parse, which for a kernel of 20 kB takes 0.01 s
_MOST_NODES = 110_000  # of a tree; CUDA code has one for every 2 or 3 characters
_CHUNK = 8192  # bytes that the parser takes at a time
_LONGEST_NAME = 500  # characters, with template arguments
_CASTS = (b"reinterpret_cast", b"static_cast", b"const_cast")
_MOST_CASTS = 8  # around each other
_WORDS = {"gnu_asm_expression": "asm", "throw_statement": "throw", "try_statement": "try"}


@functools.cache
def _language() -> Language:
    import tree_sitter  # takes longer than to parse a cell, and few commands need it
    import tree_sitter_cuda

    return tree_sitter.Language(tree_sitter_cuda.language())


def parse(text: str) -> Node:
    """The tree of `text`, which has no comments and no preprocessor lines; its offsets are those of the characters.

    It is empty if the parse does not end soon or the tree is large, since no text may keep the autograder busy. Of
    deeply nested names, for example, the time grows with the square of their length.
    """
    import tree_sitter

    text = text.replace("__align__", "alignas  ")  # the grammar has only the second
    text = _BOUNDS.sub(lambda bounds: spaces(bounds[0]), text)  # which the grammar has only in few places
    text = re.sub(r"[^\x01-\x7f]", lambda character: "_" if character[0].isalnum() else " ", text)
    code, end = text.encode("ascii"), time.thread_time() + _MOST_SECONDS
    parser = tree_sitter.Parser(_language())
    try:
        root = parser.parse(
            lambda begin, _: code[begin : begin + _CHUNK], progress_callback=lambda *_: time.thread_time() > end
        ).root_node
    except ValueError:  # the callback has ended it
        root = None
    if root is None or root.descendant_count > _MOST_NODES:
        root = tree_sitter.Parser(_language()).parse(b"").root_node
    return root


@dataclass(frozen=True)
class _Around:
    """What is around a node: a function, a scope, a qualified name, and the offset at which its definition begins."""

    in_function: bool = False
    scope: str = ""
    qualified: bool = False
    begin: int = -1


def read(cuda: CudaText) -> Syntax:
    """What is in a source.

    It is read as a whole, with all branches of `#if` in which brackets match. If it can be parsed only with a semicolon
    after calls of macros, or only without the branches that macros decide, it is read in this way, and each branch on
    its own. The texts of macros always are.
    """
    reader = _Reader(cuda)
    whole, branches, alone = parse(cuda.parsed), cuda.regions.odd, _Around(in_function=True)
    if whole.has_error and len(cuda.source) <= _LONGEST_RETRIED:
        certain = without(cuda.parsed, cuda.regions.spare)
        tries = ((_with_semicolons(cuda.parsed), False), (certain, True), (_with_semicolons(certain), True))
        for text, is_certain in tries:
            if not (tree := parse(text)).has_error:
                whole = tree
                if is_certain:
                    left_out = [(begin, end) for begin, end in cuda.regions.undecided if certain[begin:end].isspace()]
                    branches, alone = left_out, _Around()
                break
    reader.read(whole, 0, _Around())
    for begin, end in branches:
        reader.read(parse(cuda.lines[begin:end]), begin, alone)
    for _, (begin, end) in cuda.definitions:
        reader.read(parse(cuda.lines[begin:end]), begin, _Around(in_function=True))
    return reader.found.ordered()


def _with_semicolons(text: str) -> str:
    """`text` with a semicolon after each `)` that ends a line or a block: a macro may bring the semicolon."""
    return _UNENDED.sub(lambda blanks: f"{blanks[0][:-1]};", text)


class _Reader:
    """Notes in `found` what is in a source's trees; the current tree begins at the offset `shift` of the source."""

    def __init__(self, cuda: CudaText):
        self.cuda, self.code, self.shift = cuda, cuda.without_comments, 0
        self.found = Syntax()

    def read(self, root: Node, shift: int, around: _Around) -> None:
        self.shift = shift
        nodes = [(root, around)]
        while nodes:
            node, around = nodes.pop()
            around = self._note(node, around)
            nodes += reversed([*self._children(node, around)])

    def _part(self, begin: int, end: int) -> Part:
        """The part between two offsets of a tree."""
        return Part(begin + self.shift, end + self.shift, self.code)

    def _of(self, node: Node) -> Part:
        return self._part(node.start_byte, node.end_byte)

    def _text(self, node: Node) -> str:
        return self._of(node).text

    def _list(self, node: Node | None) -> tuple[Part, ...]:
        """The elements of an argument list, an initializer list or a launch's configuration."""
        if node is None:
            return ()
        found: list[Part] = []
        begin = node.children[0].end_byte if node.children else node.end_byte
        for child in node.children[1:]:
            if child.type in (",", ")", "}", ">>>"):
                part = self._part(begin, child.start_byte)
                if part.text or child.type == ",":
                    found.append(part)
                begin = child.end_byte
        return tuple(found)

    def _bare(self, node: Node) -> str:
        """The text of a name without its template arguments; "" if it is longer than any name."""
        if node.end_byte - node.start_byte > _LONGEST_NAME:
            return ""
        if node.type in ("template_function", "template_method", "template_type"):
            return self._bare(node.children[0])
        if node.type in ("qualified_identifier", "field_expression"):
            return "".join(self._bare(child) for child in node.children)
        return self._text(node)

    def _children(self, node: Node, around: _Around) -> Iterator[tuple[Node, _Around]]:
        begin = around.begin
        for child in node.named_children:
            yield child, around if begin == around.begin else dataclasses.replace(around, begin=begin)
            if not around.in_function:
                # A macro before a definition is an error of its own, or a declaration without its semicolon.
                unfinished = child.type == "ERROR" or (child.children and child.children[-1].is_missing)
                if not unfinished:
                    begin = around.begin
                elif begin < 0:
                    begin = child.start_byte + self.shift

    def _note(self, node: Node, around: _Around) -> _Around:
        """Note what a node is; what is around its children."""
        kind = node.type
        if kind in _NAMED:
            if not around.qualified:
                self._name(node)
            if kind == "qualified_identifier":
                return dataclasses.replace(around, qualified=True)
        elif kind == "template_argument_list" and around.qualified:
            return dataclasses.replace(around, qualified=False)
        elif kind in _WORDS:
            begin = node.start_byte + self.shift
            self.found.names.append(Name(_WORDS[kind], begin, begin + len(_WORDS[kind])))
            if kind == "gnu_asm_expression":
                self._assembly(node)
        elif kind == "call_expression":
            self._call(node)
        elif kind in ("assignment_expression", "update_expression"):
            self._assignment(node)
        elif kind in _STATEMENTS:
            self._statement(node)
        elif kind in _SCOPES:
            return dataclasses.replace(around, scope="" if around.in_function else self._scope(node), begin=-1)
        elif kind == "declaration_list":
            return dataclasses.replace(around, begin=-1)
        elif kind in ("template_declaration", "linkage_specification") and around.begin < 0:
            return dataclasses.replace(around, begin=node.start_byte + self.shift)
        elif kind == "type_parameter_declaration" and node.named_children:
            self.found.type_parameters.add(self._text(node.named_children[-1]))
        if kind in _SPECIFIED:
            self._specifiers(node)
        if kind in _ROLES:
            self.found.declared += self._declared(node, around)
        elif kind == "function_definition" and not around.in_function and (function := self._function(node, around)):
            self.found.functions.append(function)
            return dataclasses.replace(around, in_function=True, scope="")
        return around

    def _scope(self, node: Node) -> str:
        kind, name = node.type.partition("_")[0], node.child_by_field_name("name")
        return f"the {kind} {self._text(name)}" if name is not None else f"a {kind} without a name"

    def _name(self, node: Node) -> None:
        whole = self._of(node)
        self.found.names.append(Name(self._bare(node).removeprefix("::"), whole.begin, whole.end))

    def _specifiers(self, node: Node) -> None:
        found = {}
        for child in node.children:
            word = child.children[0] if child.type in ("storage_class_specifier", "type_qualifier") else child
            if word.type == "alignas_qualifier":
                found["alignas"] = self._of(word)
            elif word.type in ("static", "__shared__", "__noinline__"):
                found[word.type] = self._of(word)
            elif word.type in ("asm", "__asm__"):  # only in an error
                self._name(word)
        if found:
            self.found.specifiers.append(found)

    def _call(self, node: Node) -> None:
        callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if callee is None or arguments is None or len(arguments.children) < 2:
            return
        config = next((child for child in node.children if child.type == "kernel_call_syntax"), None)
        if config is None:
            function = self._bare(callee)
            name = re.split(r"\W+", function)[-1]
            whole, first = self._of(node), next(iter(arguments.named_children), None)
            passed = self._of(_without_casts(first)) if first is not None else None
            self.found.calls.append(Call(function, name, whole.begin, whole.end, self._list(arguments), passed))
            return
        # What is before a launch, such as a macro without a semicolon, is an error within the launch.
        first = next(child for child in reversed(node.children) if child.end_byte <= config.start_byte)
        if first.type == "ERROR" and first.named_children and first.named_children[-1].end_byte == first.end_byte:
            first = first.named_children[-1]
        kernel, ends = self._of(first), (config.children[-1], arguments.children[-1])
        is_name = first.type != "ERROR" and 0 < kernel.end - kernel.begin < _LONGEST_NAME and "<<<" not in kernel.text
        if not is_name or any(end.is_missing for end in ends):
            return
        self.found.launches.append(
            Launch(
                kernel=kernel,
                function=self._bare(first),
                name=re.split(r"\W+", self._bare(first))[-1],
                config=self._list(config),
                arguments=self._list(arguments),
                angles=(config.children[0].start_byte + self.shift, config.children[-1].start_byte + self.shift),
                parentheses=(arguments.start_byte + self.shift, arguments.end_byte - 1 + self.shift),
            )
        )

    def _assembly(self, node: Node) -> None:
        lists = [node.child_by_field_name(name) for name in ("output_operands", "input_operands")]
        operands = [each for one in lists if one is not None for each in one.children_by_field_name("operand")]
        values = tuple(self._of(each.child_by_field_name("value") or each) for each in operands)
        code, whole = node.child_by_field_name("assembly_code") or node, self._of(node)
        self.found.calls.append(Call("asm", "asm", whole.begin, whole.end, values, self._of(code)))

    def _assignment(self, node: Node) -> None:
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        operator, value = node.child_by_field_name("operator"), node.child_by_field_name("right")
        if target is not None and operator is not None:
            part = self._of(target)
            name = re.search(r"[A-Za-z_]\w*", part.text)
            self.found.assignments.append(
                Assignment(
                    target=part,
                    name=name[0] if name else "",
                    operator=self._text(operator),
                    value=self._of(value) if value is not None else None,
                    begin=node.start_byte + self.shift,
                )
            )

    def _statement(self, node: Node) -> None:
        open_ = next((child for child in node.children if child.type == "("), None)
        close = next((child for child in reversed(node.children) if child.type == ")"), None)
        condition = node.child_by_field_name("condition")
        if open_ is not None and close is not None:
            head = self._part(open_.end_byte, close.start_byte)
        elif condition is not None:
            head = self._part(condition.start_byte + 1, condition.end_byte - 1)
        elif node.type == "return_statement":
            head = self._part(node.start_byte + len("return"), max(node.end_byte - 1, node.start_byte + len("return")))
        else:
            head = self._part(node.start_byte, node.start_byte)
        whole = self._of(node)
        self.found.statements.append(Statement(_STATEMENTS[node.type], whole.begin, whole.end, head))

    def _declared(self, node: Node, around: _Around) -> Iterator[Declared]:
        """The names that a declaration or a parameter declares."""
        role, declarators = _ROLES[node.type], node.children_by_field_name("declarator")
        head = self._part(node.start_byte, declarators[0].start_byte if declarators else node.end_byte)
        kind = node.child_by_field_name("type")
        statement = Declared(
            name="",
            begin=node.start_byte + self.shift,
            role=role,
            nested=bool(around.scope),
            head=head,
            kind=self._of(kind) if kind is not None else None,
            pointers=0,
            sizes=(),
            value=None,
            statement=self._of(node),
        )
        for declarator in declarators:
            yield from self._declarator(declarator, node, statement, around)
        if role == "parameter" and not declarators:
            yield statement

    def _declarator(self, node: Node, parent: Node, statement: Declared, around: _Around) -> Iterator[Declared]:
        """The names in a declarator of a declaration, of which `statement` has what all its names share."""
        value = parent.child_by_field_name("default_value") or parent.child_by_field_name("value")
        role, pointers, sizes, inner = statement.role, 0, list[str](), node
        while inner.type in _DECLARATORS:
            if inner.type in ("pointer_declarator", "abstract_pointer_declarator"):
                pointers += 1
            elif inner.type == "array_declarator":
                size = inner.child_by_field_name("size")
                sizes.insert(0, self._text(size) if size is not None else "")
            elif inner.type == "init_declarator":
                value = inner.child_by_field_name("value")
            elif inner.type == "function_declarator" and (named := _inner(inner)) and named.type in _NAMES:
                value = inner.child_by_field_name("parameters") if around.in_function else None
                role = role if around.in_function or role != "variable" else "function"
            if inner.type == "structured_binding_declarator" or (following := _inner(inner)) is None:
                break
            inner = following
        names = inner.named_children if inner.type == "structured_binding_declarator" else [inner]
        for name in names:
            known = name.type in _NAMES
            if known or role == "parameter":
                yield dataclasses.replace(
                    statement,
                    name=self._text(name) if known else "",
                    begin=name.start_byte + self.shift,
                    role=role,
                    pointers=pointers,
                    sizes=tuple(sizes),
                    value=self._of(value) if value is not None else None,
                )

    def _function(self, node: Node, around: _Around) -> Function | None:
        declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = _inner(declarator)
        if declarator is None or body is None or body.type != "compound_statement":
            return None
        name, parameters = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("parameters")
        if name is None or parameters is None:
            return None
        while inner := name.child_by_field_name("name"):  # `f` of `S::f`
            name = inner
        begin = around.begin if around.begin >= 0 else node.start_byte + self.shift
        at, body_at, end = (place + self.shift for place in (name.start_byte, body.start_byte, body.end_byte))
        undecided = self.cuda.certain[begin:body_at] != self.cuda.without_directives[begin:body_at]
        before = self._before(begin, at)
        taken = [each for each in parameters.named_children if each.type in _ROLES]
        result = next((child for child in declarator.children if child.type == "trailing_return_type"), None)
        prototype = (
            *(word for word in before.split() if word not in NOT_IN_A_PROTOTYPE),
            f"{self._text(name)}({self._without_defaults(parameters, taken)})",
            *([self._text(result)] if result is not None else ()),
        )
        return Function(
            name=self._text(name),
            begin=at,
            before=before,
            parameters=tuple(each for parameter in taken for each in self._declared(parameter, around)),
            prototype=f"{' '.join(prototype)};",
            body=Part(body_at + 1, end - 1, self.code),
            text=self.cuda.text[body_at + 1 : end - 1],
            scope=around.scope,
            undecided=undecided,
        )

    def _before(self, begin: int, end: int) -> str:
        """The text before a function's name; if no macro decides on the name, without what a macro decides on."""
        text = self.cuda.code if self.cuda.undecided_until(end) else self.cuda.certain_code
        return " ".join(_BOUNDS.sub(" ", text[begin:end]).split())

    def _without_defaults(self, parameters: Node, taken: Sequence[Node]) -> str:
        begin, end = parameters.start_byte + self.shift, parameters.end_byte + self.shift
        defaults = []
        for each in taken:
            equals = next((child for child in each.children if child.type == "="), None)
            if equals is not None:
                defaults.append((equals.start_byte + self.shift - begin, each.end_byte + self.shift - begin))
        text = without(self.cuda.code[begin:end], defaults)[1:-1]
        return re.sub(r"\s+(?=,|$)", "", " ".join(text.split()))


def _without_casts(node: Node) -> Node:
    """What is cast, or whose address is taken, in an expression."""
    for _ in range(_MOST_CASTS):
        inner = None
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if node.type in ("cast_expression", "pointer_expression"):
            inner = node.child_by_field_name("value") or node.child_by_field_name("argument")
        elif called and arguments and called.type == "template_function" and called.children[0].text in _CASTS:
            inner = next(iter(arguments.named_children), None)
        if inner is None:
            break
        node = inner
    return node


def _inner(declarator: Node) -> Node | None:
    """The declarator, or the name, inside of a declarator."""
    return declarator.child_by_field_name("declarator") or next(
        (child for child in declarator.named_children if child.type in _DECLARATORS | _NAMES), None
    )
