"""`course status` and `course reset`, on notebooks as learners leave them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from autograder.classroom import ROOT
from course.cli import main
from course.notebook.saved import MIME

pytestmark = pytest.mark.quick

NAME = "00-first-kernel.ipynb"
RELEASED = ROOT / "notebooks" / "00-first-kernel" / NAME


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `lab/` with notebook 00, as `make lab` makes it, in the current folder."""
    for folder in ("lab/00-first-kernel", "lab/.released/00-first-kernel"):
        (tmp_path / folder).mkdir(parents=True)
        shutil.copy(RELEASED, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "lab"


@pytest.fixture
def file(lab: Path) -> Path:
    return lab / "00-first-kernel" / NAME


def run(capsys: pytest.CaptureFixture, *arguments: str) -> tuple[int, str]:
    """Exit status, and the text of stdout and stderr."""
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def line(text: str, answer: str) -> str:
    """The row of an answer, with single spaces."""
    return next(" ".join(each.split()) for each in text.splitlines() if each.startswith(answer + " "))


def cell(notebook: dict, name: str) -> dict:
    return next(each for each in notebook["cells"] if each["metadata"].get("nbgrader", {}).get("grade_id") == name)


def answered(file: Path, answer: str = "blocks = 3907") -> dict:
    """The notebook, after 00-blocks is answered and checked by the real `check` and saved."""
    notebook = json.loads(file.read_text())
    cell(notebook, "00-blocks")["source"] = answer
    shell = InteractiveShell()
    shell.run_cell("from course import check", store_history=True).raise_error()
    shell.run_cell(answer, store_history=True).raise_error()
    check = cell(notebook, "00-blocks-check")
    mark = shell.run_cell("".join(check["source"]), store_history=True).result
    data, _ = shell.display_formatter.format(mark)
    check["outputs"] = [{"output_type": "execute_result", "execution_count": 3, "metadata": {}, "data": data}]
    file.write_text(json.dumps(notebook))
    return notebook


def test_points_by_question_and_stale_after_an_edit(file: Path, capsys: pytest.CaptureFixture) -> None:
    notebook = answered(file)
    status, text = run(capsys, "status")
    assert status == 0 and f"00-first-kernel/{NAME}: 1 of 7 points so far; hidden cases add" in text
    assert line(text, "blocks") == "blocks 1 of 1 ✓"
    assert line(text, "adder.add") == "adder.add 0 of 1 not checked yet"
    assert text.splitlines()[-1].startswith("In all: 1 of 7 points")

    shutil.copy(file, file.with_name("renamed.ipynb"))
    assert "In all: 1 of 7 points" in run(capsys, "status", "lab")[1]  # a copy counts once

    cell(notebook, "00-blocks")["source"] = "blocks = 3908"
    file.write_text(json.dumps(notebook))
    text = run(capsys, "status", str(file.parent))[1]
    assert line(text, "blocks") == (
        "blocks 0 of 1 out of date, since its text was changed after the check: run its check again"
    )


def test_a_wrong_answer_and_none(file: Path, capsys: pytest.CaptureFixture) -> None:
    answered(file, "blocks = 7")
    assert line(run(capsys, "status")[1], "blocks") == "blocks 0 of 1 not right yet"
    answered(file, "blocks = None")
    assert line(run(capsys, "status")[1], "blocks") == "blocks 0 of 1 not answered yet"


def test_records_that_are_not_understood(file: Path, capsys: pytest.CaptureFixture) -> None:
    notebook = answered(file)
    data = cell(notebook, "00-blocks-check")["outputs"][0]["data"]
    record = data[MIME]
    again = "blocks 0 of 1 not checked yet"
    for kept in ({**record, "version": 99}, {"version": record["version"]}, [], None):
        data[MIME] = kept
        file.write_text(json.dumps(notebook))
        assert line(run(capsys, "status")[1], "blocks") == again
    for earned in ("1", True, -3, [], None):
        data[MIME] = {**record, "mark": {**record["mark"], "earned": earned}}
        file.write_text(json.dumps(notebook))
        assert line(run(capsys, "status")[1], "blocks").startswith("blocks 0 of 1")
    data[MIME] = {**record, "mark": {**record["mark"], "earned": 500}}
    file.write_text(json.dumps(notebook))
    assert line(run(capsys, "status")[1], "blocks") == "blocks 1 of 1 ✓"


def test_a_broken_notebook_is_named_and_put_back(file: Path, capsys: pytest.CaptureFixture) -> None:
    file.write_text('{"cells": [')
    status, text = run(capsys, "status")
    assert status == 1 and "cannot be read because it is not a notebook. `course reset lab/00-first-kernel/" in text
    status, text = run(capsys, "reset", str(file), "00-add")
    assert status == 2 and file.read_text() == '{"cells": ['
    status, text = run(capsys, "reset", str(file))
    assert status == 0 and "reload it there" in text
    assert file.read_bytes() == RELEASED.read_bytes()
    assert file.with_name(f"{NAME}.backup-1").read_text() == '{"cells": ['


def test_one_cell_of_a_renamed_notebook_is_put_back(file: Path, capsys: pytest.CaptureFixture) -> None:
    notebook = answered(file)
    cell(notebook, "00-add")["source"] = "%%cuda adder\n// ä"
    renamed = file.rename(file.with_name("mine.ipynb"))
    renamed.write_text(json.dumps(notebook))
    before = renamed.read_bytes()
    for backup, name in (("mine.ipynb.backup-1", "adder.add"), ("mine.ipynb.backup-2", "00-add")):
        assert run(capsys, "reset", str(renamed), name)[0] == 0  # and no backup is overwritten
        assert renamed.with_name(backup).exists()
    assert renamed.with_name("mine.ipynb.backup-1").read_bytes() == before
    after, released = json.loads(renamed.read_text()), json.loads(RELEASED.read_text())
    assert cell(after, "00-add")["source"] == "".join(cell(released, "00-add")["source"])
    cell(after, "00-add")["source"] = cell(notebook, "00-add")["source"]
    assert after == notebook  # nothing else was changed


@pytest.mark.parametrize("name", [NAME, f"{Path(NAME).stem}/{NAME}", f"lab/{Path(NAME).stem}/{NAME}"])
def test_a_notebook_below_lab_is_found_by_its_name(file: Path, capsys: pytest.CaptureFixture, name: str) -> None:
    file.write_text("{}")
    assert run(capsys, "reset", name)[0] == 0
    assert file.read_bytes() == RELEASED.read_bytes()


def test_what_cannot_be_done_is_one_sentence(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    before = file.read_bytes()
    status, text = run(capsys, "reset", str(file), "00-nothing")
    assert status == 2 and "one answer cell 00-nothing, but has 0. Its answers are: where.where_am_i, blocks, " in text
    assert file.read_bytes() == before and not list(file.parent.glob("*.backup*"))
    assert "There is no notebook nowhere.ipynb" in run(capsys, "reset", "nowhere.ipynb")[1]
    assert "There is no notebook aaa" in run(capsys, "reset", "a" * 300)[1]  # a path that raises when looked at
    own = shutil.copy(file, tmp_path / "own.ipynb")
    status, text = run(capsys, "reset", str(own))
    assert status == 2 and "There is no released notebook with the name of" in text and own.read_bytes() == before
    shutil.rmtree(tmp_path / "lab" / ".released")
    assert run(capsys, "reset", str(file))[0] == 0  # the package has it, too
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    status, text = run(capsys, "status")
    assert status == 2 and "There is no course notebook in" in text and text.count("\n") == 1


def test_what_is_too_large_for_a_notebook_is_not_read(file: Path, capsys: pytest.CaptureFixture) -> None:
    os.truncate(file, (64 << 20) + 1)
    status, text = run(capsys, "status")
    assert status == 1 and f"lab/00-first-kernel/{NAME} cannot be read because it has more than 64 MB." in text


def test_a_pasted_check_counts_once(file: Path, capsys: pytest.CaptureFixture) -> None:
    notebook = answered(file)
    notebook["cells"].append(cell(notebook, "00-blocks-check"))
    file.write_text(json.dumps(notebook))
    text = run(capsys, "status")[1]
    assert "1 of 7 points so far" in text
    assert line(text, "blocks") == "blocks 1 of 1 ✓"


def test_a_name_does_not_steer_the_terminal(file: Path, capsys: pytest.CaptureFixture) -> None:
    notebook = answered(file)
    check = cell(notebook, "00-blocks-check")
    check["source"], check["metadata"]["course"]["answer"] = "", "\x1b[2Jgone\x9b2J"
    file.write_text(json.dumps(notebook))
    text = run(capsys, "status")[1]
    assert "[2Jgone" in text and not {"\x1b", "\x9b"} & {*text}


def test_a_pasted_cell_does_not_decide_which_notebook_is_put_back(
    file: Path, lab: Path, capsys: pytest.CaptureFixture
) -> None:
    name = "01-row-scaling.ipynb"
    for folder in (lab / "01-row-scaling", lab / ".released" / "01-row-scaling"):
        folder.mkdir()
        shutil.copy(ROOT / "notebooks" / "01-row-scaling" / name, folder)
    mine = lab / "01-row-scaling" / name
    released = mine.read_bytes()
    notebook = json.loads(released)
    notebook["cells"].append(cell(json.loads(RELEASED.read_text()), "00-add"))
    mine.write_text(json.dumps(notebook))
    assert run(capsys, "reset", str(mine))[0] == 0
    assert mine.read_bytes() == released


def test_neither_command_imports_pytorch(file: Path) -> None:
    """Which would take seconds on a cold machine."""
    for arguments in (["status"], ["reset", NAME]):
        code = f"import sys, course.cli; assert course.cli.main({arguments}) == 0; assert 'torch' not in sys.modules"
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT)}
        )
