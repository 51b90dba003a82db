"""The plug-ins that nbgrader calls, as nbgrader_config.py names them."""

from contextlib import suppress
from importlib.util import find_spec

from traitlets.config import Config

from course.errors import CourseError


def require_plugins(config: Config) -> None:
    """Raise CourseError where the settings name a plug-in of another version of the course."""
    settings = [value for section in config.values() for value in section.values()]
    named = [name for value in settings for name in (value if isinstance(value, list) else [value])]
    for name in named:
        if isinstance(name, str) and name.startswith("autograder.") and not _is_there(name.rpartition(".")[0]):
            raise CourseError(
                f"nbgrader_config.py names {name}, which this version of the course does not have. Take the file of "
                "this version and add your own settings again."
            )


def _is_there(module: str) -> bool:
    with suppress(ModuleNotFoundError):  # even its package may be missing
        return find_spec(module) is not None
    return False
