"""The faults: each costs its answer alone and is named in the feedback, and the class is graded to its end."""

from __future__ import annotations

import html
import re
import sys
from functools import partialmethod
from pathlib import Path

import pytest
from nbgrader import utils

from autograder.classroom import ROOT, Classroom
from autograder.cli import main
from autograder.judging import sandbox
from course.toolchains.cache import cache_root
from course.worker.modules import Budget
from tests.classes import of_questions
from tests.faults import ASSIGNMENT, EVERYTHING, NOTHING, Fault, faults
from tests.tiers import tiered

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
FAULTS = faults()
ANSWERS = ("00-blocks", "00-add", "00-candidate")
# The slow tests have these. test_sandbox.py has the bombs, too.
FIRST = {
    *("abort", "cells-among-others", "constructor-forges-an-error", "empty-answer", "endless-loop-on-the-device"),
    *("half-a-file", "link-for-a-file", "missing-cell", "output-of-a-gigabyte-in-python", "pipe-for-a-file"),
    *("signals-to-the-parent", "wrong-name"),
}


@pytest.fixture(scope="module")
def room(bubblewrap: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A graded class with a student for each fault to test, whose other answers are right. The limits are small."""
    room = of_questions(Path(tmp_path_factory.mktemp("faults")), ASSIGNMENT, set(ANSWERS))
    tests = (item for item in request.session.items if item.path == request.path and hasattr(item, "callspec"))
    for fault in (item.callspec.params["fault"] for item in tests):
        room.hand_in(fault.name, "solutions")
        fault.damage(room.folder / "grading" / "submitted" / fault.name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb")
    (room.folder / "grading" / "submitted" / "nothing" / ASSIGNMENT).mkdir(parents=True)
    handed_in = times(room)
    with pytest.MonkeyPatch.context() as shortened:
        shortened.chdir(room.folder)
        shortened.setattr(sys, "path", sys.path[:])  # nbgrader puts the current folder there
        shortened.setattr("course.referee.trial.CALL_SECONDS", 4.0)
        shortened.setattr(Budget, "__init__", partialmethod(Budget.__init__, one_build=10.0, patience=4))
        shortened.setattr(sandbox, "MEMORY", 5 << 28)  # each process has 0.3 GiB of PyTorch with CUDA
        shortened.setattr(sandbox, "DISK", 32 << 20)
        assert main(["grade", ASSIGNMENT]) == 1, (room.folder / "grading" / "autograder.log").read_text()
    assert times(room) == handed_in
    return room


def times(room: Classroom) -> dict[Path, int]:
    """When each file that was handed in was written."""
    return {path: path.lstat().st_mtime_ns for path in room.folder.glob("grading/submitted/*/*/*")}


@pytest.mark.parametrize("fault", tiered(FAULTS, lambda fault: FIRST & {fault.name}, lambda fault: fault.name))
def test_a_fault_costs_its_answer_alone_and_is_named_in_the_feedback(room: Classroom, fault: Fault) -> None:
    page = room.folder / "grading" / "feedback" / fault.name / ASSIGNMENT / f"{ASSIGNMENT}.html"
    for cell in filter(utils.is_grade, room.read(f"grading/autograded/{fault.name}", ASSIGNMENT).cells):
        answer, (output,) = cell.metadata.course.answer, cell.outputs
        reason, text = html.unescape(output.data["text/html"]), html.unescape(page.read_text())
        assert reason in text, answer
        assert not [place for place in (sys.prefix, ROOT, cache_root(), room.folder) if str(place) in text]
        if fault.costs in (answer, EVERYTHING):
            assert float(output.data["text/plain"]) == 0, answer
            if cell.metadata.course.cases == "visible":
                assert re.search(fault.says, reason), reason
        else:
            assert float(output.data["text/plain"]) == cell.metadata.nbgrader.points, (answer, reason)
    if fault.costs == NOTHING:
        assert re.search(fault.says, html.unescape(page.read_text()))


@pytest.mark.slow
def test_who_handed_in_nothing_has_no_page(room: Classroom) -> None:
    assert not (room.folder / "grading" / "feedback" / "nothing").exists()


def test_there_are_faults_of_every_answer_and_of_the_file_and_each_is_named() -> None:
    assert len(FAULTS) >= 25
    assert {fault.costs for fault in FAULTS} == {*ANSWERS, EVERYTHING, NOTHING}
    for fault in FAULTS:
        assert len(fault.says) >= 15, fault.name


def test_a_file_whose_head_is_not_of_the_form_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "headless.py").write_text("# A fault.\n# costs: 00-add\n\n\ndef damage(notebook):\n    pass\n")
    monkeypatch.setattr("tests.faults.FOLDER", tmp_path)
    with pytest.raises(ValueError, match="must have the lines answer or costs, and says"):
        faults()
