"""The lines that outputs mark in the editor of a `%%cuda` cell, as data."""

import json
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest
import torch

from autograder.classroom import ROOT
from course.notebook.check import check
from course.notebook.saved import MIME, VERSION
from course.notebook.trace import trace
from tests.kernels import kernel
from tests.notebook.answers import ADD, SUBTRACT, WILD, function

pytestmark = pytest.mark.usefixtures("emulated")

REVERSE = kernel("notebook/reverse")


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


def marks_of(output: object, cell: str, source: str) -> list[dict]:
    data = output._repr_mimebundle_()[MIME]
    assert (data["version"], data["cell"], data["source"]) == (VERSION, cell, zlib.crc32(source.rstrip().encode()))
    return data["line_marks"]


@pytest.mark.parametrize(
    ("old", "new", "said"), [("C[i] =", "D[i] =", "undeclared identifier 'D'"), ("256>>>(", "256>>(", "kernel<<<")]
)
def test_a_cell_that_does_not_build_marks_its_line(shell, monkeypatch, old, new, said):
    outputs = []
    monkeypatch.setattr(shell.display_pub, "publish", outputs.append)
    source = ADD.replace(old, new)
    assert shell.run_cell(f"%%cuda adder\n{source}").error_in_exec
    (output,) = outputs
    data, line = output[MIME], line_of(source, new) + 1  # line 1 is the magic's
    assert (data["cell"], data["source"]) == ("adder", zlib.crc32(f"\n{source}".rstrip().encode()))
    assert [(mark["line"], mark["kind"]) for mark in data["line_marks"]] == [(line, "fault")]
    assert said in data["line_marks"][0]["text"]


def test_a_verdict_marks_the_line_of_a_hazard_and_nothing_without_one():
    (mark,) = marks_of(check("vector_add", function(WILD), points=1), "add", WILD)
    assert (mark["line"], mark["kind"]) == (line_of(WILD, "<< 40"), "fault")
    assert "writes an address outside of all tensors" in mark["text"]
    for source in (ADD, SUBTRACT):
        assert marks_of(check("vector_add", function(source), points=1), "add", source) == []


def test_a_mark_of_anything_else_marks_no_line():
    assert list(check("vector_add", None, points=1)._repr_mimebundle_()[MIME]) == ["version", "mark"]


def test_a_trace_marks_the_line_that_requests_most_where_it_wastes():
    (mark,) = marks_of(trace(function(REVERSE, "reverse"), torch.randn(64)), "reverse", REVERSE)
    assert (mark["line"], mark["kind"]) == (8, "cost") and "requests the most, 32" in mark["text"]
    packed = REVERSE.replace("C[4 * threadIdx.x]", "C[threadIdx.x]")
    assert marks_of(trace(function(packed, "reverse"), torch.randn(64)), "reverse", packed) == []


def test_hostile_outputs_do_not_freeze_the_editor():
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    extension = ROOT / "course" / "labextension" / "static" / "extension.js"
    command = [node, Path(__file__).with_name("editor.js"), extension]
    said = json.loads(subprocess.run(command, capture_output=True, check=True, text=True, timeout=10).stdout)
    assert said["copied"] == 1000  # each of the 1000 outputs only once
    (marked,) = said["shown"]
    assert marked["class"] == "course-mark-line course-mark-fault"
    assert marked["title"].startswith("<b>0\n<b>1\n") and len(marked["title"]) == 2000
