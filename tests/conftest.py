"""The classes that several tests look at: made once, with nbgrader's own commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.classroom import Classroom
from autograder.demo import make_mistakes


@pytest.fixture(scope="session")
def demo_class(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """The class of `make demo`, graded: the solutions, the untouched release, typical mistakes."""
    room = Classroom.anew(Path(tmp_path_factory.mktemp("demo-class")))
    room.release()
    room.hand_in("solutions", "solutions")
    room.hand_in("untouched", "notebooks")
    room.hand_in("mistakes", "solutions", make_mistakes)
    room.grade()
    return room
