"""The limits of one answer, over all workers that run it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Budget:
    """What one answer may still use for its cases, traces and modules together.

    Parameters
    ----------
    calls : float
        Seconds of its calls, without the builds for them, as `TimeLimit` counts them.
    builds : float
        Seconds of its builds, counted in the same way.
    modules : int
        Bytes of the modules that are built.
    constants : int
        Bytes of the tensors that a candidate's script itself makes, without the weights of the task's `Model`.
    """

    calls: float = 120.0
    builds: float = 300.0
    modules: int = 96 << 20
    constants: int = 512 << 20
