"""Predictions: what is said about a wrong one, and the hint after two wrong ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from course.notebook import check as checking
from course.notebook.check import check
from course.referee.prediction import compare_prediction, known_mistakes
from course.referee.verdict import Verdict
from course.tasks import Task, load_task, prediction_texts, task_names

pytestmark = pytest.mark.quick

PREDICTIONS = [name for name in task_names() if load_task(name).asks_for_a_value]
CLINIC = load_task("first_kernel_clinic")
DIAGNOSES = CLINIC.reference([])


def told(task: Task, prediction: Any) -> str:
    """What the referee says about a prediction."""
    return compare_prediction(task, prediction, task.reference([])).detail


@pytest.fixture
def no_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel in which nothing has been tried yet, and the emulator on whatever machine the tests run."""
    monkeypatch.setattr(checking, "_wrong_tries", type(checking._wrong_tries)())
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")


@pytest.mark.parametrize("name", PREDICTIONS)
def test_each_prediction_has_two_likely_mistakes_in_sentences(name: str) -> None:
    """`autograder.lint` has what must be true of them."""
    task = load_task(name)
    right = task.reference([])
    for wrong in (
        [known_mistakes(task, right[key], key) for key in right]
        if isinstance(right, dict)
        else [known_mistakes(task, right)]
    ):
        assert len(wrong) >= 2
        assert all(sentence.endswith((".", "?")) and "  " not in sentence for sentence in wrong.values())


def test_a_diagnosis_that_fits_only_some_of_the_symptoms_is_told_the_one_that_it_does_not_fit() -> None:
    assert "then no element is stored by several threads" in told(CLINIC, {**DIAGNOSES, "patient 3": "grid"})


def test_nothing_but_a_prediction_has_a_hint() -> None:
    assert set(PREDICTIONS) == prediction_texts().keys() - {"any_number"}


def test_the_diagnosis_follows_the_constants_of_the_question() -> None:
    blocks = load_task("first_kernel_blocks")
    assert "3906 is 1,000,003 / 256 rounded down: the last elements get no thread." in told(blocks, 3906)
    other = blocks.sized({"N": 1000})
    assert "3 is 1,000 / 256 rounded down: the last elements get no thread." in told(other, 3)
    assert told(other, 3906) == "Your prediction, 3906, is not right."


def test_another_unit_and_elements_for_bytes_are_named_without_an_entry_of_the_question() -> None:
    least = load_task("transposed_matmul_least_time")
    assert "another unit than the one that is asked for" in told(least, least.reference([]) * 1000)
    traffic = load_task("tiled_matmul_traffic")
    elements = {way: size // 4 for way, size in traffic.reference([]).items()}
    assert told(traffic, elements).count("did you count elements instead of bytes?") == 2
    assert "elements" not in told(load_task("softmax_passes"), {"the row kept in registers": 0.5})


def test_a_file_with_the_name_of_a_prediction_has_none_of_its_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "first_kernel_blocks.py"
    path.write_text("class Model:\n    def forward(self): return 3907\n\n\ndef get_inputs(): return []\n")
    assert compare_prediction(load_task(path), 3906, 3907).detail == "Your prediction, 3906, is not right."


def test_of_a_dict_the_wrong_entries_are_named_and_not_their_values() -> None:
    wrong = told(CLINIC, {**DIAGNOSES, "patient 3": "guard", "patient 4": "index"})
    assert 'is not right: "patient 3" and "patient 4" are wrong.' in wrong
    assert "\"patient 3\": 'guard' does not fit: a wrong guard affects elements near N" in wrong
    assert "healthy" not in wrong
    one = told(CLINIC, {"patient 1": "grid", "patient 2": None, "patient 3": "guard", "patient 4": "healthy"})
    assert 'it has no entry for patient 2, and "patient 3" is wrong.' in one
    assert "the question did not ask for 'patient 5'." in told(CLINIC, {**DIAGNOSES, "patient 5": "grid"})


def test_capitals_and_spaces_do_not_count_and_a_word_that_is_not_allowed_is_told_which_are() -> None:
    shouted = {name: f" {word.upper()}\n" for name, word in DIAGNOSES.items()}
    assert told(CLINIC, shouted) == "Your prediction is right."
    allowed = '"patient 1": \'gird\' is not one of "index", "guard", "grid" and "healthy".'
    assert allowed in told(CLINIC, {**DIAGNOSES, "patient 1": "gird"})
    assert "\"patient 3\": 'Guard' does not fit" in told(CLINIC, {**DIAGNOSES, "patient 3": "Guard"})


def test_an_entry_of_another_kind_is_told_what_it_must_be() -> None:
    task = load_task("tiled_matmul_traffic")
    right = task.reference([])
    assert told(task, {**right, "tiled": 0.5}).endswith('"tiled": 0.5 is not a whole number.')
    assert told(task, {**right, "tiled": "many"}).endswith("\"tiled\": 'many' is not a number.")


def test_what_is_no_dict_is_told_that_it_must_be_one(no_tries: None) -> None:
    said = str(check("tiled_matmul_traffic", [1, 2], points=1))
    assert said.endswith('(1, 2), is not right: it must be a dict with the entries "naive" and "tiled".')


def test_two_wrong_tries_show_the_hint_and_no_answer_or_no_value_is_no_try(no_tries: None) -> None:
    shown = f"Hint: {prediction_texts()['first_kernel_blocks']['hint']}"
    assert "Hint" not in str(check("first_kernel_blocks", 3906, points=1))
    assert "Hint" not in str(check("first_kernel_blocks", None, points=1))
    assert "Hint" not in str(check("row_scaling_narrow", 4, points=1))
    unbuilt = Verdict("first_kernel_blocks", "emulator", "CPU", compiled=False, problem="name 'N' is not defined")
    assert checking._hint(unbuilt) == checking._hint(unbuilt) == ""
    mark = check("first-kernel-blocks", 3905, points=1)
    assert mark == 0.0 and str(mark).endswith(f"\n{shown}") and f"<p>{shown}</p>" in mark._repr_html_()
    assert "Hint" not in str(check("first_kernel_blocks", 3907, points=1))


def test_no_hint_is_given_while_nbgrader_validates(no_tries: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    for _ in range(2):
        with pytest.raises(Exception, match="is not right") as raised:
            check("first_kernel_blocks", 3906, points=1)
        assert "Hint" not in str(raised.value)
