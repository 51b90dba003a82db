"""Starts, uses and ends the server that forks workers, which runs `inside/fork_server.py`."""

import atexit
import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from course.errors import CourseError
from course.toolchains.time_limit import processor_seconds
from course.worker.inside.isolation import Isolation
from course.worker.protocol import ServerLost

PROGRAM = "course.worker.inside.fork_server"  # of the server
REPLY_BOUND = 1 << 12  # bytes of a message of a worker's keeper
START_SECONDS = 600.0  # until a worker is ready: a server that starts imports PyTorch first
END_SECONDS = 120.0  # until a worker has ended after it was told to, or its keeper has replied


def python(module: str, fd: int) -> list[str]:
    """The command that runs a module of the course, which communicates through the socket `fd`."""
    # -P prevents the import of a torch.py or course/ beside the notebook.
    return [sys.executable, "-P", "-m", module, str(fd)]


def python_path() -> str:
    """The `PYTHONPATH` with which that command finds the course."""
    return os.pathsep.join(filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))))


class Process:
    """A worker's process, seen from the referee: the leash to its keeper. `pid` is the process id in its namespace."""

    def __init__(self, leash: socket.socket, pid: int):
        self.leash, self.pid = leash, pid
        self.refused: list[int] = []  # the numbers of the system calls that the keeper refused, when it has ended

    def shown(self, folder: str) -> str:
        """The path at which this process sees the build in `folder`."""
        return folder

    def processor_seconds(self) -> float:
        """The processor time that the process and its children have used so far."""
        return processor_seconds(self.pid)

    def end(self) -> int | None:
        """Kill the process, and return its exit status, or minus the signal that ended it; None if unknown."""
        with self.leash, contextlib.suppress(OSError, ValueError):  # there is no text if the keeper is gone
            self.leash.settimeout(END_SECONDS)
            self.leash.shutdown(socket.SHUT_WR)
            status, *self.refused = json.loads(self.leash.recv(REPLY_BOUND))
            return int(status)
        return None


class Server:
    """A server, which forks a worker in about ten milliseconds.

    The process starts with its first worker, and again if it has ended. A subclass can confine the workers and the
    compilers for them. Several threads may fork workers at the same time.
    """

    # The words before each compiler's command; `{folder}` stands for the only folder that it may write.
    confine: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.process: subprocess.Popen | None = None

    def popen(self, fd: int) -> subprocess.Popen:
        """The server's process, which inherits `fd`, its end of the control channel."""
        return subprocess.Popen(
            self.command(fd), pass_fds=[fd], stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": python_path()},
            start_new_session=True,  # Ctrl-C in a terminal is for the referee
        )  # fmt: skip

    @staticmethod
    def command(fd: int) -> list[str]:
        """The command that runs a server."""
        return python(PROGRAM, fd)

    def fork(self, toolchain: str, kind: str, channel: int, output: int) -> Process:
        """Start a worker that loads answers with `toolchain`. Its `kind` is "script" if it runs a student's Python.

        It gets copies of two file descriptors: its end of the channel, and what it writes stdout and stderr to. Raises
        ServerLost if the server does not start, and CourseError if it cannot isolate the worker.
        """
        return Process(*self._forked(toolchain, (channel, output), None))

    def _forked(self, toolchain: str, fds: tuple[int, int], isolation: Isolation | None) -> tuple[socket.socket, int]:
        """The leash and the process id of a new worker."""
        request = json.dumps({"toolchain": toolchain, "isolation": isolation and asdict(isolation)}).encode()
        for started_again in (False, True):
            leash, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                with there, self.lock:
                    self.start()
                    socket.send_fds(self.control, [request], [there.fileno(), *fds])
                leash.settimeout(START_SECONDS)
                reply = json.loads(leash.recv(REPLY_BOUND))
                if "problem" in reply:
                    raise CourseError(f"A process in which an answer runs cannot be isolated: {reply['problem']}.")
                return leash, int(reply["pid"])
            except (OSError, ValueError) as error:  # when the server ends, the reply is empty, which is not JSON
                leash.close()
                hangs = isinstance(error, TimeoutError)
                with self.lock:
                    self._close_if_it_ended(hangs)
                if started_again or hangs:  # a second try: the end of the server may have gone unnoticed
                    text = "The process that judges does not reply: run the cell or command again."
                    raise ServerLost(text) from error
            except BaseException:
                leash.close()
                raise
        raise AssertionError("unreachable")

    def _runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the server now, so that the first worker need not wait for the import of PyTorch."""
        with self.lock:
            if self._runs():
                return
            self.control, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with there:
                self.process = self.popen(there.fileno())
            atexit.register(self.close)

    def _close_if_it_ended(self, hangs: bool) -> None:
        """Forget a server that has ended, or end a server that hangs. Keep a running server: others may use it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self.process is not None and not hangs:
                self.process.wait(1)  # it may be about to end
        if hangs or not self._runs():
            self.close()

    def close(self) -> None:
        """End the server, and with it its workers."""
        atexit.unregister(self.close)
        if self.process is None:
            return
        self.control.close()  # at the end of its input the server ends
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@functools.cache
def own_server() -> Server:
    """This process's own server."""
    return Server()


os.register_at_fork(after_in_child=own_server.cache_clear)  # a process forked from this one needs a server of its own


def inside_worker() -> bool:
    """Whether this very process is a worker."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec is not None and spec.name == PROGRAM
