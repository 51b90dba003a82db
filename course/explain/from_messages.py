"""What messages of compilers, CUDA and PyTorch mean: the patterns of messages, in order, by the id of their rule.

A pattern for a compiler's errors is searched in the errors as they are shown: after `error:` comes the message, then
the line that it is about. Its named groups are facts for the rule's sentence.
"""

import re
from collections.abc import Sequence

from course.explain.texts import TEXTS, Found

_ELEMENT = r"float|double|int|long|int64_t|short|bool"
# What precedes an unknown name. clang says before the name that it is unknown, nvcc and g++ after it.
_UNKNOWN = (
    r"(?:(?:use of undeclared identifier|unknown type name|call to function(?= '\w+' that is neither)) "
    r"|(?:identifier )?"
    r"(?=.\w+['\"] (?:was not declared|is undefined|does not name a type|has not been declared)))['\"]"
)
_NO_FILE = "(?:: No such file|' file not found)"
_NO_MEMBER = r"(?:at::Tensor['\"] has no member (?:named )?|no member named (?='\w+' in 'at::Tensor'))['\"]"
_QUOTED = r"(?m)error: .*\n    "
_WORDS = "|".join(TEXTS["instead"])

ERRORS = (
    ("keyword", rf"{_UNKNOWN}(?:_+(?:sh?ar|glo?b|devi|const)\w*|shared|global|device)['\"]"),
    ("other_letter", rf"{_UNKNOWN}(?P<name>\w*[^\W\x00-\x7f]\w*)['\"]"),
    # torch::indexing has a None.
    ("other_word", rf"\A(?:(?!indexing)[\s\S])*{_UNKNOWN}(?P<name>{_WORDS})['\"]"),
    ("python_loop", rf"{_QUOTED}(?:for\s+\w+\s+in\b|for\s*\(\s*\w+\s+in\b)"),
    ("python_condition", rf"{_QUOTED}(?:if|while)\b[^;]*:$|(?:expected '\('|expected a \"\(\").*\n    (?:if|while)\b"),
    ("python_import", rf"{_QUOTED}(?:import|from)\s+\w"),
    ("python_function", rf"{_QUOTED}def\s"),
    ("python_namespace", rf"{_QUOTED}(?:.*[^\w.>])?torch\.\w"),
    ("undeclared", rf"(?m)error: {_UNKNOWN}(?P<name>\w+)['\"].*\n    (?P=name)\s*=[^=]"),
    ("cdiv", rf"{_UNKNOWN}cdiv['\"]"),
    ("assert_message", r"macro \"?assert\"? passed \d+ arguments|too many arguments provided to .*\n.*\bassert\("),
    ("course_header", rf"(?m)error: '?(?:course/[\w/.+-]+|checks?\.h){_NO_FILE}"),
    (
        "include_checks",
        r"'check_\w+' (?:is not a member of|in namespace) 'course'|namespace \"course\" has no member \"check_"
        rf"|{_UNKNOWN}course['\"]|name followed by \"::\" must be .*\n.*\bcourse::",
    ),
    (
        # Looked for in the message, not in the quoted line below it. For an unknown namespace, nvcc only quotes the
        # line.
        "include_context",
        r"(?m)^\S.*(?:getCurrentCUDAStream|at::cuda|c10::cuda|C10_CUDA_KERNEL_LAUNCH_CHECK|C10_CUDA_CHECK)"
        r"|'cuda' (?:is not a member of|in namespace) '(?:at|c10)'"
        r"|name followed by \"::\" must be .*\n.*(?:at|c10)::cuda::",
    ),
    ("atomic_add", r"no matching function for call to 'atomicAdd'|function \"atomicAdd\" matches"),
    (
        "other_pointer",
        rf"no known conversion from '(?:[^']*' \(aka ')?(?:const )?(?P<given>{_ELEMENT}) \*'\)? "
        rf"to '(?:const )?(?P<taken>{_ELEMENT}) \*'",
    ),
    (
        "other_pointer",
        rf"\"(?:const )?(?P<given>{_ELEMENT}) \*\"\)? is incompatible with parameter of type "
        rf"\"(?:const )?(?P<taken>{_ELEMENT}) \*",
    ),
    (
        "tensor_passed",
        rf"no known conversion from 'at::Tensor' to '(?:const )?(?:{_ELEMENT}) \*'"
        rf"|from \"at::Tensor\" to \"(?:const )?(?:{_ELEMENT}) \*\" exists"
        rf"|(?:conversion from|incomplete type) 'void \*' to '(?:const )?(?:{_ELEMENT}) \*'.*\n.*data_ptr\(\)"
        rf"|\"void \*\" is incompatible with parameter of type \"(?:const )?(?:{_ELEMENT}) \*.*\n.*data_ptr\(\)"
        r"|member function must be called.*\n.*data_ptr|pointer to a bound function may only",
    ),
    ("two_angles", r"(?m)^    .*\w\s*(?:<[\w:, ]+>\s*)?(?<!<)<<(?!<).*>>>?\s*\("),
    (
        "capture",
        r"is not captured|cannot be (?:implicitly captured|referenced in a lambda body unless it is in the capture)",
    ),
    ("min_max", r"no matching function for call to '(?:min|max)['(]|function \"std::(?:min|max)\" matches"),
    ("shared_size", "variable length array declaration cannot have 'static' storage"),
    ("no_template", rf"(?m){_UNKNOWN}(?P<name>\w+)'.*\n.*\b(?P=name)<[^<>]+>(?:<<<|\()"),
    ("python_comment", r"(?m)error: (?:expected expression|stray '#'|unrecognized token)\n    (?:.*\s)?#"),
    ("stray_character", r"(?m)^\S.*(?:stray '\\|unrecognized token)|error: expected .*\n[^\"'/]*[@\\]."),
    # Not in the student's text but in the bindings.
    ("prototype", rf"(?m)^error: {_UNKNOWN}(?P<name>\w*[a-z]\w*)['\"]"),
    ("library_docstring", r"(?m)^\S.*(?:torch::Library::def|'def': .*at::Tag>' for 3rd argument)"),
    ("shape", rf"{_NO_MEMBER}shape['\"]"),
    ("shim_member", rf"{_NO_MEMBER}(?P<name>\w+)"),
    (
        "shim_pybind",
        r"(?m)^\S.*(?:course::Module|redefinition of 'PyInit_|'def': couldn't infer"
        r"|(?:is not a member of|in namespace) 'py(?:bind11)?'"
        r"|namespace \"py(?:bind11)?\" has no member)",
    ),
    # Before the errors that follow from it, such as an unknown scalar_t.
    ("shim_lacks", rf"(?m)^\S.*{_UNKNOWN}(?P<name>(?:AT|C10|TORCH)_\w+)"),
    (
        "shim_lacks",
        r"(?m)^\S.*(?:(?:is not a member of|in namespace) '(?:torch|at|c10)'"
        r"|'(?:torch|at|c10)::\w+' has not been declared|namespace \"(?:torch|at|c10)\" has no member)"
        r"|name followed by \"::\" must be .*\n.*\b(?:torch|at|c10)::",
    ),
    ("not_called", r"undeclared identifier '(?P<name>__\w+)'\n\s*(?P=name)\s*;"),
    ("macro_arguments", "provided to function-like macro"),  # after which clang takes its name for unknown
    ("emulator_lacks", r"(?m)^\S.*(?:undeclared identifier|unknown type name) '(?P<name>(?:cuda|__)\w+)"),
    ("shim_header", rf"(?m)error: '?(?P<name>[\w/.+-]+){_NO_FILE}"),
    ("scalar_t", rf"{_UNKNOWN}scalar_t['\"]"),
    ("unknown_name", rf"\A(?:\w+, )?line \d+: error: {_UNKNOWN}(?P<name>\w+)['\"]"),
)

FAILED_CALLS = (
    ("refused_launch", "invalid configuration argument|invalid argument"),  # one of these, if CUDA refuses a launch
    ("illegal_access", "illegal memory access"),
    ("number_of_gradients", "returned an incorrect number of gradients"),
    ("order_of_gradients", "returned an invalid gradient at index"),
    ("name_of_another_cell", "NameError: "),
)


def is_python(error: str) -> bool:
    """Whether an error is about a statement of Python."""
    found = meaning(ERRORS, error)
    return found is not None and found.id in ("python_loop", "python_condition", "python_import", "python_function")


def meaning(patterns: Sequence[tuple[str, str]], message: str) -> Found | None:
    """What a message means by the first of these patterns that it has; None if it has none."""
    for name, pattern in patterns:
        if match := re.search(pattern, message):
            facts = {key: value for key, value in match.groupdict().items() if value}
            return Found(name, {"name": "it", "case": "own", **facts})
    return None
