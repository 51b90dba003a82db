"""A worker's or builder's process with a channel to it: whatever is wrong with either ends it, and is a named error."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from course.worker.channel import WRITTEN_BOUND, Channel, TooMuchPrinted
from course.worker.message_fields import HEADER_BOUND, MALFORMED
from course.worker.protocol import ServerLost, TimedOut, WorkerDied


class Ending(Protocol):
    """A process that can be ended."""

    def end(self) -> int | None:
        """Kill the process; its exit status, or minus the signal that ended it, or None where nobody knows."""


Process = TypeVar("Process", bound=Ending)


class Connection(Generic[Process]):
    """The process that `start` has started, until it is lost or `close` ends it.

    `start` gets the process's end of the channel, and what it writes stdout and stderr to.
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
        """What the student's code has written so far, its first 64 KiB."""
        return bytes(self._channel.printed)

    def exchange(
        self,
        request: dict,
        deadline: float,
        late: str,
        payload: bytes | bytearray = b"",
        bounds: tuple[int, int] = (HEADER_BOUND, 0),
    ) -> tuple[dict, bytearray]:
        """One request and its reply; anything else than a well-formed one in time loses the process.

        `deadline` and `bounds` are those of `Channel.exchange`. `late` begins the sentence for a reply that does not
        come. Raises WorkerDied, TimedOut, or ServerLost.
        """
        self.running()
        try:
            return self._channel.exchange(request, deadline, payload, bounds)
        except TooMuchPrinted as error:
            raise self._printed_too_much() from error
        except (ValueError, RecursionError) as error:
            raise self.nonsense() from error
        except TimeoutError as error:
            self.end()
            raise TimedOut(f"{late} look for a loop that never ends.") from error
        except OSError as error:
            raise self._died() from error
        finally:
            self._channel.drain()
            if self.process and self._channel.printed_too_much:
                raise self._printed_too_much()

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """While a reply is taken apart: one that lacks something, or has something else there, loses the process."""
        try:
            yield
        except MALFORMED as error:
            raise self.nonsense() from error

    def running(self) -> Process:
        """The process. Raises WorkerDied where it was ended."""
        if not self.process:
            raise WorkerDied("The worker has ended already.")
        return self.process

    def end(self) -> int | None:
        """Kill the process, and say how it ended, as `Ending.end` does."""
        process, self.process = self.process, None
        return process.end() if process else 0

    def nonsense(self) -> WorkerDied:
        """End the process, since it has sent what is no reply; the error that says so."""
        self.end()
        return WorkerDied("The process that ran the code sent something that is no reply, and was stopped.")

    def _printed_too_much(self) -> WorkerDied:
        self.end()
        return WorkerDied(f"The code printed more than {WRITTEN_BOUND >> 20} MiB, and was stopped: print less.")

    def _died(self) -> WorkerDied:
        status = self.end()
        if status is None:  # the server or the keeper has ended, not only the worker
            raise ServerLost("The process that runs answers was lost with its server: run it again.")
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            meaning = {
                "SIGSEGV": ": an address was used that is not its own",
                "SIGABRT": ": abort() was called",
                "SIGKILL": ", as happens where too much memory is used",
            }
            text = f"The process that ran the code was ended by {name}{meaning.get(name, '')}."
            return WorkerDied(text, name)
        return WorkerDied(f"The process that ran the code ended by itself with exit status {status}: look for exit().")
