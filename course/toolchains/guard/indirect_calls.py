"""Where a call through a pointer may lead: how g++ has each go through a thunk, and the source of the thunks."""

from __future__ import annotations

from pathlib import Path

FLAGS = ("-mindirect-branch=thunk-extern", "-fno-jump-tables")  # of every unit of a module
SOURCE = Path(__file__).with_suffix(".cpp")  # a part of the stand-in's own unit
