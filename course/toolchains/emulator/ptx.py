"""Turns inline PTX into C++: reads of special registers, and asynchronous copies (include/ptx.h)."""

from __future__ import annotations

import re

from course.text.syntax import Assembly

_ADDRESS = r"\[ ?%(\d+)(?: ?\+ ?(\d+))? ?\]"
_MOVE = re.compile(r"mov\.[ub](?:32|64) %(\d+) ?, ?%?%(laneid|warpid|smid|clock|clock64|globaltimer|lanemask_lt)")
_COPY = re.compile(
    rf"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::(?:64|128|256)B)? {_ADDRESS} ?, ?{_ADDRESS} ?, ?(%?)(\d+)"
    r"(?: ?, ?(%?)(\d+))?"
)
_WAIT = re.compile(r"cp\.async\.wait_group (%?)(\d+)")
_ALONE = {
    "cp.async.commit_group": "::emulator::commit_copies()",
    "cp.async.wait_all": "::emulator::commit_copies(), ::emulator::wait_for_copies(0)",
}


def in_cpp(assembly: Assembly) -> str | None:
    """The expression that stands for inline PTX; None if the emulator lacks one of its instructions."""
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', assembly.code.text)
    lines = (" ".join(line.split()) for line in re.sub(r"\\[nrt]|[{}]", " ", "".join(strings)).split(";"))
    try:
        return f"({', '.join([_instruction(line, assembly) for line in lines if line] or ['void()'])})"
    except LookupError:
        return None


def _instruction(line: str, assembly: Assembly) -> str:
    """The expression for one instruction. Raises LookupError."""

    def operand(number: str, is_operand: str = "%") -> str:
        return f"({assembly.operands[int(number)].text})" if is_operand else number

    if move := _MOVE.fullmatch(line):
        return f"{operand(move[1])} = ::emulator::ptx::{move[2]}()"
    if wait := _WAIT.fullmatch(line):
        return f"::emulator::wait_for_copies({operand(wait[2], wait[1])})"
    if copy := _COPY.fullmatch(line):
        to, from_, size = operand(copy[1]), operand(copy[3]), operand(copy[6], copy[5])
        zeros = f"{size} - {operand(copy[8], copy[7])}" if copy[8] else "0"
        to, from_ = f"::emulator::from_shared({to} + {copy[2] or 0})", f"(const char*){from_} + {copy[4] or 0}"
        return f"::emulator::copy_async({to}, {from_}, {size}, {zeros})"
    return _ALONE[line]
