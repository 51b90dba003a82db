"""What several tests use: classes, made once with nbgrader's own commands, and JupyterLab's server."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
import torch.utils.cpp_extension

from course.errors import CourseError
from course.toolchains import cache
from course.toolchains.emulator.library import preludes, runtime_folder

if TYPE_CHECKING:
    from autograder.classroom import Classroom


ROOT = Path(__file__).resolve().parents[1]
# jsonschema, which nbformat imports, takes it for the format of an IRI, which no notebook has. Its import compiles
# grammars, a fifth of what all test files take to import.
sys.modules.setdefault("rfc3987_syntax", None)
for variable in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS"):  # set by `make test`; a make in a test would print differently
    os.environ.pop(variable, None)
# The same value as in `make test`, or nbgrader_config.py would change it in the middle of a test.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


# The files that take longest in the fast and in the slow tests, the longest first. --dist=loadfile hands files out in
# the order of the tests, and a long file that is handed out last would run alone at the end.
LONG = (
    *("test_grade", "test_notebooks", "test_cheats", "test_jupyterlab", "test_questions", "test_points"),
    *("test_gallery", "test_autograder", "test_faults", "test_nvcc", "test_cluster", "test_clerical", "test_judge"),
    *("test_build", "test_efficiency", "test_sandbox", "test_cli", "test_worker", "test_tracing", "test_builder"),
    *("test_check", "test_runs", "test_emulated_gpu", "test_release", "test_recording", "test_cache_keys"),
    *("test_corpus", "test_device", "test_emulator_hazards", "test_jobs"),
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the longest files, and skip what this machine cannot run."""
    order = [*LONG, ""]
    items.sort(key=lambda item: order.index(item.path.stem if item.path.stem in order else ""))
    for item in items:
        if item.get_closest_marker("gpu") and not torch.cuda.is_available():
            item.add_marker(pytest.mark.skip(reason="needs a GPU"))


@pytest.fixture(autouse=True)
def leaves_the_process_as_it_was() -> Iterator[None]:
    """No test changes what later tests, in whatever order, and the processes that they start would inherit."""
    environment, inline = dict(os.environ), torch.utils.cpp_extension.load_inline
    yield
    changed = {name for name in {*environment, *os.environ} if environment.get(name) != os.environ.get(name)}
    # PyTorch sets the second, and the course the third (`pytorch_problem`).
    assert not changed - {"PYTEST_CURRENT_TEST", "TORCHINDUCTOR_CACHE_DIR", "TRITON_INTERPRET"}
    assert torch.utils.cpp_extension.load_inline is inline


@pytest.fixture(scope="session")
def bubblewrap() -> None:
    """For a test that needs a sandbox: if there can be none, the test fails in CI and is skipped elsewhere."""
    from autograder.judging.sandbox import require_bubblewrap

    try:
        require_bubblewrap()
    except CourseError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture
def fresh_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of a new build cache, which the test uses.

    Of the common cache it has links to what no source decides: the emulator's runtime and headers, and the shim's
    objects if they are built. They take ten seconds to build, and 100 MB to copy.
    """
    preludes()
    runtime_folder()
    fresh = tmp_path / "cache"
    for kind in ("cxx", "prelude", "runtime", "shim"):
        (fresh / kind).mkdir(parents=True)
        for made in cache.cache_root().glob(f"{kind}/*/{cache.RECORD}"):
            if not made.parent.name.startswith(cache.UNFINISHED):
                (fresh / kind / made.parent.name).symlink_to(made.parent.absolute())
    monkeypatch.setenv("COURSE_CACHE", str(fresh))
    return fresh


@pytest.fixture(scope="session")
def released_class(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A class whose assignments are released."""
    # Imported here, since most tests need no nbgrader and run on a machine with a GPU but without nbgrader.
    from autograder.classroom import Classroom

    room = Classroom.anew(Path(tmp_path_factory.mktemp("demo-class")))
    room.release()
    return room


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run of the tests, for all test processes."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def once(made: Path, make: Callable[[], None]) -> None:
    """Call `make`, which makes the file `made`, unless this or another test process has done so."""
    made.parent.mkdir(exist_ok=True)
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            make()


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Set this machine's time zone until the test ends."""

    def enter(zone: str) -> None:
        patch.setenv("TZ", zone)
        time.tzset()

    with monkeypatch.context() as patch:
        yield enter
    time.tzset()


@pytest.fixture(scope="session")
def demo_class(shared: Path) -> Classroom:
    """The class of `make demo` with two notebooks, graded once for all test processes, so no test may change it."""
    from autograder.classroom import Classroom
    from autograder.demo import make_mistakes

    folder = shared / "demo-class"
    room, graded = Classroom(folder), folder.with_suffix(".graded")

    def grade() -> None:
        for name in ("00-first-kernel", "01-row-scaling"):
            shutil.copytree(ROOT / "solutions" / name, shared / "of-the-demo" / name)
        room = Classroom.anew(folder, shared / "of-the-demo")
        room.release()
        room.hand_in("solutions", "solutions")
        room.hand_in("untouched", "notebooks")
        room.hand_in("mistakes", "solutions", make_mistakes)
        room.grade("--no-sandbox")
        graded.touch()

    once(graded, grade)
    return room


# JupyterLab asks nothing on its first start, and the page has all cells of a notebook, in view or not.
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false"},
    "notebook-extension/tracker": {"windowingMode": "none"},
}


@pytest.fixture(scope="session")
def jupyter_lab(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], AbstractContextManager[dict]]:
    """Runs JupyterLab's server on a folder, without the user's settings; gives what it says about itself, such as its
    url.

    Notebooks import the course of that folder, if it has one.
    """

    @contextmanager
    def serve(folder: Path) -> Iterator[dict]:
        own = Path(tmp_path_factory.mktemp("jupyter"))
        for plugin, settings in SETTINGS.items():
            file = own / "settings" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps(settings))
        folders = [f"JUPYTER_{name}_DIR" for name in ("CONFIG", "DATA", "RUNTIME")]
        folders += [f"JUPYTERLAB_{name}_DIR" for name in ("SETTINGS", "WORKSPACES")]
        environment = {name: str(own / name.split("_")[1].lower()) for name in folders}
        environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment["PYTHONPATH"] = os.pathsep.join(
            filter(None, [str(folder), str(ROOT), os.environ.get("PYTHONPATH")])
        )
        extension = own / "data" / "labextensions" / "cuda-kernels-course"
        extension.parent.mkdir(parents=True)
        extension.symlink_to(ROOT / "course" / "labextension")
        with (own / "log").open("w") as log:
            flags = ["--ServerApp.port=0", "--no-browser", "--allow-root", "--LabApp.expose_app_in_browser=True"]
            server = subprocess.Popen(
                [sys.executable, "-m", "jupyter", "lab", *flags],
                cwd=folder,
                env={**os.environ, **environment, "COURSE_TOOLCHAIN": "emulator"},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        try:
            while not (said := listening(own / "runtime")):
                assert server.poll() is None, "JupyterLab's server has ended"
                time.sleep(0.1)
            yield said
        except BaseException as error:
            error.add_note(f"The server's log ends so:\n{(own / 'log').read_text()[-3000:]}")
            raise
        finally:
            server.terminate()
            server.wait()

    return serve


def listening(runtime: Path) -> dict | None:
    """What the server in `runtime` says about itself; None until it answers, a moment after its file appears."""
    try:
        said = json.loads(next(runtime.glob("jpserver-*.json")).read_text())
        urllib.request.urlopen(f"{said['url']}api", timeout=10).close()
    except (StopIteration, ValueError, OSError):
        return None
    return said
