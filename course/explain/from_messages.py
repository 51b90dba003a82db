"""What messages of compilers, CUDA and PyTorch mean: the patterns of messages, in order, by the id of their rule.

A pattern for a compiler's errors is searched in the errors as they are shown: after `error:` comes the message, then
the line that it is about. Its named groups are facts for the rule's sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from course.explain.texts import TEXTS, Found

_ELEMENT = r"float|double|int|long|int64_t|short|bool"
_UNKNOWN = r"(?:was not declared|is undefined|does not name a type|has not been declared)"
_QUOTED = r"(?m)error: .*\n    "
_WORDS = "|".join(TEXTS["instead"])

ERRORS = (
    ("keyword", rf"['\"](?:_+(?:sh?ar|glo?b|devi|const)\w*|shared|global|device)['\"] {_UNKNOWN}"),
    # torch::indexing has a None.
    ("other_word", rf"\A(?:(?!indexing)[\s\S])*['\"](?P<name>{_WORDS})['\"] {_UNKNOWN}"),
    ("python_loop", rf"{_QUOTED}(?:for\s+\w+\s+in\b|for\s*\(\s*\w+\s+in\b)"),
    (
        "python_condition",
        rf"{_QUOTED}(?:if|while)\b[^;]*:$|(?:expected '\('|expected a \"\(\").*\n    (?:if|while)\b",
    ),
    ("python_function", rf"{_QUOTED}def\s"),
    ("python_namespace", rf"{_QUOTED}(?:.*[^\w.>])?torch\.\w"),
    ("undeclared", rf"(?m)error: (?:identifier )?['\"](?P<name>\w+)['\"] {_UNKNOWN}.*\n    (?P=name)\s*=[^=]"),
    ("cdiv", rf"['\"]cdiv['\"] {_UNKNOWN}"),
    ("assert_message", r"macro \"?assert\"? passed \d+ arguments"),
    ("course_header", r"(?m)error: (?:course/[\w/.+-]+|checks?\.h): No such file"),
    (
        "include_checks",
        r"'check_\w+' is not a member of 'course'|namespace \"course\" has no member \"check_"
        r"|'course' has not been declared|name followed by \"::\" must be .*\n.*\bcourse::",
    ),
    (
        # Looked for in the message, not in the quoted line below it. For an unknown namespace, nvcc only quotes the
        # line.
        "include_context",
        r"(?m)^\S.*(?:getCurrentCUDAStream|at::cuda|c10::cuda|C10_CUDA_KERNEL_LAUNCH_CHECK|C10_CUDA_CHECK)"
        r"|'cuda' (?:is not a member of|in namespace) '(?:at|c10)'"
        r"|name followed by \"::\" must be .*\n.*(?:at|c10)::cuda::",
    ),
    ("other_pointer", rf"cannot convert '(?:const )?(?P<given>{_ELEMENT})\*' to '(?:const )?(?P<taken>{_ELEMENT})\*'"),
    (
        "other_pointer",
        rf"\"(?:const )?(?P<given>{_ELEMENT}) \*\"\)? is incompatible with parameter of type "
        rf"\"(?:const )?(?P<taken>{_ELEMENT}) \*",
    ),
    (
        "tensor_passed",
        rf"cannot convert 'at::Tensor' to '(?:const )?(?:{_ELEMENT})\*'"
        rf"|from \"at::Tensor\" to \"(?:const )?(?:{_ELEMENT}) \*\" exists"
        rf"|invalid conversion from 'void\*' to '(?:const )?(?:{_ELEMENT})\*'.*\n.*data_ptr\(\)"
        rf"|\"void \*\" is incompatible with parameter of type \"(?:const )?(?:{_ELEMENT}) \*.*\n.*data_ptr\(\)"
        r"|(?m:^\S.*emulator::Launch\).*unresolved overloaded function type)|pointer to a bound function may only",
    ),
    ("two_angles", r"(?m)^    .*\w\s*(?:<[\w:, ]+>\s*)?(?<!<)<<(?!<).*>>>?\s*\("),
    ("capture", r"is not captured|cannot be referenced in a lambda body unless it is in the capture list"),
    ("atomic_add", r"no matching function for call to 'atomicAdd\(|function \"atomicAdd\" matches"),
    ("min_max", r"no matching function for call to '(?:min|max)\(|function \"std::(?:min|max)\" matches"),
    ("no_template", r"no matching function for call to '(?P<name>\w+)<[^']*>\("),
    ("odd_character", r"(?m)^\S.*(?:before '\\U|stray '\\|unrecognized token)"),
    # Not in the student's text but in the bindings.
    ("prototype", r"(?m)^error: .(?P<name>\w*[a-z]\w*). was not declared in this scope"),
    ("library_docstring", r"(?m)^\S.*torch::Library::def"),
    ("shape", r"at::Tensor['\"] has no member (?:named )?['\"]shape['\"]"),
    ("shim_member", r"at::Tensor['\"] has no member (?:named )?['\"](?P<name>\w+)"),
    (
        "shim_pybind",
        r"(?m)^\S.*(?:course::Module|is not a member of 'py(?:bind11)?'|namespace \"py(?:bind11)?\" has no member)",
    ),
    # Before the errors that follow from it, such as an unknown scalar_t.
    ("shim_lacks", r"(?m)^\S.*['\"](?P<name>(?:AT|C10|TORCH)_\w+)['\"] (?:was not declared|is undefined)"),
    (
        "shim_lacks",
        r"(?m)^\S.*(?:is not a member of '(?:torch|at|c10)'|'(?:torch|at|c10)::\w+' has not been declared"
        r"|namespace \"(?:torch|at|c10)\" has no member)"
        r"|name followed by \"::\" must be .*\n.*\b(?:torch|at|c10)::",
    ),
    ("emulator_lacks", r"(?m)^\S.*'(?P<name>(?:cuda|__)\w+)' was not declared"),
    ("shim_header", r"(?m)error: (?P<name>[\w/.+-]+): No such file"),
    ("scalar_t", rf"['\"]scalar_t['\"] {_UNKNOWN}"),
    ("unknown_name", rf"\A(?:\w+, )?line \d+: error: (?:identifier )?['\"](?P<name>\w+)['\"] {_UNKNOWN}"),
)

FAILED_CALLS = (
    ("refused_launch", "invalid configuration argument|invalid argument"),  # one of these, if CUDA refuses a launch
    ("illegal_access", "illegal memory access"),
    ("number_of_gradients", "returned an incorrect number of gradients"),
    ("order_of_gradients", "returned an invalid gradient at index"),
    ("name_of_another_cell", "NameError: "),
)


def meaning(patterns: Sequence[tuple[str, str]], message: str) -> Found | None:
    """What a message means by the first of these patterns that it has; None if it has none."""
    for name, pattern in patterns:
        if match := re.search(pattern, message):
            facts = {key: value for key, value in match.groupdict().items() if value}
            return Found(name, {"name": "it", "case": "own", **facts})
    return None
