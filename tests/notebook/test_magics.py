"""`%%cuda`, `%%candidate` and `%%triton`, in a shell and in a real kernel. Everything runs in the emulator."""

import os

import nbformat
import pytest
import torch
from nbclient import NotebookClient

from course.errors import CourseError
from course.notebook.answers import Candidate, answer_of
from course.notebook.check import check
from tests.notebook.answers import ADD, CANDIDATE, TYPO

pytestmark = pytest.mark.usefixtures("emulated")


def test_cuda_builds_the_cell_and_binds_the_name(shell):
    shell.run_cell(f"%%cuda adder\n{ADD}").raise_error()
    shell.run_cell("import torch\nC = adder.add(torch.ones(3), torch.ones(3)).tolist()").raise_error()
    assert shell.user_ns["C"] == [2.0, 2.0, 2.0]
    shell.run_cell("mark = __import__('course').check('vector_add', adder.add, points=2)").raise_error()
    assert shell.user_ns["mark"] == 2.0


def test_a_cell_that_does_not_build_fails_and_its_old_module_is_gone(shell, capsys):
    shell.run_cell(f"%%cuda adder\n{ADD}").raise_error()
    failed = shell.run_cell(f"%%cuda adder\n{TYPO}")
    assert isinstance(failed.error_in_exec, CourseError)
    # The magic is line 1 of the cell, so the kernel's line is where the editor shows it.
    line = f"%%cuda adder\n{TYPO}".splitlines().index(next(x for x in TYPO.splitlines() if "D[i]" in x)) + 1
    shown = capsys.readouterr()
    assert f"line {line}" in shown.out and "D" in shown.out
    assert "Traceback" not in shown.out and not shown.err
    adder = shell.user_ns["adder"]
    assert "adder did not build" in repr(adder)
    with pytest.raises(CourseError, match="adder did not build"):
        adder.add(1, 2)
    mark = check("vector_add", adder.add, points=2)
    assert mark == 0.0 and f"line {line}" in str(mark)


def test_cuda_takes_a_toolchain(shell):
    shell.run_cell(f"%%cuda adder --toolchain emulator\n{ADD}").raise_error()
    assert shell.user_ns["adder"].add.toolchain == "emulator"
    assert isinstance(shell.run_cell(f"%%cuda adder --toolchain gcc\n{ADD}").error_in_exec, CourseError)


@pytest.mark.parametrize("line", ["", "2x", "class", "a b", "a --fast", "--toolchain emulator"])
@pytest.mark.parametrize("magic", ["cuda", "candidate"])
def test_a_magic_needs_a_name(shell, magic, line):
    error = shell.run_cell(f"%%{magic} {line}\nx").error_in_exec
    assert isinstance(error, CourseError) and f"%%{magic}" in str(error)


def test_triton_runs_the_cell_where_a_kernel_finds_its_text_or_says_how_to_install_it(
    shell, tmp_path, monkeypatch, capsys
):
    cell = "%%triton\nimport inspect\ndef kernel():\n    pass\ntext = inspect.getsource(kernel)"
    with monkeypatch.context() as without:
        without.setattr("importlib.util.find_spec", lambda name: None)
        shell.run_cell(cell).raise_error()
    assert "%pip install triton" in capsys.readouterr().out and "text" not in shell.user_ns
    (tmp_path / "triton.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    shell.run_cell(cell).raise_error()
    assert shell.user_ns["text"] == "def kernel():\n    pass\n" and not capsys.readouterr().out
    failed = shell.run_cell("%%triton\n\n1 / 0").error_in_exec
    assert isinstance(failed, ZeroDivisionError) and failed.__traceback__.tb_next
    assert (os.environ.get("TRITON_INTERPRET") == "1") != torch.cuda.is_available()


def test_candidate_binds_the_script_and_is_judged(shell):
    shell.run_cell(f"%%candidate mine\n{CANDIDATE.format('+')}").raise_error()
    assert isinstance(shell.user_ns["mine"], Candidate)
    assert answer_of(shell.user_ns["mine"]).kind == "candidate"


@pytest.mark.parametrize(
    ("script", "words"),
    [("x = 1\ny = = 2", "Line 3 .*y = = 2"), ("class Model:\n    pass", "ModelNew")],
)
def test_a_candidate_that_cannot_be_right_is_told_at_once(shell, script, words):
    with pytest.raises(CourseError, match=words):
        shell.run_cell(f"%%candidate mine\n{script}").raise_error()


@pytest.mark.parametrize("above", ["#@title Add\n", "\n// my kernel\n\n", "# one\n%%time\n", "  "])
@pytest.mark.parametrize(("name", "text"), [("adder", f"%%cuda adder\n{TYPO}"), ("mine", "%%candidate mine\nx = = 1")])
def test_lines_above_a_magic_are_counted(shell, capsys, above, name, text):
    shell.run_cell(above + text)
    line = next(n for n, line in enumerate((above + text).split("\n"), 1) if "D[i]" in line or "= =" in line)
    assert name in shell.user_ns and f"ine {line}" in capsys.readouterr().out


@pytest.mark.parametrize("above", ["import math\n", "#include <cmath>\n", "!ls\n"])
@pytest.mark.parametrize("magic", ["%%cuda adder", "%%candidate mine"])
def test_code_above_a_magic_is_explained(shell, above, magic):
    words = f"(?s){magic.split()[0]} must be on the first line .*Move the lines above it below it"
    with pytest.raises(CourseError, match=words):
        shell.run_cell(f"{above}{magic}\n{ADD}").raise_error()


def test_comments_above_anything_else_are_pythons(shell):
    for cell in ("# %%cuda adder\nx = 1", 'x = """\n%%cuda adder\n"""', f"%%cuda adder\n// comment\n{ADD}"):
        shell.run_cell(cell).raise_error()
    assert "%%cuda" in shell.user_ns["x"]


def test_a_source_of_a_megabyte_is_refused_at_once(shell):
    with pytest.raises(CourseError, match="longer than 256 KiB: write only a kernel and its wrapper"):
        shell.run_cell(f"%%cuda adder\n{ADD}{'// x' * 250_000}").raise_error()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("nbgrader", "texts"),
    [("", ["2 of 2 points. ✓ Right", "0 of 2 points. ✗ Not right"]), ("autograde", ["2.0", "0.0"])],
)
def test_in_a_real_kernel_nothing_reaches_stderr_and_only_nbgrader_gets_a_number_for_a_text(
    monkeypatch, nbgrader, texts
):
    monkeypatch.setenv("NBGRADER_EXECUTION", nbgrader)
    cells = [
        "%load_ext course\nfrom course import check, compare",
        f"%%cuda adder\n{ADD}",
        f"%%cuda broken\n{TYPO}",
        "check('vector_add', adder.add, points=2)",
        "check('vector_add', broken.add, points=2)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells]
    assert not [out for group in outputs for out in group if out.get("name") == "stderr"]
    broken = [out for out in outputs[2] if out.output_type == "error"]
    assert len(broken) == 1 and "Traceback" not in "".join(broken[0].traceback)
    results = [out.data for group in outputs[3:5] for out in group if out.output_type == "execute_result"]
    assert [data["text/plain"].partition(":")[0] for data in results] == texts
    assert "2 of 2 points" in results[0]["text/html"] and "D" in results[1]["text/html"]
