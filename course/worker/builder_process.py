"""The program of a builder, which builds modules for the referee. It imports no PyTorch, and runs no student code.

It lists the functions of a cell, runs the compiler, and lists the symbols that the module takes from elsewhere. The
referee's end is `modules.py`.
"""

import json
import os
import sys
from dataclasses import asdict
from typing import Any

from course.build import Builder, cell_source, usable_toolchain
from course.errors import BuildError, CourseError
from course.toolchains import compiler
from course.toolchains.base import Source
from course.toolchains.guard.flags import refuse_flags
from course.toolchains.nvcc import Nvcc
from course.toolchains.shim import units as shim
from course.worker.messages import HEADER_BOUND, MESSAGE_BOUND, RequestStream, decoded


def main(channel: int) -> None:
    """Answer requests until the referee is gone, each in a fork, so that no build sees another's state.

    The reply is what `built` returns, or a `failure`.
    """
    with RequestStream(channel) as referee:
        while request := referee.receive():
            child = os.fork()
            if child:
                if os.waitpid(child, 0)[1]:  # no reply was sent: end, so that the referee notices
                    return
                continue
            try:
                reply = built(**request)
                if len(json.dumps(reply)) > HEADER_BOUND:  # it contains the source and its names
                    raise BuildError("The source, with the names of its functions, is too long: shorten them.")
            except Exception as error:
                reply = {"failure": {"type": type(error).__name__, "message": str(error).strip()[:MESSAGE_BOUND]}}
            referee.send(reply)
            os._exit(0)


def built(
    toolchain: str, source: dict, cell_function: str | None, architecture: str | None, confine: list[str]
) -> dict[str, Any]:
    """Build `source`. With a `cell_function`, build the cell that has this text, with all functions that a cell binds.

    The reply has the whole `source`, the `folder` of the module and its undefined `symbols`. It has no folder if the
    cell lacks `cell_function`. `confine` is the command that confines compilers, and nvcc builds for `architecture`.
    """
    compiler.confine = tuple(confine)
    wanted = decoded(Source, source)
    if cell_function is not None:
        wanted = cell_source(wanted.cuda, wanted.cuda_cflags)
    reply: dict[str, Any] = {"source": asdict(wanted)}
    if cell_function is not None and cell_function not in dict(wanted.functions or ()):
        return reply
    refuse_flags(wanted)
    chosen = Nvcc(architecture) if architecture else usable_toolchain(toolchain)
    try:
        folder = Builder().build(chosen, wanted)
    except OSError as error:
        raise CourseError(f"The build failed on this machine: {error}.") from error
    return {**reply, "folder": str(folder), "symbols": shim.symbols(folder)}


if __name__ == "__main__":
    main(int(sys.argv[1]))
