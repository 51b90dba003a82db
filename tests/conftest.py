"""The classes that several tests look at: made once, with nbgrader's own commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch.utils.cpp_extension

from course.toolchains.base import CourseError

if TYPE_CHECKING:
    from autograder.classroom import Classroom


@pytest.fixture(autouse=True)
def leaves_the_process_as_it_was() -> Iterator[None]:
    """No test changes what the tests after it, in whatever order, and the processes that they start would inherit."""
    environment, inline = dict(os.environ), torch.utils.cpp_extension.load_inline
    yield
    changed = {name for name in {*environment, *os.environ} if environment.get(name) != os.environ.get(name)}
    assert not changed - {"PYTEST_CURRENT_TEST", "TORCHINDUCTOR_CACHE_DIR"}  # PyTorch sets the second
    assert torch.utils.cpp_extension.load_inline is inline


@pytest.fixture(scope="session")
def bubblewrap() -> None:
    """For a test that needs a sandbox: where there can be none it fails in CI, and is skipped elsewhere."""
    from autograder.sandbox import require_bubblewrap

    try:
        require_bubblewrap()
    except CourseError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def released_class(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A class whose assignments are released."""
    # Imported here: most tests need no nbgrader, and run on a machine with a GPU that has none.
    from autograder.classroom import Classroom

    room = Classroom.anew(Path(tmp_path_factory.mktemp("demo-class")))
    room.release()
    return room


@pytest.fixture(scope="session")
def demo_class(released_class: Classroom) -> Classroom:
    """The class of `make demo`, graded: the solutions, the untouched release, typical mistakes."""
    from autograder.demo import make_mistakes

    released_class.hand_in("solutions", "solutions")
    released_class.hand_in("untouched", "notebooks")
    released_class.hand_in("mistakes", "solutions", make_mistakes)
    released_class.grade("--no-sandbox")
    return released_class
