"""Each defence of a worker's processes, switched off in a copy of the course: do the cheats that it stops win there?

    python -m tests.benchmarks.defences [CHEAT ...]

It prints a line for each cheat, and ends with 1 if one did not win. Run it after a change of a defence or of a cheat:
the copies are built anew, which takes some twenty minutes. Defences of the referee are switched off by tests
(tests/grading/test_cheats.py).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.cheats import Cheat, cheats

ROOT = Path(__file__).parents[2]
INSTRUMENT = "emulator/instrument.py"
IN_A_COPY = {  # how each defence inside a worker's processes is switched off: a file, a pattern, and its replacement
    "indirect calls": (INSTRUMENT, r"yield f\"  call void @emulator_pointer_call.*", "yield from ()"),
    "assembly": (INSTRUMENT, r'self._refuse\("asm"\)', 'return re.match("", rest), ""'),
    "assembly of a file": (INSTRUMENT, r"\|\^module \(asm\)", ""),
    "names of symbols": (INSTRUMENT, r'@"\(\?!.*?\*"\)\|', ""),
    "sections": (INSTRUMENT, r"\| \(section\).*(?=\')", ""),
    "definitions": (INSTRUMENT, r"\(\?!available_externally \)", ""),
    "checked indices": (INSTRUMENT, r"if not array or below .*:", "if True:"),
    "read-only tables": ("emulator/clang.py", r'"-z", "relro", "-z", "now"', '"-z", "norelro"'),
    "stores of printf": ("emulator/runtime/wraps.cpp", r"(?m)^.*if \(\*at == 'n'\).*$", ""),
    "parameters": ("emulator/runtime/launch.cpp", r"(?s)    if \(closure_bytes > .*?closure = memcpy.*?;\n", ""),
    "hidden variables": ("emulator/runtime/tracer.cpp", r"!area->written \|\|", "true ||"),
    "cleared shared memory": ("emulator/runtime/tracer.cpp", r"(?m)^ *fill_shared\(\);  // which.*$", ""),
    "cleared variables": (INSTRUMENT, r'(?m)^ *yield f"  call void @llvm\.memset.*$', ""),
    "cleared stacks": ("emulator/runtime/fibers.cpp", r"(?m)^.*kStackBytes, MADV[^;]*;$", ""),
    "stack pointer": ("emulator/runtime/shadow.h", r"address > reinterpret_cast.*? &&", ""),
    "read-only parameters": ("emulator/runtime/shadow.cpp", r"op == Op::kRead && (address >= closure)", r"\1"),
    "device memory": ("emulator/runtime/signals.cpp", r"(?m)^ *close_device\(\);$", ""),
    "host functions": (
        "guard/symbols.py",
        r"(?m)^ON_THE_HOST = re.compile\(",
        "ON_THE_HOST = re.compile('(?!)' or ",
    ),
}


# No cheat is about the shim's own unit, which takes a third of a minute to compile and is the same in each copy.
SAME_SHIM = ("emulator/toolchain.py", r" \{content_hash\(INSTRUMENT\)\}", "")

# Judges answers with a copy of the course, each with its other defences off, and prints the verdicts.
JUDGES = """
import json, sys
import pytest
from course.referee.judge import judge
from course.worker.protocol import Answer
from tests.grading.test_cheats import DEFENCES

for name, source, function, task, others in json.load(sys.stdin):
    with pytest.MonkeyPatch.context() as patch:
        for each in others:
            DEFENCES[each](patch)
        verdict = judge(Answer("cuda", source, function), task, toolchain="emulator")
    print(json.dumps((name, verdict.correct, verdict.message)), flush=True)
"""


def defences_in_a_copy(cheat: Cheat) -> frozenset[str]:
    """The defences against a cheat that only a change of the course's sources switches off."""
    return frozenset(IN_A_COPY).intersection(cheat.stopped_by)


def copied_without(defences: frozenset[str], folder: Path) -> None:
    """Put a copy of the course into `folder`, in place of the last one, without the defences."""
    shutil.rmtree(folder / "course", ignore_errors=True)
    shutil.copytree(ROOT / "course", folder / "course", ignore=shutil.ignore_patterns("__pycache__"))
    for name, pattern, replacement in (*(IN_A_COPY[defence] for defence in defences), SAME_SHIM):
        path = folder / "course" / "toolchains" / name
        text, changed = re.subn(pattern, replacement, path.read_text())
        assert changed == 1, (name, pattern)
        path.write_text(text)


def main(names: list[str]) -> int:
    """Judge the cheats with these names, or all; returns 1 if one does not win."""
    against: dict[frozenset[str], list[Cheat]] = defaultdict(list)
    for cheat in cheats():
        if (defences := defences_in_a_copy(cheat)) and (not names or cheat.name in names):
            against[defences].append(cheat)
    lost = 0
    with tempfile.TemporaryDirectory() as made:
        folder, outside = Path(made) / "copy", Path(made) / "outside.cuh"
        folder.mkdir()
        outside.write_text("// Any file that is not the course's.\n")
        path = os.pathsep.join(filter(None, [str(folder), str(ROOT), os.environ.get("PYTHONPATH")]))
        for defences, some in against.items():
            copied_without(defences, folder)
            asked = []
            for cheat in some:
                others = [*set(cheat.stopped_by) - defences - {"sandbox"}]  # a copy has none
                asked.append((cheat.name, cheat.answer(outside).source, cheat.function, cheat.question.task, others))
            judging = subprocess.run(
                [sys.executable, "-c", JUDGES],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": path},
                input=json.dumps(asked),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            for name, wins, message in map(json.loads, judging.stdout.splitlines()):
                lost += not wins
                off = ", ".join(sorted(defences))
                print(f"{name}: {'wins' if wins else 'DOES NOT WIN'} without {off}{'' if wins else f': {message}'}")
                sys.stdout.flush()
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
