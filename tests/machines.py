"""A Dask cluster whose machines are processes on this machine."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from autograder.classroom import ROOT


class Machines:
    """A scheduler and workers, started with commands as an instructor does, each in a process of its own.

    All run in `folder`, and nothing outside this machine can reach them. A job is given to at most two workers.
    """

    def __init__(self, folder: Path):
        self.folder, self.processes = folder, []
        self.file, self.log = folder / "scheduler.json", folder / "log"
        scheduler = self._start("scheduler", "--port", "0", "--dashboard-address", ":0")
        while not (address := self._address()):
            assert scheduler.poll() is None, self.log.read_text()
            time.sleep(0.05)
        self.address = address

    def _address(self) -> str:
        """The scheduler's address; empty until the scheduler has written the whole file."""
        with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
            return json.loads(self.file.read_text())["address"]
        return ""

    def _start(self, *command: str, **settings_of_its_own: str) -> subprocess.Popen:
        settings = {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
            "DASK_TEMPORARY_DIRECTORY": str(self.folder),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *command, "--host", "127.0.0.1", "--scheduler-file", str(self.file)],
            cwd=self.folder,
            env={**os.environ, **settings, **settings_of_its_own},
            stdout=self.log.open("a"),
            stderr=subprocess.STDOUT,
        )
        self.processes.append(process)
        return process

    def worker(self, name: str, *options: str, **settings: str) -> subprocess.Popen:
        """Start a worker with one thread and these settings in its environment, and wait until the scheduler knows it.

        Nothing restarts a worker that is killed.
        """
        from distributed import Client

        of_all = ("--nthreads", "1", "--memory-limit", "0", "--no-nanny", "--no-dashboard", "--name", name)
        process = self._start("worker", *of_all, *options, **settings)
        with Client(self.address, set_as_default=False) as client:
            while name not in [worker["name"] for worker in client.sync(client.scheduler.identity)["workers"].values()]:
                assert process.poll() is None, self.log.read_text()
                time.sleep(0.05)
        return process

    def stop(self) -> None:
        """End all processes."""
        for process in self.processes:
            process.kill()
            process.wait()
