"""The server that forks the processes in which student code runs, and watches over those that are isolated.

`python -m course.worker.inside.fork_server FD` imports PyTorch once, makes no CUDA call, and forks a worker for each
message. A fork takes about ten milliseconds, and a new import more than a second. What a worker then does is in
`runner.py`.
"""

import contextlib
import glob
import importlib
import json
import os
import re
import select
import signal
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch

from course.toolchains.time_limit import processor_seconds
from course.worker.inside import isolation
from course.worker.inside.isolation import Isolation
from course.worker.inside.runner import Runner
from course.worker.messages import MESSAGE_BOUND

WATCH_SECONDS = 0.05  # between two checks of the memory in use
READY = b"ready"
FORK_BOUND = 1 << 14  # bytes of the message that asks for a worker


def main(control: socket.socket) -> None:
    """Fork a worker for each message that the referee sends, and end the worker when the referee closes its leash.

    The leash is a socket. It carries the worker's process id when the worker is ready, or the reason why it is not. In
    the end it carries the worker's exit status, or minus the signal that ended the worker.
    """
    # This import asks whether there is a GPU. Asking would make CUDA unusable in every fork. And with nvcc but without
    # a GPU, the result would be a warning on stderr, which nbgrader takes for a failed cell.
    available, torch.cuda.is_available = torch.cuda.is_available, lambda: True
    importlib.import_module("torch.utils.cpp_extension")
    torch.cuda.is_available = available
    isolation.set_dumpable(False)
    workers: dict[socket.socket, int] = {}  # by their leashes
    keepers: set[int] = set()
    with contextlib.suppress(ConnectionError):  # the referee may end in the middle of a request
        while True:
            ready, _, _ = select.select([control, *workers], [], [])
            for leash in workers.keys() & set(ready):
                with leash:
                    _say(leash, [_end(workers.pop(leash))])
            if control not in ready:
                continue
            message, fds, _, _ = socket.recv_fds(control, FORK_BOUND, 3)
            if not message:
                break
            request = json.loads(message)
            leash, channel, output = socket.socket(fileno=fds[0]), *fds[1:]
            if request["isolation"]:
                confined = Isolation(**request["isolation"])
                own = [control, *workers]
                try:
                    keepers.add(
                        _forked_into_new_namespaces(confined, own, request["toolchain"], leash, channel, output)
                    )
                except Exception as error:  # the other workers continue
                    _say(leash, {"problem": f"{type(error).__name__}: {error}"})
                keepers -= {pid for pid in keepers if os.waitpid(pid, os.WNOHANG)[0]}
                leash.close()
            else:
                workers[leash] = _forked(
                    [control, leash, *workers], Runner(request["toolchain"]).serve, channel, output
                )
                _say(leash, {"pid": workers[leash]})
            for fd in (channel, output):
                os.close(fd)
    for pid in workers.values():
        _end(pid)


def _forked(closed: Iterable[socket.socket], function: Callable, *arguments: Any) -> int:
    """Fork a child that closes these sockets, calls `function` and then ends. Returns the child's process id."""
    if pid := os.fork():
        return pid
    try:
        for each in closed:
            each.close()
        function(*arguments)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _forked_into_new_namespaces(confined: Isolation, closed: Iterable[socket.socket], *arguments: Any) -> int:
    """The process id of a keeper, the first process of a worker's namespaces."""

    def fork() -> int:
        confined.enter()
        with warnings.catch_warnings():  # one of the two threads only waits for the other
            warnings.simplefilter("ignore", DeprecationWarning)
            return _forked(closed, _keep, confined, *arguments)

    # A thread leaves the server's namespaces and ends. A process in its place would be one more copy of PyTorch.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(fork).result()


def _keep(confined: Isolation, toolchain: str, leash: socket.socket, channel: int, output: int) -> None:
    """Keep a worker in new namespaces. This is their first process, and everything in them ends with it."""
    worker = 0
    try:
        confined.furnish()
        ready, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        worker = _forked([leash, ready], _work, toolchain, confined, there, channel, output)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the only signal that Python handles itself
        there.close()
        for fd in (channel, output):
            os.close(fd)
        with ready:
            said, listeners, _, _ = socket.recv_fds(ready, MESSAGE_BOUND, 1)
        problem = "" if said == READY else said.decode() or "its process ended"
    except OSError as error:
        problem = str(error)
    _say(leash, {"problem": problem} if problem else {"pid": worker})
    if not problem:
        refused = _watch(leash, listeners, confined.memory)
        _say(leash, [_end(worker, all_others=True), *refused])


def _watch(leash: socket.socket, listeners: list[int], memory: int) -> set[int]:
    """Watch over the processes of this namespace until the referee closes the leash.

    Kills them if they use more than `memory` bytes. Refuses the system calls that wait at the `listeners`, and returns
    their numbers.
    """
    refused: set[int] = set()
    next_look = 0.0
    poll = select.poll()
    for each in (leash.fileno(), *listeners):
        poll.register(each, select.POLLIN)
    while True:
        for fd, event in poll.poll(WATCH_SECONDS * 1000):
            if fd == leash.fileno():
                if not leash.recv(1):
                    return refused
                _say(leash, processor_seconds(os.getpid()))  # of all processes here, for which the referee asks
            elif event & select.POLLIN:
                refused |= isolation.refuse_call(fd)
            else:  # no process is left that could call
                poll.unregister(fd)
        if time.monotonic() >= next_look:
            next_look = time.monotonic() + WATCH_SECONDS
            if _memory() > memory:
                _kill_others()  # the referee sees that the channel is closed


def _say(leash: socket.socket, what: dict | list | float) -> None:
    with contextlib.suppress(ConnectionError):  # the referee may have closed the leash, or have ended
        leash.send(json.dumps(what).encode())


def _work(toolchain: str, confined: Isolation, there: socket.socket, channel: int, output: int) -> None:
    """The worker of a keeper. To `there` it reports that it is ready, or why it is not."""
    with there:
        try:
            listeners = confined.lock()
        except Exception as error:
            there.send(f"{type(error).__name__}: {error}".encode())
            return
        socket.send_fds(there, [READY], listeners)
    for fd in listeners:
        os.close(fd)
    Runner(toolchain).serve(channel, output)


def _memory() -> int:
    """Bytes of memory that the processes of this namespace use, except memory mapped from files."""
    total = 0
    for path in glob.glob("/proc/[0-9]*/status"):
        with contextlib.suppress(OSError):  # it has ended
            total += sum(
                int(kib) << 10 for kib in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+)", Path(path).read_text(), re.M)
            )
    return total


def _kill_others() -> None:
    """Kill every other process of this namespace."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def _end(worker: int, all_others: bool = False) -> int:
    """Kill the worker and its process group, and all others of this namespace if asked. Returns the worker's status."""
    # A worker that has already ended keeps its status: killing it changes nothing.
    for kill in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(worker, signal.SIGKILL)
    if all_others:
        _kill_others()
    status = -signal.SIGKILL
    with contextlib.suppress(ChildProcessError):  # none is left
        for _ in range(1000):
            done, code = os.waitpid(-1 if all_others else worker, os.WNOHANG)
            if done == worker:
                status = os.waitstatus_to_exitcode(code)
            if not done:
                time.sleep(0.01)
    return status


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
