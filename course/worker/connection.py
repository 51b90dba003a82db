"""A worker's or builder's process with a channel to it. If either fails, the process is ended with a named error."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from course.toolchains.time_limit import TimeLimit
from course.worker.channel import WRITTEN_BOUND, Channel, TooMuchPrinted
from course.worker.message_fields import HEADER_BOUND, MALFORMED
from course.worker.protocol import ServerLost, TimedOut, WorkerDied


class Ending(Protocol):
    """A process that can be ended."""

    def end(self) -> int | None:
        """Kill the process; return its exit status, or minus the signal that ended it, or None if that is unknown."""

    def processor_seconds(self) -> float:
        """The processor time that the process and its children have used. Raises OSError if they have ended."""


Process = TypeVar("Process", bound=Ending)


class Connection(Generic[Process]):
    """The process that `start` has started, until it is lost or `close` ends it.

    `start` gets the process's end of the channel, and the pipe for its stdout and stderr.
    """

    def __init__(self, start: Callable[[int, int], Process]):
        here, there = socket.socketpair()
        output, write_end = os.pipe()
        try:
            self.process: Process | None = start(there.fileno(), write_end)
        except BaseException:
            here.close()
            os.close(output)
            raise
        finally:
            there.close()
            os.close(write_end)
        self._channel = Channel(here, output)

    def close(self) -> None:
        try:
            self.end()
        finally:
            self._channel.close()

    @property
    def printed(self) -> bytes:
        """The first 64 KiB that the student's code has written so far."""
        return bytes(self._channel.printed)

    def exchange(
        self,
        request: dict,
        limit: TimeLimit,
        late: str,
        payload: bytes | bytearray = b"",
        bounds: tuple[int, int] = (HEADER_BOUND, 0),
    ) -> tuple[dict, bytearray]:
        """Send one request and return its reply. If no well-formed reply comes in time, the process is ended.

        `bounds` are those of `Channel.exchange`. `late` begins the sentence for a missing reply, with {} where it says
        how long that took. Raises WorkerDied, TimedOut, or ServerLost.
        """
        process = self.running()
        try:
            with limit.watching(process.processor_seconds) as left:
                return self._channel.exchange(request, left, payload, bounds)
        except TooMuchPrinted as error:
            raise self._printed_too_much() from error
        except (ValueError, RecursionError) as error:
            raise self.nonsense() from error
        except TimeoutError as error:
            self.end()
            raise TimedOut(f"{late.format(error)} look for a loop that never ends.") from error
        except OSError as error:
            raise self._died() from error
        finally:
            self._channel.drain()
            if self.process and self._channel.printed_too_much:
                raise self._printed_too_much()

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """A context for reading a reply: a malformed reply ends the process."""
        try:
            yield
        except MALFORMED as error:
            raise self.nonsense() from error

    def running(self) -> Process:
        """The process. Raises WorkerDied if the process was ended."""
        if not self.process:
            raise WorkerDied("The worker has ended already.")
        return self.process

    def end(self) -> int | None:
        """Kill the process, and return how it ended, as `Ending.end` does."""
        process, self.process = self.process, None
        return process.end() if process else 0

    def nonsense(self) -> WorkerDied:
        """End the process, since it has sent something that is not a reply; return the error that says so."""
        self.end()
        return WorkerDied("The process that ran the code sent something that is not a reply, and was stopped.")

    def _printed_too_much(self) -> WorkerDied:
        self.end()
        return WorkerDied(f"The code printed more than {WRITTEN_BOUND >> 20} MiB, and was stopped: print less.")

    def _died(self) -> WorkerDied:
        status = self.end()
        if status is None:  # the server or the keeper has ended, not only the worker
            raise ServerLost("The server of the processes that run answers has ended: run the cell or command again.")
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            meaning = {
                "SIGSEGV": ": it used an address that does not belong to it",
                "SIGABRT": ": abort() was called",
                "SIGKILL": ", as happens when too much memory is used",
            }
            text = f"The process that ran the code was ended by {name}{meaning.get(name, '')}."
            return WorkerDied(text, name)
        return WorkerDied(f"The process that ran the code ended by itself with exit status {status}: look for exit().")
