"""A class on nbgrader's exchange, with only the settings and commands of autograder/HUB.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader import utils

from autograder.classroom import ROOT, Classroom
from tests.classes import of_questions

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("bubblewrap")]
GUIDE = (ROOT / "autograder" / "HUB.md").read_text()
NAME = "00-first-kernel"
BIN = Path(sys.executable).parent
NO_VENV = os.pathsep.join(path for path in os.environ["PATH"].split(os.pathsep) if Path(path) != BIN)
# Gives root, who may write everywhere, the rights of a user.
AS_A_USER = () if os.getuid() else ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


def block(first_line: str) -> str:
    """A block of Python in the guide."""
    return re.search(rf"^```python\n({re.escape(first_line)}\n.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)[1]


class Hub:
    """A machine with an exchange, a clone in a home of its own, and a student's home.

    nbgrader uses the system's name of a student, so there is only one student. Tools are called by their full path.
    """

    def __init__(self, folder: Path, course: Path):
        self.exchange, self.etc = folder / "exchange", folder / "etc"
        self.clone, self.home = folder / "instructor" / "course", folder / "student"
        self.home.mkdir()
        shutil.copytree(course, self.clone)
        self.configure("# /etc/jupyter/nbgrader_config.py")

    def configure(self, title: str) -> None:
        """Write the file for all users with the guide's text."""
        settings = block(title).replace("/srv/nbgrader/exchange", str(self.exchange))
        assert str(self.exchange) in settings
        self.etc.mkdir(exist_ok=True)
        (self.etc / "nbgrader_config.py").write_text(settings)

    def run(self, who: str, line: str, clone: Path | None = None) -> subprocess.CompletedProcess:
        """What a command prints, run by the instructor in the clone or by the student at home."""
        folder = self.home if who == "student" else clone or self.clone
        program, *arguments = line.split()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
        environment |= {
            "HOME": str(self.home if who == "student" else self.clone.parent),
            "JUPYTER_CONFIG_PATH": str(self.etc),
            "PATH": NO_VENV,
            "PYTHONPATH": str(ROOT),
        }
        command = [*AS_A_USER, BIN / program, *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)

    def files(self) -> set[Path]:
        """All files outside of the clone."""
        return {path for folder in (self.exchange, self.home) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with the first prediction of notebook 00, released without .venv on PATH."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", NO_VENV)
        room = of_questions(Path(tmp_path_factory.mktemp("clone")), NAME, {"00-blocks"})
        room.release()
        return room.folder


@pytest.fixture
def hub(course: Path, tmp_path: Path) -> Hub:
    return Hub(tmp_path, course)


def answer(notebook: Path, text: str) -> None:
    """Write an answer into a fetched notebook."""
    nb = nbformat.read(notebook, as_version=4)
    (cell,) = filter(utils.is_solution, nb.cells)
    cell.source = text
    nbformat.write(nb, notebook)


def test_from_the_release_to_the_feedback_no_step_is_needed_that_the_guide_lacks(hub: Hub) -> None:
    (commands,) = re.findall(r"^```\n(nbgrader release_assignment .*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    hub.exchange.mkdir()
    hub.exchange.chmod(0o777)
    for line in commands.splitlines():
        command, who = line.split("#")
        done = hub.run(who.strip(), command)
        assert done.returncode == 0 and not re.search("WARN|ERROR|CRITICAL", done.stderr), done.stdout + done.stderr
        if "fetch_assignment" in command:
            (solution,) = filter(utils.is_solution, Classroom(hub.clone).read("solutions", NAME).cells)
            answer(hub.home / NAME / f"{NAME}.ipynb", solution.source)
    (page,) = hub.home.glob(f"{NAME}/feedback/*/{NAME}.html")
    assert "1 of 1" in page.read_text()


def test_an_exchange_without_permission_is_one_sentence_and_nothing_is_written(hub: Hub) -> None:
    """The sentences are nbgrader's."""
    hub.exchange.parent.chmod(0o555)
    done = hub.run("instructor", f"nbgrader release_assignment {NAME}")
    assert done.returncode == 1 and f"Could not create {hub.exchange}, permission denied." in done.stderr
    hub.exchange.parent.chmod(0o755)
    assert not hub.exchange.exists()

    hub.exchange.mkdir(mode=0o555)
    shutil.copytree(hub.clone / "notebooks" / NAME, hub.home / NAME)
    before = hub.files()
    done = hub.run("student", f"nbgrader submit {NAME}")
    sentence = f"Unwritable directory, please contact your instructor: {hub.exchange}"
    assert done.returncode == 1 and sentence in done.stderr and "Traceback" not in done.stderr
    assert hub.files() == before


def test_of_two_courses_on_one_hub_a_student_names_one(hub: Hub) -> None:
    hub.configure("# /etc/jupyter/nbgrader_config.py for two courses")
    hub.exchange.mkdir()
    hub.exchange.chmod(0o777)
    other = shutil.copytree(hub.clone, hub.clone.with_name("other"))
    settings = (other / "nbgrader_config.py").read_text()
    (other / "nbgrader_config.py").write_text(settings.replace('"cuda-kernels"', '"cuda-again"'))
    for clone in (hub.clone, other):
        assert hub.run("instructor", f"nbgrader release_assignment {NAME}", clone).returncode == 0
    before = hub.files()
    done = hub.run("student", f"nbgrader fetch_assignment {NAME}")
    assert done.returncode == 1 and "No course id specified. Re-run with --course flag." in done.stderr
    assert hub.files() == before
    assert hub.run("student", f"nbgrader fetch_assignment {NAME} --course cuda-again").returncode == 0
    assert hub.files() == before | {hub.home / "cuda-again" / NAME / f"{NAME}.ipynb"}
