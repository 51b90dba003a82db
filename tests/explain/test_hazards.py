"""The runtime reports data, and one file has the sentences. Both sides agree on what is reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from course.errors import HAZARDS
from course.explain.hazards import hazard_of
from course.explain.reports import REMARK, Place, Reason, Report, Subject, SubjectKind
from course.toolchains import guard
from course.toolchains.emulator import traced
from course.toolchains.emulator.library import HERE, RUNTIME

pytestmark = pytest.mark.quick

# Texts in the runtime that are not reports, and why they are there.
TEXTS = {
    **dict.fromkeys(
        (
            *("no error", "invalid argument", "out of memory", "invalid configuration argument"),
            *("invalid pitch argument", "invalid device ordinal", "an illegal memory access was encountered"),
            *("unspecified launch failure", "unknown error"),
        ),
        "cudaGetErrorString's own",
    ),
    "CUDA emulator": "the name of the device",
    "the emulator stopped the kernel": "for a wrapper that catches it; Python reads its type alone",
    **dict.fromkeys(
        (
            "a shuffle moves at most 8 bytes",
            "shuffles take numbers and floats of 16 bits, but no other structs",
            "warp reductions take int and unsigned int",
            "blocks wait for each other only in a cooperative launch",
            "in the emulator, a tile has at most 32 threads",
            "the emulator has fragments of 16x16x16, 32x8x16 and 8x32x16, and 16x16x8 in TF32",
            "the emulator multiplies fragments of half, __nv_bfloat16 and precision::tf32",
            "in the emulator, an accumulator has float or half",
            "the pointer has another type",
        ),
        "the compiler says it",
    ),
    "Assertion `%s` failed\\n": "what the C library prints before it aborts a process that is in no call",
    "0123456789-+ #'*.$hlLjztqIwZ": "what may stand in a conversion of printf",
}


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.name)
def test_each_reason_has_a_sentence_that_says_what_is_known(reason: Reason) -> None:
    subject = Subject(SubjectKind.ARGUMENT, "weights", (7, 9))
    places = (Place(0, 33, (1, 0, 0), (2, 0, 0)), Place(0, 44, (1, 0, 0), (3, 0, 0)))
    report = Report(reason, "kernel", subject, dict.fromkeys(reason.facts, 1), places)
    hazard = hazard_of(report, "")
    said = hazard.detail
    assert hazard.kind in {*HAZARDS, REMARK} and hazard.id == reason.name.lower()
    assert len(said.split()) > 2 and "{" not in said
    assert ("op" in reason.facts) <= ("line 33" in said)
    assert ("in_kernel" in reason.facts) <= ("the kernel" in said)


def test_a_table_of_reports_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {100: "softmax", 200: "tile", 0: ""}
    first = [Reason.SHARED_OVERRUN.value, 100, 0, 0, *(0,), *(2, 400, 404), *(0,)]
    place = [0x4444, 0, 1, 2, 3, 4, 5, 6]
    second = [Reason.UNWRITTEN_READ.value, 100, SubjectKind.SHARED_ARRAY, 200]
    second += [*(2, 8, 8), *(2, 5, 64), *(16, *place, *([0] * 8))]  # the second place is not known
    monkeypatch.setattr(traced, "numbers", lambda table: [*first, *second])
    monkeypatch.setattr(traced, "text", texts.__getitem__)
    overrun, read = traced.reported(SimpleNamespace(emulator_reports=None))
    assert (overrun.reason, overrun.facts, overrun.places) == (Reason.SHARED_OVERRUN, {"size": 400, "offset": 404}, ())
    assert read.subject == Subject(SubjectKind.SHARED_ARRAY, "tile", (8, 8)) and read.subject.is_shared
    assert read.kernel == "softmax" and read.facts == {"element": 5, "length": 64}
    assert read.places == (Place(0x4444, 0, (1, 2, 3), (4, 5, 6)),)


# ----------------------------------------------------------------------------------------------------------------------
# No other file composes sentences.


def texts_in(path: Path) -> Iterator[str]:
    """The string literals of a C++ file that contain a space and a word."""
    code = re.sub(r"(?m)//.*$|^#include.*$|R\"\([^)]*\)\"|_Pragma\(.*\)$", "", path.read_text())
    for text in re.findall(r'"((?:\\.|[^"\\\n])*)"', code):
        if " " in text and re.search("[A-Za-z]{2}", text):
            yield text


def test_no_sentence_is_composed_in_c_plus_plus() -> None:
    """The shim's headers are left out, since their messages are those of PyTorch's headers."""
    files = [*RUNTIME.iterdir(), *(HERE / "include").rglob("*.*h"), *Path(guard.__file__).parent.glob("*.cpp")]
    found = {text: path.name for path in sorted(files) for text in texts_in(path)}
    assert {text: name for text, name in found.items() if text not in TEXTS} == {}
    assert set(TEXTS) <= set(found), "an exception that is no longer needed"
