"""What the text of a prediction may hold: the student's own arithmetic, and no road to the task's."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Collection

from course.worker.protocol import AnswerError
from course.worker.recording import ANSWER

STATEMENTS = (
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.If, ast.For, ast.While, ast.FunctionDef, ast.Return),
    *(ast.Import, ast.ImportFrom, ast.Assert, ast.Pass, ast.Break, ast.Continue, ast.Raise, ast.Try),
    *(ast.Global, ast.Nonlocal, ast.Delete),
)
# Those that compute, some that are likely names of a variable, and errors: none reaches what has no name here.
BUILTINS = frozenset(
    (
        *("abs", "all", "any", "bin", "bool", "bytes", "chr", "complex", "dict", "divmod", "enumerate", "filter"),
        *("float", "format", "frozenset", "hash", "hex", "id", "input", "int", "isinstance", "iter", "len", "list"),
        *("map", "max", "min", "next", "oct", "ord", "pow", "print", "range", "repr", "reversed", "round", "set"),
        *("slice", "sorted", "str", "sum", "tuple", "zip"),
        *("Exception", "ArithmeticError", "AssertionError", "IndexError", "KeyError", "LookupError", "OverflowError"),
        *("RuntimeError", "TypeError", "ValueError", "ZeroDivisionError"),
    )
)
# What a prediction runs with: a name of Python's that it may have for a variable of its own is nowhere but there.
NAMES = {
    "__name__": "__main__",
    "__builtins__": {name: getattr(builtins, name) for name in (*BUILTINS, "__import__")},
}
FUNCTIONS = frozenset(name for name in dir(math) if not name.startswith("_"))
# Of numbers, text and containers; none leads from these to anything else, except `format`, which reads attributes.
METHODS = frozenset(
    name for kind in (int, float, str, tuple, list, dict, set) for name in dir(kind) if not name.startswith("_")
) - {"format", "format_map"}


def require_arithmetic(source: str) -> None:
    """Raise AnswerError, with the line, where `source` has more than values and functions that it makes itself.

    Its text alone decides, before any of it runs: the statements, `math` for the one import, the attributes that `math`
    and plain data have, and which of Python's own names. A name that it does not bind is left to Python, which is to
    run it with `NAMES`. A worker calls it, since some texts end the process that parses them. Raises SyntaxError as
    Python does.
    """
    nodes = list(ast.walk(ast.parse(source, ANSWER)))
    bound = {name for node in nodes if (name := _bound(node))}
    for node in nodes:
        if disallowed := _disallowed(node, BUILTINS | bound):
            line = getattr(node, "lineno", 1)
            raise AnswerError(
                f"Line {line} of the answer has {disallowed}, and a prediction is your own arithmetic: write it with "
                "numbers, lists, operators, loops, functions of your own, Python's min, round and their like, and math."
            )


def _bound(node: ast.AST) -> str | None:
    """The name that `node` binds."""
    match node:
        case (
            ast.Name(id=name, ctx=ast.Store())
            | ast.FunctionDef(name=name)
            | ast.arg(arg=name)
            | ast.alias(asname=str(name))
            | ast.ExceptHandler(name=str(name))
        ):
            return name
    return None


def _disallowed(node: ast.AST, names: Collection[str]) -> str:
    """What of `node`, apart from its parts, is not arithmetic, or "". Python's own `names` are allowed."""
    match node:
        case ast.Import(names=parts) if any(alias.name != "math" for alias in parts):
            return f"`{ast.unparse(node)}`"
        case ast.ImportFrom(module="__future__", level=0) | ast.Name(id="__name__", ctx=ast.Load()):
            return ""
        case ast.ImportFrom(module=module, names=parts, level=level) if (
            level or module != "math" or not FUNCTIONS.issuperset(alias.name for alias in parts if alias.name != "*")
        ):
            return f"`{ast.unparse(node)}`"
        case ast.Attribute(attr=name) if name not in FUNCTIONS | METHODS:
            return f"`.{name}`"
        case ast.Name(id=name) if name.startswith("__") or (hasattr(builtins, name) and name not in names):
            return f"`{name}`"
        case _ if (name := _bound(node)) and name.startswith("__"):
            return f"`{name}`"
        case ast.stmt() if not isinstance(node, STATEMENTS):
            return f"`{ast.unparse(node).splitlines()[0]}`"
    return ""
