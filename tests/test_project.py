"""The files around the code agree with each other, and the make targets do what `make help` says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import yaml

import course
from autograder.classroom import ROOT
from tests.benchmarks import builds, kernels
from tests.conftest import LONG
from tests.tidy import tidy

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, PYTEST = SETTINGS["project"], SETTINGS["tool"]["pytest"]["ini_options"]


def make(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["make", "-C", ROOT, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_environment_yml_takes_its_versions_from_pyproject() -> None:
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = [line for line in dependencies if isinstance(line, str)]
    (pip,) = [line["pip"] for line in dependencies if isinstance(line, dict)]
    assert pip == ["-e .[class]"]
    assert "class" in PROJECT["optional-dependencies"]
    assert f"python {PROJECT['requires-python']}" in conda
    installed_by_pip = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    names = {re.match(r"[\w-]+", line).group() for lines in installed_by_pip for line in lines}
    assert not names & {line.split()[0] for line in conda}


def test_the_extension_of_jupyterlab_has_the_version_of_the_project() -> None:
    package = json.loads((ROOT / "course" / "labextension" / "package.json").read_text())
    assert (package["name"], package["version"]) == (PROJECT["name"], PROJECT["version"])


def test_pytorch_has_no_upper_bound() -> None:
    """With an upper bound, pip would one day replace the PyTorch that Colab brings."""
    (bound,) = [line for line in PROJECT["dependencies"] if line.startswith("torch")]
    assert re.fullmatch(r"torch>=[\d.]+", bound)


def test_the_student_bundle_holds_the_course_and_nothing_that_gives_answers_away(tmp_path: Path) -> None:
    result = make("student-bundle", f"DIST={tmp_path}")
    assert result.returncode == 0, result.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as bundle:
        files = {name.partition("/")[2]: bundle.extractfile(name).read() for name in bundle.getnames()}
    assert {
        "pyproject.toml",
        "environment.yml",
        "course/__init__.py",
        "course/headers/course/checks.h",
        "course/kernels/mma.cu",
        "Makefile",
    } <= set(files)
    assert {name.split("/")[0] for name in files} <= {
        ".gitignore",
        "course",
        "notebooks",
        "Makefile",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "docs",
        "nbgrader_config.py",
        "pyproject.toml",
        "environment.yml",
    }
    pages = [name for name in files if name.endswith(".md") and not name.startswith("course/")]
    links = {(page, target) for page in pages for target in links_of(files[page].decode()) if "://" not in target}
    assert {page for page, _ in links} == {"README.md", "docs/results.md"}
    dead = [(page, target) for page, target in links if not points_into(files, page, target)]
    assert not dead
    assert not [name for name, text in files.items() if b"BEGIN SOLUTION" in text or b"HIDDEN TESTS" in text]


def test_validate_waits_for_a_students_cells_as_long_as_the_judge_does(tmp_path: Path) -> None:
    assert make("student-bundle", f"DIST={tmp_path}").returncode == 0
    subprocess.run(["tar", "-xzf", next(tmp_path.glob("*.tar.gz")), "-C", tmp_path], check=True)
    validates = "from nbgrader.server_extensions.validate_assignment.handlers import ValidateAssignmentHandler as V"
    prints = f"{validates}; print(V.load_config(None).Execute.timeout)"
    told = subprocess.check_output([sys.executable, "-c", prints], cwd=tmp_path / "cuda-kernels-course", text=True)
    assert int(told) >= 600  # nbgrader's default of 30 s is not enough on a busy machine


def test_a_students_copy_says_what_it_has(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    result = subprocess.run(["make", "demo", "VENV=."], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode != 0
    assert "The students' copy of the course lacks what this target needs: use make lab." in result.stdout
    text = subprocess.check_output(["make"], cwd=tmp_path, text=True)
    listed = set(re.findall(r"^  make ([a-z-]+)", text, re.MULTILINE))
    assert listed == {"help", "lab", "clean"} and "pytest" not in text
    for target in listed:
        subprocess.run(["make", "--dry-run", target], cwd=tmp_path, check=True, capture_output=True)


def test_what_is_left_out_of_the_bundle_is_named(tmp_path: Path) -> None:
    for name in ("course", "notebooks", "solutions"):
        (tmp_path / name).mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".gitignore").write_text("*.so\n")
    for name in ("course/kept.py", "course/new.py", "course/built.so", "notebooks/new.ipynb", "solutions/new.ipynb"):
        (tmp_path / name).touch()
    subprocess.run("git init -q && git add Makefile .gitignore course/kept.py", shell=True, cwd=tmp_path, check=True)
    packed = subprocess.run(["make", "student-bundle"], cwd=tmp_path, check=True, capture_output=True, text=True)
    said = "Not in the bundle, since git does not track them: course/new.py notebooks/new.ipynb"
    assert said in (line.strip() for line in packed.stdout.splitlines())


def test_make_help_names_every_target() -> None:
    listed = set(re.findall(r"^  make ([a-z-]+)", make().stdout, re.MULTILINE))
    phony = set(re.search(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split())
    assert listed == phony >= {"demo", "test", "lab", "release", "student-bundle", "clean"}


def test_an_old_python_is_refused_in_one_sentence(tmp_path: Path) -> None:
    result = make("demo", "PYTHON=false", f"VENV={tmp_path}/venv")
    assert result.returncode != 0
    assert "and false is not: name another interpreter, as in make PYTHON=python3.12 demo" in result.stdout


def test_what_only_tests_need_is_installed_for_them_alone(tmp_path: Path) -> None:
    def installs(target: str) -> list[str]:
        told = make("--dry-run", target, f"VENV={tmp_path}")
        assert told.returncode == 0, told.stderr
        return re.findall(r"pip install .*\[(.*)\]", told.stdout)

    assert installs("lab") == installs("demo") == ["class,cuda"]
    for target in ("test", "test-slow", "lint", "figures"):
        assert installs(target) == ["class,cuda", "class,test"]
    (tmp_path / ".ready").touch()
    assert installs("lab") == [] and installs("test") == ["class,test"]
    os.utime(tmp_path / ".ready", (0, 0))  # as after an edit of pyproject.toml
    (tmp_path / ".test-ready").touch()
    assert installs("lab") == ["class,cuda"] and installs("test") == ["class,cuda", "class,test"]


@pytest.fixture
def lab(tmp_path: Path) -> Callable[[], str]:
    """A copy of Makefile and notebooks with a stand-in for Jupyter; the call returns what `make lab` prints there."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    os.utime(tmp_path / "pyproject.toml", (0, 0))
    ready, jupyter = tmp_path / ".venv" / ".ready", tmp_path / ".venv" / "bin" / "jupyter"
    ready.touch()
    jupyter.write_text('#!/bin/sh\necho "jupyter $*"\n')
    jupyter.chmod(0o755)

    def call() -> str:
        done = subprocess.run(["make", "lab"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr
        assert f"jupyter lab --ServerApp.root_dir={tmp_path}/lab" in done.stdout
        return "".join(line for line in done.stdout.splitlines(keepends=True) if "jupyter" not in line)

    return call


FIRST, SECOND = (f"{name}/{name}.ipynb" for name in ("00-first-kernel", "01-row-scaling"))


def test_make_lab_overwrites_nothing(lab: Callable[[], str], tmp_path: Path) -> None:
    assert lab() == ""
    extension = tmp_path / ".venv" / "share" / "jupyter" / "labextensions" / "cuda-kernels-course"
    assert extension.readlink() == tmp_path / "course" / "labextension"
    (tmp_path / "lab" / FIRST).write_text("a student's work")
    (tmp_path / "lab" / SECOND).unlink()
    assert lab() == ""
    assert (tmp_path / "lab" / FIRST).read_text() == "a student's work"
    assert (tmp_path / "lab" / SECOND).read_bytes() == (ROOT / "notebooks" / SECOND).read_bytes()


def test_make_lab_hides_every_plugin_of_nbgrader_but_validate() -> None:
    hidden = json.loads((ROOT / "course" / "student_menus" / "labconfig" / "page_config.json").read_text())
    scripts = Path(sys.prefix, "share", "jupyter", "labextensions", "@jupyter", "nbgrader", "static").glob("*.js")
    plugins = {name for script in scripts for name in re.findall(r"@jupyter/nbgrader:[a-z-]+", script.read_text())}
    assert plugins - set(hidden["disabledExtensions"]) == {"@jupyter/nbgrader:validate-assignment"}
    assert set(hidden["disabledExtensions"]) < plugins


def test_make_lab_says_which_notebooks_are_older_than_the_released_ones(lab: Callable[[], str], tmp_path: Path) -> None:
    def older(is_or_may_be: str) -> str:
        advice = "rename it and run make lab again to get the new one beside it."
        return f"{tmp_path}/lab/{FIRST} {is_or_may_be} older than the released notebook: {advice}\n"

    copy = tmp_path / "lab" / FIRST
    lab()
    copy.write_text("a student's work")
    (tmp_path / "notebooks" / FIRST).write_text("a later release")
    assert lab() == older("is") == lab()
    shutil.rmtree(tmp_path / "lab" / ".released")  # as left by an earlier version
    assert lab() == older("may be")
    copy.rename(copy.with_name("mine.ipynb"))
    assert lab() == "" and copy.read_text() == "a later release"
    assert copy.with_name("mine.ipynb").read_text() == "a student's work"


def prose(page: Path) -> str:
    """The Markdown of a page or of a notebook, without its code."""
    text = page.read_text()
    if page.suffix == ".ipynb":
        cells = nbformat.read(page, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.sub(r"^```.*?^```|`[^`\n]*`", "code", text, flags=re.MULTILINE | re.DOTALL)


def leads_somewhere(page: Path, target: str) -> bool:
    """Whether a link of `page` is an address on the web, or leads to a file and a heading that exist."""
    address = urlsplit(target)
    if address.scheme or address.netloc:
        return re.fullmatch(r"https://[\w-]+(\.[\w-]+)+(/\S*)?", target) is not None
    file = page.parent / unquote(address.path) if address.path else page
    if not file.exists() or not address.fragment:
        return file.exists()
    headings = re.findall(r"^#+ (.+)", prose(file), re.MULTILINE)
    return address.fragment in {re.sub(r"[^\w -]", "", text).strip().lower().replace(" ", "-") for text in headings}


def links_of(text: str) -> list[str]:
    """The targets of a page's links and pictures, in Markdown and in HTML."""
    return re.findall(r"""(?:\]\(|(?:href|src|srcset)=["'])([^)"']*)""", text)


def points_into(files: Iterable[str], page: str, target: str) -> bool:
    """Whether a relative link of `page` is to one of `files`, or within the page."""
    path = target.partition("#")[0]
    return not path or os.path.normpath(os.path.join(os.path.dirname(page), path)) in files


def test_links_lead_to_files_and_headings_that_are_there() -> None:
    tracked = subprocess.check_output(["git", "ls-files", "*.md", "*.ipynb"], cwd=ROOT, text=True).splitlines()
    found = [(page, target) for page in (ROOT / name for name in tracked) for target in links_of(prose(page))]
    assert len({page for page, _ in found}) >= 3
    assert not [(str(page), target) for page, target in found if not leads_somewhere(page, target)]
    page = ROOT / "solutions" / "README.md"
    dead = ("#no-such-heading", "../README.md#no-such-heading", "nothing.md", "http://example.org", "https://a b")
    for target in dead:
        assert not leads_somewhere(page, target)


def test_ci_lints_and_runs_all_tests_and_keeps_their_durations(tmp_path: Path) -> None:
    """A stand-in for make shows which targets it would have made."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    assert os.access(tmp_path / ".ci" / "run", os.X_OK)
    said = "=== slowest 60 durations ===\n1.0s call one\n=== 2 passed ==="
    (tmp_path / "make").write_text(f'#!/bin/sh\necho "made $*"\nprintf "{said}"\ntest "$1" != "$FAILS"\n')
    (tmp_path / "make").chmod(0o755)
    made = []
    for fails in ("nothing", "test"):
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "FAILS": fails}
        done = subprocess.run([tmp_path / ".ci" / "run"], env=environment, capture_output=True, text=True)
        made.append(
            (done.returncode, re.findall(r"^made ([\w-]+)", done.stdout.replace("===made", "\nmade"), re.MULTILINE))
        )
    assert made == [(0, ["lint", "test", "test-slow"]), (1, ["lint", "test"])]
    for tests in ("test", "test-slow"):
        record = tmp_path / "build" / f"durations-{tests}.txt"
        assert record.read_text().splitlines()[1] == "1.0s call one"


def test_files_that_the_docs_name_are_there() -> None:
    """Files named in code, such as `referee/judge.py`. A name with a part in capitals stands for any file."""
    tracked = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    pages = ["README.md", "CONTRIBUTING.md", "autograder/README.md", "solutions/README.md"]
    pages += [name for name in tracked if re.fullmatch(r"docs/\w+\.md", name)]
    named = {
        (page, name)
        for page in pages
        for name in re.findall(r"`([\w-]+(?:/[\w-]+)+\.(?:py|sh|cpp|h|md|json))`", (ROOT / page).read_text())
        if not re.search(r"/[A-Z]{2,}\.", name.replace("README", "").replace("TABLE", ""))
    }
    assert len(named) > 30
    assert not [(page, name) for page, name in named if not any(f"/{each}".endswith(f"/{name}") for each in tracked)]


def test_test_and_test_slow_run_every_test_between_them() -> None:
    commands = {target: make("--dry-run", target).stdout for target in ("test", "test-slow")}
    assert '-m "not slow and not timing"' in commands["test"] and "-m slow" in commands["test-slow"]
    assert {*LONG} <= {path.stem for path in ROOT.glob("tests/*/test_*.py")}
    assert "slow:" in PYTEST["markers"][0] and any(each.startswith("gpu:") for each in PYTEST["markers"])


def test_tests_for_a_gpu_need_neither_venv_nor_jupyter(tmp_path: Path) -> None:
    """A stand-in for Python shows what it is asked to run: first one that has nbgrader, then one that does not."""
    for name, has in (("with", 0), ("without", 1)):
        (tmp_path / name).write_text(f'#!/bin/sh\ntest "$1" = -c && exit {has}\necho "$*"\n')
        (tmp_path / name).chmod(0o755)
        asked = make("test-gpu", f"PYTHON={tmp_path}/{name}", f"VENV={tmp_path}/none").stdout
        assert "-m gpu and not slow" in asked and "tests/test_measure.py" in asked
        assert ("tests/grading/test_cheats.py" in asked) == (name == "with")
    (need_jupyter,) = re.findall("^NEED_JUPYTER := (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert all((ROOT / name).exists() for name in need_jupyter.split())


def test_an_authors_notebook_is_tidied_to_what_is_kept(tmp_path: Path) -> None:
    """After a cell was edited in JupyterLab, the diff shows only that cell."""
    for original in ROOT.glob("solutions/*/*.ipynb"):
        notebook = nbformat.read(original, as_version=4)
        notebook.metadata.language_info.version = "3.11.7"
        for cell in notebook.cells:
            cell.metadata.execution = {"iopub.execute_input": "2026-11-22T10:00:00Z"}
            if cell.cell_type == "code":
                cell.execution_count, cell.outputs = 7, [nbformat.v4.new_output("stream", text="built\n")]
        saved = tmp_path / original.name
        nbformat.write(notebook, saved)
        tidy(saved)
        assert saved.read_bytes() == original.read_bytes()


def test_a_notebook_completes_the_course_to_what_it_offers() -> None:
    assert dir(course) == sorted(course.__all__) and all(hasattr(course, name) for name in course.__all__)


def test_the_tables_are_what_was_recorded() -> None:
    """`make tables` writes them again."""
    for page, name, text in kernels.tables():
        assert kernels.between(page, name) == text
    assert kernels.between(kernels.RESULTS, "builds") == builds.table(json.loads(builds.RECORD.read_text()))


def test_the_front_pages_are_short() -> None:
    for name in ("README.md", "CONTRIBUTING.md"):
        assert len((ROOT / name).read_text().splitlines()) <= 120, name
    assert len(kernels.SUMMARY) <= 10


def test_a_table_of_builds_has_the_kernels_that_only_some_toolchains_built() -> None:
    def entry(**kernels: float) -> dict:
        times = {
            name: {kind: [edited, 2 * edited, 4 * edited] for kind in builds.KINDS} for name, edited in kernels.items()
        }
        return {"machine": "no GPU, 2 cores", "versions": "PyTorch", "load": 0.1, "first": 9.0, "kernels": times}

    text = builds.table({"torch": entry(b=20.0), "nvcc": entry(a=0.5, b=0.4), "emulator": entry(a=0.02)})
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    assert {len(row) for row in rows} == {1 + 3 * 3 + 1}
    assert rows[0][1::3] == ["`emulator` cold", "`nvcc` cold", "`torch` cold", "`nvcc` faster after an edit"]
    assert rows[2][1::3] == ["40.0 ms (20.0 to 80.0)", "1.00 s (0.50 to 2.00)", "", ""]
    assert rows[3][1::3] == ["", "0.80 s (0.40 to 1.60)", "40.00 s (20.00 to 80.00)", "50 times"]
    said = (
        "`nvcc` (no GPU, 2 cores, load 0.1 at the start, PyTorch): edited 0.90 s (median of 2 kernels), at most 2.00 s"
    )
    assert said in text
