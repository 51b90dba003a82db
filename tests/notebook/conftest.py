"""An IPython shell with the course's magics, and the emulator as its toolchain."""

import pytest


@pytest.fixture
def emulated(monkeypatch):
    """The emulator builds the cells, whatever machine the tests run on."""
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """An IPython shell with the course's magics."""
    from IPython.core.interactiveshell import InteractiveShell  # imported late: `make test-gpu` has no Jupyter
    from traitlets.config import Config

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    shell.run_cell("%load_ext course").raise_error()
    return shell
