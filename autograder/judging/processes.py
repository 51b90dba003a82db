"""Processes that judge answers and write pages for the process of the command."""

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

MANY = 8  # calls for each process: fewer are not worth the seconds that a process takes to start
LIVES = 4  # processes that one call may lose, as many as Dask allows by default
# Processes fork from a server that has only imported modules: they share its memory, and CUDA could not be forked.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["autograder.grade"])


class Processes(ThreadPoolExecutor):
    """Calls functions in processes, each of which makes one call at a time.

    If a process is lost, its call is made again in a new process, and no other call is affected. A call that loses
    LIVES processes raises BrokenProcessPool.
    """

    def __init__(self, count: int):
        super().__init__(count)
        self._own = threading.local()
        self._all: list[ProcessPoolExecutor] = []

    def submit(self, function: Callable, /, *arguments: Any, **named: Any) -> Future:
        """The future result of `function(*arguments)`, which a process finds by its module and name."""
        return super().submit(self._call, function, *arguments, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes that have no call, and the others after their calls."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        for each in self._all:
            each.shutdown(wait=False, cancel_futures=cancel_futures)

    def _call(self, function: Callable, *arguments: Any, **named: Any) -> Any:
        lives = LIVES
        while True:
            if not hasattr(self._own, "process"):
                self._own.process = ProcessPoolExecutor(1, CONTEXT, _begin, (_log_files(),))
                self._all.append(self._own.process)
            try:
                return self._own.process.submit(function, *arguments, **named).result()
            except BrokenProcessPool:
                del self._own.process
                lives -= 1
                if not lives:
                    raise


def _log_files() -> list[str]:
    handlers = logging.getLogger("autograder").handlers
    return [each.baseFilename for each in handlers if isinstance(each, logging.FileHandler)]


def _begin(log_files: list[str]) -> None:
    """Let this process log to the same files as the command, and end with the command or with Ctrl-C."""
    for file in log_files:
        logging.getLogger("autograder").addHandler(logging.FileHandler(file))
    signal.signal(signal.SIGINT, lambda *_: os._exit(1))
    threading.Thread(target=_end_with_command, daemon=True).start()


def _end_with_command() -> None:
    if command := multiprocessing.parent_process():
        command.join()
    os._exit(1)
