"""The plug-ins of nbgrader that nbgrader_config.py names."""

from contextlib import suppress
from importlib.util import find_spec

from traitlets.config import Config

from course.errors import CourseError


def require_plugins(config: Config) -> None:
    """Raise CourseError if the settings name a plug-in that only another version of the course has."""
    settings = [value for section in config.values() for value in section.values()]
    named = [name for value in settings for name in (value if isinstance(value, list) else [value])]
    for name in named:
        if isinstance(name, str) and name.startswith("autograder.") and not _is_there(name.rpartition(".")[0]):
            raise CourseError(
                f"nbgrader_config.py names {name}, which this version of the course does not have. Replace the file "
                "with the nbgrader_config.py of this version, and add your own settings again."
            )


def _is_there(module: str) -> bool:
    with suppress(ModuleNotFoundError):  # the module's package may be missing too
        return find_spec(module) is not None
    return False
