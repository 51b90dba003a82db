"""What a compiler's errors mean in a learner's words: pairs of a pattern and a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping

from course.text.brackets import unbalanced
from course.text.cuda import CudaText
from course.text.lines import line_of, with_line
from course.toolchains.pytorch import pytorch_folder

LACKS_MEMBER = (
    "The course's small shim for torch's headers has no Tensor::{name}; PyTorch's own load_inline builds with the real "
    "ones."
)
NO_MEMBER = "PyTorch's own headers have no Tensor::{name} either."
_ELEMENT = r"float|double|int|long|int64_t|short|bool"
OTHER_POINTER = (
    "The function needs a pointer to {taken}, but gets a pointer to {given}. The kernel's parameter and "
    "data_ptr<...>() both need the type of the tensor's elements: for float32 that is float, so data_ptr<float>()."
)
TENSOR_PASSED = (
    "A kernel takes the address of a tensor's elements, with their type: for a tensor A of float32, pass "
    "A.data_ptr<float>()."
)
DISPATCHED = (
    "The kernel takes {taken}*, but the dispatch macro compiles the code inside it for {given} too. Make the kernel a "
    "template, and launch it as kernel<scalar_t><<<...>>>."
)

# Python, or misspelled CUDA, in place of C++. After `error:` comes the message, then the line that it is about.
_UNKNOWN = r"(?:was not declared|is undefined|does not name a type|has not been declared)"
_QUOTED = r"(?m)error: .*\n    "
OTHER_LANGUAGE = (
    (
        rf"['\"](?:_+(?:sh?ar|glo?b|devi|const)\w*|shared|global|device)['\"] {_UNKNOWN}",
        "CUDA's keywords have two underscores on each side: __global__, __device__, __shared__ and __constant__.",
    ),
    (
        rf"\A(?:(?!indexing)[\s\S])*['\"]None['\"] {_UNKNOWN}",  # torch::indexing has a None
        "C++ has no None: a pointer to nothing is written nullptr.",
    ),
    (rf"['\"](?:True|False)['\"] {_UNKNOWN}", "C++ writes true and false."),
    (rf"['\"]elif['\"] {_UNKNOWN}", "C++ writes else if (condition)."),
    (rf"['\"]print['\"] {_UNKNOWN}", 'C++ prints with printf("%f\\n", value);, and so does a kernel.'),
    (
        rf"['\"]len['\"] {_UNKNOWN}",
        "In C++ a tensor A has A.numel() elements, and A.size(d) is its length in dimension d.",
    ),
    (
        rf"{_QUOTED}(?:for\s+\w+\s+in\b|for\s*\(\s*\w+\s+in\b)",
        "A loop in C++ states the type of its variable, its end and its step: for (int i = 0; i < N; ++i) {{ ... }}.",
    ),
    (
        rf"{_QUOTED}(?:if|while)\b[^;]*:$|(?:expected '\('|expected a \"\(\").*\n    (?:if|while)\b",
        "In C++ a condition is in parentheses, and the code that depends on it is in braces: if (i < N) {{ ... }}.",
    ),
    (
        rf"{_QUOTED}def\s",
        "A C++ function begins with the type of its result: torch::Tensor f(torch::Tensor A) {{ ... }}.",
    ),
    (rf"{_QUOTED}(?:.*[^\w.>])?torch\.\w", "C++ writes torch:: where Python writes torch."),
    (rf"{_QUOTED}.*[\w)\]] *\*\* *[\w(]", "C++ has no operator for powers: multiply, or call powf."),
    (
        rf"{_QUOTED}[^\n\"]*[\w)\]] *// *[\w(][\w.()+*-]*[;)]$",
        "In C++ // begins a comment; / divides two integers and rounds towards 0.",
    ),
    (rf"{_QUOTED}.*\blambda\s", "In C++ a function without a name is written [&](int x) {{ return x + 1; }}."),
    (
        rf"['\"]f['\"] {_UNKNOWN}.*\n.*\bf\"",
        'C++ has no f-strings: TORCH_CHECK(condition, "A has ", n, " rows") joins its arguments.',
    ),
    (
        rf"(?m)error: (?:identifier )?['\"](?P<name>\w+)['\"] {_UNKNOWN}.*\n    (?P=name)\s*=[^=]",
        "A variable in C++ is declared with its type: int64_t {name} = ..., or const auto {name} = ... .",
    ),
    (
        rf"['\"](?:Tensor|empty_like|empty|zeros|zeros_like|kFloat32)['\"] {_UNKNOWN}",
        "PyTorch's names in C++ begin with torch::, as in torch::Tensor and torch::empty_like(A).",
    ),
    (
        rf"['\"]cdiv['\"] {_UNKNOWN}",
        "No header of CUDA declares cdiv: write (a + b - 1) / b in this source. A %%cuda cell may also call "
        "course::cdiv, after #include <course/checks.h>.",
    ),
)

# The meaning of errors in a learner's words: (pattern for an error as it is shown, sentence). The first that fits is
# added.
HINTS = (
    *OTHER_LANGUAGE,
    (
        r"macro \"?assert\"? passed \d+ arguments",
        'assert takes one argument and no message; TORCH_CHECK(condition, "message") takes one.',
    ),
    (
        r"(?m)error: (?:course/[\w/.+-]+|checks?\.h): No such file",
        "The course has one header of its own: #include <course/checks.h>.",
    ),
    (
        r"'check_\w+' is not a member of 'course'|namespace \"course\" has no member \"check_"
        r"|'course' has not been declared|name followed by \"::\" must be .*\n.*\bcourse::",
        "Is #include <course/checks.h> missing?",
    ),
    (r"(?m)^\S.*['\"](?:Optional)?CUDAGuard", "Is #include <c10/cuda/CUDAGuard.h> missing?"),
    (
        # Looked for in the message, not in the quoted line below it. For an unknown namespace, nvcc only quotes the
        # line.
        r"(?m)^\S.*(?:getCurrentCUDAStream|at::cuda|c10::cuda|C10_CUDA_KERNEL_LAUNCH_CHECK|C10_CUDA_CHECK)"
        r"|'cuda' (?:is not a member of|in namespace) '(?:at|c10)'"
        r"|name followed by \"::\" must be .*\n.*(?:at|c10)::cuda::",
        "Is #include <ATen/cuda/CUDAContext.h> missing?",
    ),
    (rf"cannot convert '(?:const )?(?P<given>{_ELEMENT})\*' to '(?:const )?(?P<taken>{_ELEMENT})\*'", OTHER_POINTER),
    (
        rf"\"(?:const )?(?P<given>{_ELEMENT}) \*\"\)? is incompatible with parameter of type "
        rf"\"(?:const )?(?P<taken>{_ELEMENT}) \*",
        OTHER_POINTER,
    ),
    (
        rf"cannot convert 'at::Tensor' to '(?:const )?(?:{_ELEMENT})\*'"
        rf"|from \"at::Tensor\" to \"(?:const )?(?:{_ELEMENT}) \*\" exists"
        rf"|invalid conversion from 'void\*' to '(?:const )?(?:{_ELEMENT})\*'.*\n.*data_ptr\(\)"
        rf"|\"void \*\" is incompatible with parameter of type \"(?:const )?(?:{_ELEMENT}) \*.*\n.*data_ptr\(\)"
        r"|(?m:^\S.*emulator::Launch\).*unresolved overloaded function type)|pointer to a bound function may only",
        TENSOR_PASSED,
    ),
    (
        r"(?m)invalid preprocessing directive",
        "A comment in C++ begins with //. Lines that begin with #, such as #include, are for the preprocessor.",
    ),
    (
        r"(?m)^    .*\w\s*(?:<[\w:, ]+>\s*)?(?<!<)<<(?!<).*>>>?\s*\(",
        "A kernel launch has three angle brackets on each side: kernel<<<grid, block>>>(arguments).",
    ),
    (
        r"is not captured|cannot be referenced in a lambda body unless it is in the capture list",
        "A lambda, as in a dispatch macro, can use the variables around it only if it begins with [&].",
    ),
    (
        r"no matching function for call to 'atomicAdd\(|function \"atomicAdd\" matches",
        "atomicAdd takes the address of what it adds to, and a value of the same type: atomicAdd(&x, value).",
    ),
    (
        r"no matching function for call to '(?:min|max)\(|function \"std::(?:min|max)\" matches",
        "std::min and std::max take two numbers of the same type: name the type, as in std::min<int64_t>(a, b).",
    ),
    (
        r"no matching function for call to '(?P<name>\w+)<[^']*>\(",
        "Only a template can be called as {name}<...>. Is {name} a template, and do the arguments fit its parameters?",
    ),
    (
        r"(?m)^\S.*(?:before '\\U|stray '\\|unrecognized token)",
        "The line has a character that C++ does not know, such as a typographic quote: type the character again.",
    ),
    (  # not in the student's text but in the bindings
        r"(?m)^error: .(?P<name>\w*[a-z]\w*). was not declared in this scope",
        "cpp_sources lacks the prototype of {name}. Without cpp_sources, the prototypes are derived.",
    ),
    (
        r"(?m)^\S.*torch::Library::def",
        "m.def of TORCH_LIBRARY takes a name or a schema, then the function; "
        "a docstring as the third argument belongs to PYBIND11_MODULE.",
    ),
    (
        r"at::Tensor['\"] has no member (?:named )?['\"]shape['\"]",
        "In C++ a tensor's shape is sizes(), and its length in dimension d is size(d).",
    ),
    (r"at::Tensor['\"] has no member (?:named )?['\"](?P<name>\w+)", LACKS_MEMBER),
    (
        r"(?m)^\S.*unresolved overloaded function type|cannot determine which instance of overloaded function",
        "Several functions have the name that is bound: give each a different name.",
    ),
    (
        r"(?m)^\S.*(?:multiple |re)definition of .(?:void )?PyInit_",
        "Both functions= and PYBIND11_MODULE bind functions, or there are two PYBIND11_MODULE: keep only one.",
    ),
    (
        r"(?m)^\S.*(?:course::Module|is not a member of 'py(?:bind11)?'|namespace \"py(?:bind11)?\" has no member)",
        "The course's small shim for pybind11 binds plain functions and their docstrings; "
        "PyTorch's own load_inline has all of it.",
    ),
    (  # before the errors that follow from it, such as an unknown scalar_t
        r"(?m)^\S.*['\"](?P<name>(?:AT|C10|TORCH)_\w+)['\"] (?:was not declared|is undefined)",
        "The course's small shim for torch's headers may lack {name}; PyTorch's own load_inline builds with the real "
        "ones.",
    ),
    (
        r"(?m)^\S.*(?:is not a member of '(?:torch|at|c10)'|'(?:torch|at|c10)::\w+' has not been declared"
        r"|namespace \"(?:torch|at|c10)\" has no member)"
        r"|name followed by \"::\" must be .*\n.*\b(?:torch|at|c10)::",
        "The course's small shim for torch's headers may lack it; PyTorch's own load_inline builds with the real ones.",
    ),
    (
        r"(?m)^\S.*'(?P<name>(?:cuda|__)\w+)' was not declared",
        'The emulator has no {name}; if CUDA does, toolchain="nvcc" has it.',
    ),
    (
        r"(?m)error: ATen/Parallel\.h: No such file",
        "ATen/Parallel.h declares loops that run on the host: let a kernel do this work. The course's small shim "
        "for torch's headers does not have ATen/Parallel.h; PyTorch's own load_inline builds with the real ones.",
    ),
    (
        r"(?m)error: (?P<name>[\w/.+-]+): No such file",
        "The course's small shim for torch's headers does not have {name}; "
        "PyTorch's own load_inline builds with the real ones.",
    ),
    (
        rf"['\"]scalar_t['\"] {_UNKNOWN}",
        "scalar_t is a type only inside the braces of a dispatch macro: a kernel needs template <typename scalar_t>.",
    ),
    (
        rf"\A(?:\w+, )?line \d+: error: (?:identifier )?['\"](?P<name>\w+)['\"] {_UNKNOWN}",
        "Correct the spelling of {name}, or declare it in this source, above that line. Declarations in other cells do "
        "not count.",
    ),
)


def hint(errors: str, sources: Mapping[str, str]) -> list[str]:
    """The sentence, if any, that says what `errors` mean; `errors` have the form in which they are shown."""
    for pattern, sentence in HINTS:
        if match := re.search(pattern, errors):
            if sentence == LACKS_MEMBER and not _is_of_pytorchs_tensor(match["name"]):
                sentence = NO_MEMBER
            if sentence == OTHER_POINTER and _in_dispatch_macro(match["given"], sources):
                sentence = DISPATCHED
            return [sentence.format(**match.groupdict())]
    return []


def unreadable(source: str) -> str | None:
    """The error, as it is shown, that hides the functions of `source`: Python, or a bracket without its partner."""
    if python := re.search(r"^[ \t]*def\s+\w+\s*\(.*:[ \t]*$", CudaText.of(source).certain, re.MULTILINE):
        error = with_line(source, line_of(source, python.start()), "error: this is Python")
    elif problem := unbalanced(source):
        error = with_line(source, problem.line, f"error: {problem.text}")
    else:
        return None
    return "\n".join([error, *hint(error, {})])


def _in_dispatch_macro(kind: str, sources: Mapping[str, str]) -> bool:
    """Whether the elements' type `kind` comes from a macro and is in no line of the student's."""
    text = "".join(CudaText.of(each).blank for each in sources.values())
    return "AT_DISPATCH_" in text and f"data_ptr<{kind}>" not in text


def _is_of_pytorchs_tensor(name: str) -> bool:
    """Whether the installed PyTorch's headers have a function of this name outside of at::Tensor."""
    folder = pytorch_folder() / "include" / "ATen" / "core"
    texts = [path.read_text(errors="replace") for path in folder.glob("Tensor*.h")]
    return not texts or any(re.search(rf"\b{name}\s*\(", text) for text in texts)
