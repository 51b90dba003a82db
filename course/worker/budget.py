"""What one answer may use in all, in every worker that runs it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Budget:
    """What is left for one answer: its cases, its traces and its modules take from it.

    Parameters
    ----------
    calls : float
        Seconds of wall time of its calls, without what is built for them.
    builds : float
        Seconds of wall time of its builds.
    modules : int
        Bytes of the modules that are built.
    constants : int
        Bytes of the tensors that a candidate's script makes itself, apart from the weights of the task's `Model`.
    """

    calls: float = 120.0
    builds: float = 300.0
    modules: int = 96 << 20
    constants: int = 512 << 20
