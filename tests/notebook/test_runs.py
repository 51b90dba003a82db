"""Which cell's text a check judges: that of the answer cell as it last ran, or what is known of it."""

from __future__ import annotations

from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from course.notebook.check import Mark
from tests.notebook.answers import ADD, SUBTRACT, TYPO

pytestmark = pytest.mark.usefixtures("emulated")
RIGHT, WRONG = f"%%cuda adder\n{ADD}", f"%%cuda adder\n{SUBTRACT}"
CHECK = 'check("vector_add", adder.add, points=2)'
NUMBER = 'check("first_kernel_blocks", blocks, points=1)'

# What a front end sends of the cells: nothing, as nbconvert; only ids, as VS Code; the metadata, as JupyterLab.
ANSWER = {"cellId": "a", "nbgrader": {"grade_id": "00-add", "solution": True}}
CHECKS = {"cellId": "c", "nbgrader": {"grade_id": "00-add-check", "solution": False}, "course": {"answer": "00-add"}}
FRONT_ENDS = {
    "nothing": ({}, {}, {}),
    "ids": ({"cellId": "a"}, {"cellId": "b"}, {"cellId": "c"}),
    "metadata": (ANSWER, {"cellId": "b"}, CHECKS),
}


class Notebook:
    """Runs cells in a shell, as a front end that sends metadata."""

    def __init__(self, shell: Any, front_end: str):
        self.shell = shell
        self.metadata = dict(zip(("answer", "scratch", "check"), FRONT_ENDS[front_end], strict=True))
        shell.run_cell("from course import check", store_history=True)

    def run(self, cell: str, text: str) -> Any:
        self.shell.get_parent = lambda: {"metadata": self.metadata[cell]}
        return self.shell.run_cell(text, store_history=True)

    def check(self, text: str = CHECK) -> Mark:
        return self.run("check", text).result


@pytest.fixture(params=FRONT_ENDS)
def notebook(shell: Any, request: pytest.FixtureRequest) -> Notebook:
    return Notebook(shell, request.param)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"import math\n{RIGHT}", "%%cuda must be on the first line of its cell, but is on line 2"),
        (ADD, "The line %%cuda NAME is missing"),
        (RIGHT.replace("%%cuda", "%%CUDA"), "%%CUDA is no magic of the course"),
    ],
)
def test_a_cell_that_was_not_run_leaves_no_old_function_to_be_judged(notebook, text, said):
    notebook.run("answer", RIGHT).raise_error()
    notebook.run("answer", text)
    mark = notebook.check()
    assert mark == 0 and said in str(mark) and "In [3], the " in str(mark)
    notebook.run("answer", TYPO.join(["%%cuda adder\n", ""]))
    notebook.run("answer", text)
    assert said in str(notebook.check())  # and not the error of the compiler before
    notebook.run("answer", RIGHT).raise_error()
    assert notebook.check() == 2


def test_a_failed_prediction_leaves_no_old_value_to_be_judged_and_run_all_goes_on(notebook):
    for _ in range(2):  # blocks is not bound, and then it is
        notebook.run("answer", "blocks = math.ceil(1_000_003 / 256)")
        mark = notebook.check(NUMBER)
        assert mark == 0 and "name 'math' is not defined" in str(mark)
        notebook.run("answer", "blocks = 3907").raise_error()
        assert notebook.check(NUMBER) == 1
    notebook.run("answer", "blocks = None").raise_error()
    assert str(notebook.check(NUMBER)) == "0 of 1 point. Not answered yet."
    notebook.run("answer", "blocks = math.ceil(1_000_003 / 256)")
    assert "name 'math' is not defined" in str(notebook.check(NUMBER))


def test_a_check_before_its_answer_says_what_to_run(notebook):
    for text, name in ((CHECK, "adder"), (NUMBER, "blocks")):
        mark = notebook.check(text)
        assert mark == 0 and f"{name} has no value: run its answer cell first." in str(mark)
        assert name not in notebook.shell.user_ns
    assert isinstance(notebook.run("check", "print(adder)").error_in_exec, NameError)


def test_the_answer_cell_is_judged_whatever_a_scratch_cell_has_bound_since(shell):
    notebook = Notebook(shell, "metadata")
    notebook.run("scratch", RIGHT).raise_error()
    mark = notebook.check()
    assert mark == 0 and "adder was bound by In [2], which is not the answer cell 00-add" in str(mark)
    notebook.run("answer", WRONG).raise_error()
    assert notebook.check() == 0 and "In [2]" not in str(shell.user_ns["_"])
    notebook.run("scratch", RIGHT).raise_error()
    mark = notebook.check()
    assert mark == 0 and "mark of the answer cell 00-add as In [4] ran it. Another cell, In [6], has bound" in str(mark)
    assert "line_marks" not in str(mark._repr_mimebundle_())
    notebook.run("answer", RIGHT).raise_error()
    notebook.run("scratch", WRONG).raise_error()
    assert notebook.check() == 2 and "Another cell, In [9], has bound adder since" in str(shell.user_ns["_"])


@pytest.mark.parametrize(
    ("front_end", "remark"),
    [
        ("nothing", "This is the mark of In [3]."),
        ("ids", "This is the mark of In [3]. Another cell, In [2], bound adder before. The autograder reads only"),
    ],
)
def test_where_the_answer_cell_is_not_known_the_cell_that_was_judged_is_named(shell, front_end, remark):
    notebook = Notebook(shell, front_end)
    notebook.run("answer", WRONG).raise_error()
    notebook.run("scratch", RIGHT).raise_error()
    assert notebook.check() == 2 and remark in str(shell.user_ns["_"])


def test_names_inside_functions_are_not_bound(shell):
    notebook = Notebook(shell, "nothing")
    notebook.run("answer", "blocks = 3907").raise_error()
    notebook.run("scratch", "def other():\n    blocks = 3\nsquares = [blocks for blocks in range(3)]").raise_error()
    assert notebook.check(NUMBER) == 1 and "In [" not in str(shell.user_ns["_"])


@pytest.mark.slow
def test_a_real_kernel_gets_the_metadata_that_jupyterlab_sends():
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        cells = [
            ({}, "%load_ext course\nfrom course import check"),
            (ANSWER, "blocks = 3"),
            ({"cellId": "b"}, "blocks = 3907"),
            (CHECKS, NUMBER.replace("check", "print(check", 1) + ")"),
        ]
        printed = []
        for metadata, text in cells:
            content = {"code": text, "silent": False, "store_history": True, "allow_stdin": False}
            message = client.session.msg("execute_request", content, metadata=metadata)
            client.shell_channel.send(message)
            while True:
                reply = client.get_iopub_msg(timeout=120)
                if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                    continue
                if reply["msg_type"] == "stream":
                    printed.append(reply["content"]["text"])
                if reply["content"].get("execution_state") == "idle":
                    break
        assert "mark of the answer cell 00-add as In [2] ran it. Another cell, In [3]" in "".join(printed)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
