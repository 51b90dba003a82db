"""The files around the code agree with each other, and the make targets do what `make help` says."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import yaml

import course
from autograder.classroom import ROOT
from tests.benchmarks import builds
from tests.tidy import tidy

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def make(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["make", "-C", ROOT, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_environment_yml_takes_its_versions_from_pyproject() -> None:
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = [line for line in dependencies if isinstance(line, str)]
    (pip,) = [line["pip"] for line in dependencies if isinstance(line, dict)]
    assert pip == ["-e .[class,test]"]
    assert {"class", "test"} <= set(PROJECT["optional-dependencies"])
    assert f"python {PROJECT['requires-python']}" in conda
    installed_by_pip = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    names = {re.match(r"[\w-]+", line).group() for lines in installed_by_pip for line in lines}
    assert not names & {line.split()[0] for line in conda}


def test_the_student_bundle_holds_the_course_and_nothing_that_gives_answers_away(tmp_path: Path) -> None:
    result = make("student-bundle", f"DIST={tmp_path}")
    assert result.returncode == 0, result.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as bundle:
        files = {name.partition("/")[2]: bundle.extractfile(name).read() for name in bundle.getnames()}
    assert {"pyproject.toml", "environment.yml", "course/__init__.py", "Makefile"} <= set(files)
    assert {name.split("/")[0] for name in files} <= {
        ".gitignore",
        "course",
        "notebooks",
        "Makefile",
        "README.md",
        "nbgrader_config.py",
        "pyproject.toml",
        "environment.yml",
    }
    links = re.findall(r"\]\(([^):]+)\)", files["README.md"].decode())
    assert links and set(links) <= set(files)
    assert not [name for name, text in files.items() if b"BEGIN SOLUTION" in text or b"HIDDEN TESTS" in text]


def test_validate_waits_for_a_students_cells_as_long_as_the_judge_does(tmp_path: Path) -> None:
    assert make("student-bundle", f"DIST={tmp_path}").returncode == 0
    subprocess.run(["tar", "-xzf", next(tmp_path.glob("*.tar.gz")), "-C", tmp_path], check=True)
    validates = "from nbgrader.server_extensions.validate_assignment.handlers import ValidateAssignmentHandler as V"
    prints = f"{validates}; print(V.load_config(None).Execute.timeout)"
    told = subprocess.check_output([sys.executable, "-c", prints], cwd=tmp_path / "cuda-kernels-course", text=True)
    assert int(told) >= 600  # nbgrader's own 30 s are not enough for a machine with other things to do


def test_a_students_copy_says_what_it_has(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    result = subprocess.run(["make", "demo", "VENV=."], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode != 0
    assert "This is the students' copy of the course: make lab is what it has." in result.stdout


def test_make_help_names_every_target() -> None:
    listed = set(re.findall(r"^  make ([a-z-]+)", make().stdout, re.MULTILINE))
    phony = set(re.search(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split())
    assert listed == phony >= {"demo", "test", "lab", "release", "student-bundle", "clean"}


def test_an_old_python_is_refused_in_one_sentence(tmp_path: Path) -> None:
    result = make("demo", "PYTHON=false", f"VENV={tmp_path}/venv")
    assert result.returncode != 0
    assert "needs Python 3.11 or later and false is not: name one, as in make PYTHON=python3.12 demo" in result.stdout


def test_what_only_tests_need_is_installed_for_them_alone(tmp_path: Path) -> None:
    def installs(target: str) -> list[str]:
        told = make("--dry-run", target, f"VENV={tmp_path}")
        assert told.returncode == 0, told.stderr
        return re.findall(r"pip install .*\[(.*)\]", told.stdout)

    assert installs("lab") == installs("demo") == ["class,cuda"]
    assert installs("test") == installs("lint") == installs("figures") == ["class,cuda", "class,test"]
    (tmp_path / ".ready").touch()
    assert installs("lab") == [] and installs("test") == ["class,test"]
    os.utime(tmp_path / ".ready", (0, 0))  # as after an edit of pyproject.toml
    (tmp_path / ".test-ready").touch()
    assert installs("lab") == ["class,cuda"] and installs("test") == ["class,cuda", "class,test"]


def test_make_lab_overwrites_nothing(tmp_path: Path) -> None:
    """A stand-in for Jupyter shows what it would have been started on."""
    bin_folder, lab = tmp_path / "venv" / "bin", tmp_path / "lab"
    bin_folder.mkdir(parents=True)
    (tmp_path / "venv" / ".ready").touch()
    os.utime(tmp_path / "venv" / ".ready", (2**32, 2**32))
    (bin_folder / "jupyter").write_text('#!/bin/sh\necho "jupyter $*"\n')
    (bin_folder / "jupyter").chmod(0o755)
    work = lab / "00-first-kernel" / "00-first-kernel.ipynb"
    for text in (None, "a student's work"):
        if text:
            work.write_text(text)
        result = make("lab", f"VENV={tmp_path}/venv", f"LAB={lab}")
        assert f"--ServerApp.root_dir={lab}" in result.stdout.replace('"', ""), result.stderr
    assert work.read_text() == "a student's work"
    assert (lab / "01-row-scaling" / "01-row-scaling.ipynb").exists()


def prose(page: Path) -> str:
    """The Markdown of a page or of a notebook, without what stands there as code."""
    text = page.read_text()
    if page.suffix == ".ipynb":
        cells = nbformat.read(page, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.sub(r"^```.*?^```|`[^`\n]*`", "code", text, flags=re.MULTILINE | re.DOTALL)


def leads_somewhere(page: Path, target: str) -> bool:
    """Whether a link of `page` is an address on the web, or a file that is there with a heading that is there."""
    address = urlsplit(target)
    if address.scheme or address.netloc:
        return re.fullmatch(r"https://[\w-]+(\.[\w-]+)+(/\S*)?", target) is not None
    file = page.parent / unquote(address.path) if address.path else page
    if not file.exists() or not address.fragment:
        return file.exists()
    headings = re.findall(r"^#+ (.+)", prose(file), re.MULTILINE)
    return address.fragment in {re.sub(r"[^\w -]", "", text).strip().lower().replace(" ", "-") for text in headings}


def test_links_lead_to_files_and_headings_that_are_there() -> None:
    tracked = subprocess.check_output(["git", "ls-files", "*.md", "*.ipynb"], cwd=ROOT, text=True).splitlines()
    found = [
        (page, target)
        for page in (ROOT / name for name in tracked)
        for target in re.findall(r"""(?:\]\(|(?:href|src)=["'])([^)"']*)""", prose(page))
    ]
    assert len({page for page, _ in found}) >= 3
    assert not [(str(page), target) for page, target in found if not leads_somewhere(page, target)]
    page = ROOT / "solutions" / "README.md"
    dead = ("#no-such-heading", "../README.md#no-such-heading", "nothing.md", "http://example.org", "https://a b")
    for target in dead:
        assert not leads_somewhere(page, target)


def test_ci_lints_and_runs_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make lint test" in script.read_text()


def test_an_authors_notebook_is_tidied_to_what_is_kept(tmp_path: Path) -> None:
    """After an edit of a cell in JupyterLab, the diff is that cell."""
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


def imported(path: Path) -> set[str]:
    """The modules of the course that a file imports, wherever in it, as `build` or `toolchains.base`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            found |= {node.module} if node.module != "course" else {f"course.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return {name.removeprefix("course.") for name in found if name.startswith(("course.", "autograder"))}


def test_each_part_of_the_course_imports_what_contributing_lets_it() -> None:
    rows = re.findall(r"^\| (`course/.+?) \| .+ \|(.*)\|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    allowed: dict[str, set[str]] = {}
    for where, listed in rows:
        above = set(allowed)
        may = above if "all of the above" in listed else set(filter(None, listed.strip().split(", ")))
        assert may <= above, f"{where}: {may - above} does not stand above it"
        here = {re.match(r"(?:course/)?(\w+)", name)[1] for name in re.findall(r"`(.+?)`", where)}
        allowed |= dict.fromkeys(here, may | here)
    seen = set()
    for path in sorted((ROOT / "course").rglob("*.py")):
        part = path.relative_to(ROOT / "course").parts[0].removesuffix(".py")
        if part != "__init__":
            parts = {name.partition(".")[0] for name in imported(path) - {"toolchains.base"}}
            assert parts <= allowed[part], f"{path}: {parts - allowed[part]}"
            seen.add(part)
    assert seen == set(allowed) - {"include"}


def test_a_notebook_completes_the_course_to_what_it_offers() -> None:
    assert dir(course) == sorted(course.__all__) and all(hasattr(course, name) for name in course.__all__)


def test_the_readmes_table_of_builds_is_what_was_recorded() -> None:
    record = json.loads(builds.RECORD.read_text())
    assert builds.MARKED.search((ROOT / "README.md").read_text())[0].count(builds.table(record)) == 1


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
