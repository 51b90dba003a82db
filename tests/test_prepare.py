"""What `make` does before anything is installed: what it says, which PyTorch it chooses, and what it keeps."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections import namedtuple
from pathlib import Path

import pytest

from course import prepare
from tests.conftest import ROOT

pytestmark = pytest.mark.quick

ELSEWHERE = "https://example.org/simple"
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The commands that would have run, in a clone's folder on a machine without a driver and with room."""
    commands: list[list[str]] = []
    (tmp_path / "pyproject.toml").touch()
    os.utime(tmp_path / "pyproject.toml", (0, 0))
    (tmp_path / ".venv").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "call", lambda command: commands.append(command) or 0)

    def make_environment(command: list[str]) -> None:
        commands.append(command)
        if "--clear" in command:
            Path(".venv/.ready").unlink()

    monkeypatch.setattr(subprocess, "check_call", make_environment)
    monkeypatch.setattr(prepare, "has_driver", lambda: False)
    monkeypatch.setattr(prepare, "_answers", lambda address: True)
    monkeypatch.setattr("shutil.disk_usage", lambda place: Usage(10**12, 0, 50 * 10**9))
    return commands


def of_pip(ran: list[list[str]]) -> list[list[str]]:
    return [command[5:] for command in ran if "pip" in command]


def test_without_a_driver_pytorch_has_no_cuda(ran: list, capsys: pytest.CaptureFixture) -> None:
    prepare.main(".venv")
    assert of_pip(ran) == [[prepare.PYTORCH, "--index-url", prepare.CPU_INDEX], ["-e", ".[class]"]]
    said = capsys.readouterr().out
    assert (
        "PyTorch without CUDA and the rest, up to 0.5 GB, and takes 2.0 GB of disk, of which 50.0 GB are free" in said
    )


def test_with_a_driver_pytorch_and_nvcc_are_of_cuda(
    ran: list, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(prepare, "has_driver", lambda: True)
    prepare.main(".venv")
    assert of_pip(ran) == [[prepare.PYTORCH], [prepare.NVCC, "-e", ".[class]"]]
    assert "PyTorch with CUDA and the rest, up to 3.2 GB" in capsys.readouterr().out


def test_an_index_that_cannot_be_reached_is_left_out_and_named(
    ran: list, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(prepare, "_answers", lambda address: False)
    prepare.main(".venv")
    said = capsys.readouterr().out
    assert of_pip(ran)[0] == [prepare.PYTORCH]
    assert f"{prepare.CPU_INDEX} cannot be reached" in said and "up to 3.2 GB" in said


def test_what_is_given_holds_and_what_is_given_anew_is_done_anew(ran: list, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare.main(".venv", ELSEWHERE)
    assert of_pip(ran)[0] == [prepare.PYTORCH, "--index-url", ELSEWHERE]
    ran.clear()
    prepare.main(".venv", ELSEWHERE)
    prepare.main(".venv")
    assert ran == []
    os.utime("pyproject.toml")
    os.utime(".venv/.ready", (0, 0))
    prepare.main(".venv")
    assert "--clear" not in ran[0] and of_pip(ran)[0] == [prepare.PYTORCH, "--index-url", ELSEWHERE]
    ran.clear()
    monkeypatch.setattr(subprocess, "call", lambda command: ran.append(command) or 1)  # as if pip were interrupted
    with pytest.raises(SystemExit, match="goes on where pip stopped"):
        prepare.main(".venv", prepare.CPU_INDEX)
    assert "--clear" in ran[0]  # pip would take the PyTorch that is there for the one that is wanted
    ran.clear()
    with pytest.raises(SystemExit):
        prepare.main(".venv", prepare.CPU_INDEX)
    assert "--clear" not in ran[0]  # what was installed before the interruption stays


def test_a_full_disk_is_said_before_anything_is_downloaded(ran: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda place: Usage(10**10, 0, 8 * 10**8))
    with pytest.raises(SystemExit, match=r"has too little room: .*\(make VENV=/disk/venv\)\.$"):
        prepare.main(".venv")
    assert of_pip(ran) == []
    Path(".venv/lib/python3.11/site-packages/torch").mkdir(parents=True)  # so an update needs little
    prepare.main(".venv")
    assert of_pip(ran)


def test_the_sizes_are_those_of_the_index_that_is_given_and_a_missing_compiler_is_named(
    ran: list, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(prepare, "has_driver", lambda: True)
    monkeypatch.setattr("shutil.which", lambda name: None)
    prepare.main(".venv", prepare.CPU_INDEX)
    said = capsys.readouterr().out
    assert "PyTorch without CUDA and the rest, up to 0.5 GB" in said and "nvcc will need g++: install it" in said


def test_an_old_python_and_another_system_are_refused_first(ran: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 2))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or later, .*uv python install 3\.12"):
        prepare.main(".venv")
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    with pytest.raises(SystemExit, match=r"this is macOS on .*: run it in a Linux container"):
        prepare.main(".venv")
    assert ran == []
    ast.parse((ROOT / "course" / "prepare.py").read_text(), feature_version=(3, 6))


def test_what_is_installed_is_what_pyproject_has() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert (extras["torch"], extras["cuda"]) == ([prepare.PYTORCH], [prepare.NVCC])
