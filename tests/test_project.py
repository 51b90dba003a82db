"""The files around the code agree with each other; what make writes for students has what they need and may have."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable
from pathlib import Path

import nbformat
import pytest

import course
from autograder.classroom import ROOT
from autograder.lint import leads, links_of, prose
from tests.benchmarks import builds, kernels
from tests.tidy import tidy

pytestmark = pytest.mark.quick

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def make(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["make", "-C", ROOT, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_the_extension_of_jupyterlab_has_the_version_of_the_project() -> None:
    package = json.loads((ROOT / "course" / "labextension" / "package.json").read_text())
    assert (package["name"], package["version"]) == (PROJECT["name"], PROJECT["version"])


def test_the_student_bundle_holds_the_course_and_nothing_that_gives_answers_away(tmp_path: Path) -> None:
    result = make("student-bundle", f"DIST={tmp_path}")
    assert result.returncode == 0, result.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as bundle:
        files = {each.name.partition("/")[2]: bundle.extractfile(each).read() for each in bundle if each.isfile()}
    assert {
        "pyproject.toml",
        "environment.yml",
        "course/__init__.py",
        "course/headers/course/checks.h",
        "course/kernels/mma.cu",
        "Makefile",
    } <= set(files)
    assert {name.split("/")[0] for name in files} <= {
        ".devcontainer",
        ".dockerignore",
        ".gitignore",
        "Dockerfile",
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


@pytest.mark.slow
def test_validate_waits_for_a_students_cells_as_long_as_the_judge_does(tmp_path: Path) -> None:
    assert make("student-bundle", f"DIST={tmp_path}").returncode == 0
    subprocess.run(["tar", "-xzf", next(tmp_path.glob("*.tar.gz")), "-C", tmp_path], check=True)
    validates = "from nbgrader.server_extensions.validate_assignment.handlers import ValidateAssignmentHandler as V"
    prints = f"{validates}; print(V.load_config(None).Execute.timeout)"
    told = subprocess.check_output([sys.executable, "-c", prints], cwd=tmp_path / "cuda-kernels-course", text=True)
    assert int(told) >= 600  # nbgrader's default of 30 s is not enough on a busy machine


def test_make_lab_in_a_folder_with_a_space(tmp_path: Path) -> None:
    """In a copy of Makefile, with stand-ins for what sets up the environment and for `course`."""
    folder = tmp_path / "my course"
    for path, text in {
        ".venv/bin/course": '#!/bin/sh\necho course "$@" in "$PWD", "$PATH"\n',
        "course/prepare.py": "import sys; print('prepared', sys.argv[1:])\n",
        ".venv/.ready": "",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        (folder / path).chmod(0o755)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copyfile(ROOT / name, folder / name)
    os.utime(folder / "pyproject.toml", (0, 0))

    def lab(*settings: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHON", "TORCH_INDEX")}
        command = ["make", "--silent", "lab", *settings]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True).stdout

    ran = f"course lab in {folder}, {folder}/.venv/bin:"
    assert lab().startswith(ran)
    prepared, _, then = lab("TORCH_INDEX=https://example.org/x", f"PYTHON={sys.executable}").partition("\n")
    assert prepared == "prepared ['.venv', 'https://example.org/x']" and then.startswith(ran)
    os.utime(folder / "pyproject.toml")
    assert lab().startswith("prepared ['.venv', '']")
    remembered = tmp_path / "python3.99"
    remembered.write_text('#!/bin/sh\necho remembered "$@"\n')
    remembered.chmod(0o755)
    (folder / ".venv" / "pyvenv.cfg").write_text(f"version = 3.99\nexecutable = {remembered}\n")  # as venv writes it
    assert lab().startswith("remembered -I course/prepare.py .venv")
    assert lab("PYTHON=python9") == (
        "python9 was not found: install Python 3.11 or later (on Debian and Ubuntu: apt install python3-venv).\n"
    )


def test_make_lab_hides_every_plugin_of_nbgrader() -> None:
    hidden = json.loads((ROOT / "course" / "student_menus" / "labconfig" / "page_config.json").read_text())
    scripts = Path(sys.prefix, "share", "jupyter", "labextensions", "@jupyter", "nbgrader", "static").glob("*.js")
    plugins = {name for script in scripts for name in re.findall(r"@jupyter/nbgrader:[a-z-]+", script.read_text())}
    assert set(hidden["disabledExtensions"]) == {*plugins, "@jupyterlab/apputils-extension:announcements"}


def test_the_dev_container_agrees_with_the_dockerfile() -> None:
    """`python -m tests.benchmarks.container` builds the Dockerfile."""
    steps = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    account = re.search(r"useradd .*--uid (\d+) .*\b(\w+)$", steps, re.MULTILINE)
    folder = ROOT / ".devcontainer"
    settings = json.loads((folder / "devcontainer.json").read_text())
    assert (folder / settings["build"]["dockerfile"]).samefile(ROOT / "Dockerfile")
    assert (folder / settings["build"]["context"]).samefile(ROOT)
    assert account and settings["remoteUser"] == account[2] and f"\nUSER {account[1]}\n" in steps
    assert settings["forwardPorts"] == [int(port) for port in re.findall(r"^EXPOSE (\d+)$", steps, re.MULTILINE)]
    python = settings["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert f"ENV PATH={Path(python).parent}:$PATH" in steps
    assert all((ROOT / file).is_file() for file in settings["customizations"]["codespaces"]["openFiles"])


def points_into(files: Iterable[str], page: str, target: str) -> bool:
    """Whether a relative link of `page` is to one of `files`, or within the page."""
    path = target.partition("#")[0]
    return not path or os.path.normpath(os.path.join(os.path.dirname(page), path)) in files


def test_links_lead_to_files_and_headings_that_are_there() -> None:
    tracked = subprocess.check_output(["git", "ls-files", "*.md", "*.ipynb"], cwd=ROOT, text=True).splitlines()
    found = [(page, target) for page in (ROOT / name for name in tracked) for target in links_of(prose(page))]
    assert len({page for page, _ in found}) >= 3
    assert not [(str(page), target) for page, target in found if not leads(page, target)]
    page = ROOT / "solutions" / "README.md"
    dead = ("#no-such-heading", "../README.md#no-such-heading", "nothing.md", "http://example.org", "https://a b")
    for target in dead:
        assert not leads(page, target)


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
