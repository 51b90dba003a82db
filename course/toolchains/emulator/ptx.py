"""Turns inline PTX into C++: reads of special registers, and asynchronous copies (include/ptx.h)."""

import re

from course.text.syntax import Call

_ADDRESS = r"\[ ?(%\d+)( ?\+ ?\d+)? ?\]"
# Instructions, with single blanks, and their expressions; `%N` there is an operand.
_INSTRUCTIONS = (
    (
        r"mov\.[ub](?:32|64) (%\d+) ?, ?%?%(laneid|warpid|smid|clock|clock64|globaltimer|lanemask_lt)",
        r"\1 = ::emulator::ptx::\2()",
    ),
    (
        r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::(?:64|128|256)B)? "
        rf"{_ADDRESS} ?, ?{_ADDRESS} ?, ?(%?\d+)( ?, ?%?\d+)?",
        r"::emulator::ptx::copy(\1\2, (const char*)\3\4, \5\6)",
    ),
    (r"cp\.async\.commit_group", "::emulator::commit_copies()"),
    (r"cp\.async\.wait_group (%?\d+)", r"::emulator::wait_for_copies(\1)"),
    (r"cp\.async\.wait_all", "::emulator::commit_copies(), ::emulator::wait_for_copies(0)"),
)


def in_cpp(call: Call) -> str | None:
    """The expression that stands for a call of `asm`; None if the emulator lacks one of the instructions."""
    if call.function != "asm" or call.passed is None:
        return None
    code = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call.passed.text))
    lines = [" ".join(line.split()) for line in re.sub(r"\\[nrt]|[{}]", " ", code).split(";")]
    try:
        return f"({', '.join([_expression(line, call) for line in lines if line] or ['void()'])})"
    except (LookupError, ValueError):
        return None


def _expression(line: str, call: Call) -> str:
    """The expression for one instruction. Raises ValueError, or IndexError for an operand that is not there."""
    (found,) = (match.expand(text) for form, text in _INSTRUCTIONS if (match := re.fullmatch(form, line)))
    return re.sub(r"%(\d+)", lambda operand: f"({call.arguments[int(operand[1])].text})", found)
