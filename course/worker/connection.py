"""A worker's or builder's process with a channel to it. If either fails, the process is ended with a named error."""

import contextlib
import json
import os
import secrets
import selectors
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from course.toolchains.time_limit import TimeLimit
from course.worker.messages import FRAME, HEADER_BOUND, MALFORMED
from course.worker.protocol import ServerLost, TimedOut, WorkerDied

PRINTED_BOUND = 1 << 16  # bytes of the code's output that are kept
WRITTEN_BOUND = 64 << 20  # bytes of output that the code may write


class TooMuchPrinted(Exception):
    """The process has written more than WRITTEN_BOUND bytes to stdout and stderr."""


class Channel:
    """The referee's end: it sends requests, waits for replies, and reads what the code prints.

    `connection` is a socket to the worker, `output` the pipe to which the worker's stdout and stderr go. Both are
    closed by `close`. `printed` has the first PRINTED_BOUND of the `written` bytes from that pipe.
    """

    def __init__(self, connection: socket.socket, output: int):
        self._socket, self._output = connection, output
        self._socket.setblocking(False)
        os.set_blocking(output, False)
        self.written = 0
        self.printed = bytearray()

    def close(self) -> None:
        self._socket.close()
        os.close(self._output)

    def exchange(
        self, request: dict, left: Callable[[], float], payload: bytes | bytearray, bounds: tuple[int, int]
    ) -> tuple[dict, bytearray]:
        """Send one frame, and return the header and the payload of the reply.

        `left` returns how many seconds to wait before it is called again, or raises TimeoutError. `bounds` are the most
        bytes of the reply's header and payload. Raises ValueError or RecursionError for a malformed reply, what `left`
        raises, another OSError if the other end is closed, and TooMuchPrinted.
        """
        number = secrets.token_hex(16)
        data = json.dumps({**request, "number": number}).encode()
        if self.pending():
            raise ValueError("sent ahead of the request")
        self._send(FRAME.pack(len(data), len(payload)) + data, left)
        self._send(payload, left)
        header, size = FRAME.unpack(self._receive(FRAME.size, left))
        if header > bounds[0] or size > bounds[1]:
            raise ValueError("larger than a reply may be")
        reply = json.loads(self._receive(header, left))
        if not isinstance(reply, dict) or reply.pop("number", None) != number:
            raise ValueError("not the reply to this request")
        received = self._receive(size, left)
        if self.pending():
            raise ValueError("sent after the reply")
        return reply, received

    def pending(self) -> bool:
        """Whether the process has sent something that nobody asked for."""
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return False

    def drain(self) -> bool:
        """Read what the student's code has written, at most the content of a pipe. Returns False at its end."""
        try:
            data = os.read(self._output, 1 << 16)
        except BlockingIOError:
            return True
        self.printed += data[: PRINTED_BOUND - len(self.printed)]
        self.written += len(data)
        return bool(data)

    def _send(self, data: bytes | bytearray, left: Callable[[], float]) -> None:
        unsent = memoryview(data)
        while unsent:
            self._wait(selectors.EVENT_WRITE, left)
            with contextlib.suppress(BlockingIOError):
                unsent = unsent[self._socket.send(unsent) :]

    def _receive(self, size: int, left: Callable[[], float]) -> bytearray:
        data = bytearray(size)
        missing = memoryview(data)
        while missing:
            self._wait(selectors.EVENT_READ, left)
            with contextlib.suppress(BlockingIOError):
                count = self._socket.recv_into(missing)
                if not count:
                    raise ConnectionResetError
                missing = missing[count:]
        return data

    def _wait(self, events: int, left: Callable[[], float]) -> None:
        """Wait until the socket is ready, and read the student's output meanwhile, so that no print ever blocks."""
        # Not epoll, whose watches are limited per user: an answer might use all of them.
        with selectors.PollSelector() as selector:
            selector.register(self._socket, events)
            selector.register(self._output, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select(left())]
                if self._output in ready:
                    is_open = self.drain()
                    if self.written > WRITTEN_BOUND:
                        raise TooMuchPrinted
                    if not is_open:
                        selector.unregister(self._output)  # the student's code closed it
                if self._socket in ready:
                    return


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
        self.channel = Channel(here, output)

    def close(self) -> None:
        try:
            self.end()
        finally:
            self.channel.close()

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
                return self.channel.exchange(request, left, payload, bounds)
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
            self.channel.drain()
            if self.process and self.channel.written > WRITTEN_BOUND:
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
