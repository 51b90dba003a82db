"""`check`: marks, predictions, and what is accepted as an answer. Everything runs in the emulator."""

import math

import pytest

from course import build
from course.errors import CourseError
from course.notebook.answers import answer_of
from course.notebook.check import check
from tests.notebook.answers import ADD, SUBTRACT, WILD, function

pytestmark = pytest.mark.usefixtures("emulated")


def test_a_right_kernel_gets_its_points_and_the_mark_is_a_number_to_nbgrader():
    mark = check("vector_add", function(ADD), points=3)
    assert mark == 3.0
    assert isinstance(mark, float) and float(repr(mark)) == 3.0
    assert "3 of 3 points" in mark._repr_html_()
    assert str(mark).startswith("3 of 3 points")


def test_a_function_is_judged_with_the_flags_that_built_it():
    source = ADD.replace("A[i] + B[i]", "A[i] + FACTOR * B[i]")
    for factor, points in ((1, 1.0), (2, 0.0)):
        module = build.load_inline(
            "add", cuda_sources=source, functions=["add"], extra_cuda_cflags=[f"-DFACTOR={factor}"]
        )
        assert check("vector_add", module.add, points=1) == points


def test_a_wrong_kernel_gets_nothing_and_the_reason():
    mark = check("vector_add", function(SUBTRACT), points=3)
    assert mark == 0.0 and float(repr(mark)) == 0.0
    for text in (str(mark), mark._repr_html_()):
        assert "0 of 3 points" in text and "10,007 of 10,007 elements" in text


def test_a_crash_is_a_mark_and_the_next_check_works():
    assert check("vector_add", function(WILD), points=1) == 0.0
    assert check("vector_add", function(ADD), points=1) == 1.0


def test_an_interrupt_is_one_line_without_the_frames_of_the_course(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("course.notebook.check.judge", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        check("vector_add", function(ADD), points=1)
    assert caught.value._render_traceback_() == ["KeyboardInterrupt: check was interrupted: run the cell again."]
    assert caught.value.__suppress_context__


def test_a_check_without_points_shows_the_verdict_alone():
    mark = check("vector_add", function(SUBTRACT), points=0)
    assert mark == 0.0 and "of 0" not in str(mark) and "A - B" in str(mark)


@pytest.mark.parametrize("points", [-1, math.nan, math.inf, True, "3", None])
def test_points_must_be_a_number(points):
    with pytest.raises(CourseError, match="points must be a number"):
        check("vector_add", None, points=points)


def test_a_prediction_is_judged_by_its_value():
    assert check("first_kernel_blocks", 3907, points=1) == 1.0
    assert check("first_kernel_blocks", 3906, points=1) == 0.0
    right = {"patient 1": "grid", "patient 2": "guard", "patient 3": "index", "patient 4": "healthy"}
    assert check("first_kernel_clinic", right, points=1) == 1.0
    assert check("first_kernel_clinic", {**right, "patient 3": "guard"}, points=1) == 0.0


def test_a_prediction_in_a_notebook_is_judged_by_its_cell_alone_as_it_is_when_it_is_marked(shell):
    def checked(cell: str) -> str:
        shell.run_cell(cell, store_history=True).raise_error()
        result = shell.run_cell('check("first_kernel_blocks", blocks, points=1)', store_history=True)
        return str(result.result)

    shell.run_cell("from course import check\nN = 1_000_003", store_history=True).raise_error()
    assert "name 'N' is not defined" in checked("blocks = (N + 255) // 256")
    assert "0 of 1 point" in str(shell.user_ns["_"]) and "each answer cell is judged alone" in str(shell.user_ns["_"])
    assert checked("blocks = 3906\nblocks += 1").startswith("1 of 1 point")
    assert "3906, is not right" in checked("blocks = 3906")


@pytest.mark.parametrize("prediction", [None, {"patient 1": None, "patient 2": None}])
def test_no_prediction_is_not_answered_yet(prediction):
    mark = check("first_kernel_clinic", prediction, points=1)
    assert mark == 0.0 and "Not answered yet" in mark._repr_html_()


def test_numbers_that_have_no_literal_are_written_so_that_they_come_back():
    for number in (math.inf, -math.inf, 0.1, 3, "a'b", (1, "x"), True):
        names = {}
        exec(answer_of(number).source, names)
        assert names["prediction"] == number


@pytest.mark.parametrize("thing", [{1, 2}, object(), math], ids=["set", "object", "module"])
def test_what_is_no_answer_is_refused_in_a_sentence(thing):
    with pytest.raises(CourseError, match="is not an answer"):
        check("vector_add", thing, points=1)


def test_a_task_that_does_not_exist_and_a_word_that_is_no_set_of_cases():
    with pytest.raises(CourseError, match="vector_add"):
        check("vector_ad", 1, points=1)
    with pytest.raises(CourseError, match="vector_add"):
        check("vector_ad", 1, points=1, cases="hidden")
    with pytest.raises(CourseError, match="There is no task 'None'"):
        check(None, 1, points=1)
    with pytest.raises(CourseError, match="visible"):
        check("vector_add", 1, points=1, cases="all")


def test_a_prediction_of_what_cannot_be_hashed_is_not_right():
    assert check("first_kernel_clinic", {"patient 1": ["grid"]}, points=1) == 0.0


def test_validate_is_shown_the_reason_and_only_where_points_are_missing(monkeypatch):
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    with pytest.raises(CourseError, match=r"0 of 3 points.*A - B"):
        check("vector_add", function(SUBTRACT), points=3)
    assert check("vector_add", function(ADD), points=3) == 3.0
    assert check("vector_add", function(SUBTRACT), points=0) == 0.0


def test_hidden_cases_are_judged_where_they_are_and_left_to_the_instructor_elsewhere(tmp_path, monkeypatch):
    only_first_block = ADD.replace("(N + 255) / 256, 256", "1, 256").replace("i < N", "i < N && i < 256")
    assert check("vector-add", function(ADD), points=1, cases="hidden") == 1.0
    assert check("vector_add", function(only_first_block), points=1, cases="hidden") == 0.0
    monkeypatch.setattr("course.notebook.check.HIDDEN", tmp_path)  # as in a student's copy
    mark = check("vector_add", function(ADD), points=1, cases="hidden")
    assert mark == 0.0 and "instructor" in str(mark)


def test_a_python_answer_is_the_whole_cell_that_defines_it(shell):
    shell.run_cell("SIGN = 1\n\ndef plus(A, B):\n    return A + SIGN * B").raise_error()
    answer = answer_of(shell.user_ns["plus"])
    assert (answer.kind, answer.function) == ("python", "plus")
    assert answer.source.startswith("SIGN = 1\n")
    assert check("vector_add", shell.user_ns["plus"], points=1) == 1.0


def test_a_class_of_models_is_an_answer_too(shell):
    shell.run_cell(
        "import torch\nclass Plus(torch.nn.Module):\n    def forward(self, A, B):\n        return A + B"
    ).raise_error()
    answer = answer_of(shell.user_ns["Plus"])
    assert (answer.kind, answer.function) == ("python", "Plus")
    assert check("vector_add", shell.user_ns["Plus"], points=1) == 1.0


def test_a_lambda_has_no_cell_to_send(shell):
    shell.run_cell("plus = lambda A, B: A + B").raise_error()
    with pytest.raises(CourseError, match="def"):
        answer_of(shell.user_ns["plus"])
