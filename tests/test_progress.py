"""The progress line, which says what is being done: who sees it, and what remains of it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tests.clang import replaced_clang

SETUP = "import time\nfrom course.progress import progress"
SLOW = "with progress('slow work') as say:\n    time.sleep(0.8)\n    say('slower work')\n    time.sleep(0.5)"
SHOWN = ["slow work", "slower work, 1 s"]
DEFINITIONS = f"""{SETUP}
def work(line="", cell=""):
    {SLOW.replace(chr(10), chr(10) + "    ")}
    return 3
get_ipython().register_magic_function(work, "cell", "slow")"""


class Notebook(NotebookClient):
    """Executes cells as a front end with a user does, and keeps what the user saw."""

    def __init__(self, *cells: str, watched: bool = True):
        self.seen: list[str] = []
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
        super().__init__(notebook, timeout=120, kernel_name="python3")
        self.on_notebook_start = lambda notebook: setattr(self.kc, "allow_stdin", watched)
        self.execute()

    def process_message(self, msg: dict, cell: nbformat.NotebookNode, cell_index: int) -> object:
        if msg["msg_type"] in ("display_data", "update_display_data"):
            self.seen.append(msg["content"]["data"]["text/plain"])
        return super().process_message(msg, cell, cell_index)

    def outputs(self, cell: int) -> list[str]:
        saved = self.nb.cells[cell].outputs
        return [each.text if each.output_type == "stream" else each.data["text/plain"] for each in saved]


def test_who_watches_sees_it_and_nothing_stays_of_it_nor_goes_with_it() -> None:
    notebook = Notebook(
        DEFINITIONS, "work()", "result = work()\nresult", "%%slow\ncell", "with progress('quick'):\n    pass",
        "print('kept')\nwork()", "for _ in range(1):\n    print('kept')\n    work()",
    )  # fmt: skip
    assert [notebook.outputs(cell) for cell in (1, 2, 3, 4)] == [["3"], ["3"], ["3"], []]
    # What a cell has printed stays, with an empty line below.
    assert [notebook.outputs(cell) for cell in (5, 6)] == [["kept\n", "", "3"], ["kept\n", ""]]
    assert notebook.seen == [*SHOWN * 3, *[*SHOWN, ""] * 2]


def test_where_a_program_executes_a_notebook_nothing_is_shown() -> None:
    notebook = Notebook(DEFINITIONS, "work()", watched=False)
    assert notebook.seen == [] and notebook.outputs(1) == ["3"]


FIRST_BUILD = """
from course.errors import BuildError, CourseError
from course.progress import progress
from course.toolchains.emulator import library
library.FIRST_BUILD_SECONDS = 1.2
with progress("clang builds f"):
    try:
        library.runtime_folder()
    except CourseError as error:
        assert not isinstance(error, BuildError)
        print(error)
"""


def test_the_first_build_on_a_machine_has_a_line_and_a_limit_and_is_no_answers_fault(tmp_path: Path) -> None:
    slow = replaced_clang(tmp_path, "#!/bin/sh\nsleep 60\n")
    environment = {**os.environ, "COURSE_CACHE": str(tmp_path), "PYTHONPATH": slow}
    environment.pop("COURSE_CACHE_BASE", None)
    ours, theirs = pty.openpty()
    done = subprocess.run([sys.executable, "-c", FIRST_BUILD], stdout=theirs, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 0, done.stderr
    seen = os.read(ours, 1000).decode()
    assert "\rPreparing the emulator, which is done once on each machine, 1 s" in seen
    assert "The compiler was stopped after 1.2 s. This machine is very busy, or its disk is slow: try again." in seen


def test_a_terminal_shows_one_line_and_a_file_nothing() -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run([sys.executable, "-c", f"{SETUP}\n{SLOW}"], stdout=theirs, stderr=subprocess.PIPE)
    assert done.returncode == 0 and not done.stderr
    assert os.read(ours, 1000).decode() == "".join(f"\r{text}\x1b[K" for text in (*SHOWN, ""))
    piped = subprocess.run([sys.executable, "-c", f"{SETUP}\n{SLOW}"], capture_output=True)
    assert (piped.stdout, piped.stderr) == (b"", b"")
