"""What a judgement depends on besides the answer: the judge's own code, and the task with its hidden cases."""

import functools
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = (".py", ".h", ".cpp", ".cu", ".cuh", ".sh", ".html", ".toml")
# Parts of the course on which no judgement depends.
NOT_JUDGING = ("notebook", "labextension", "student_menus", "released", "recorded", "kernels")
NOT_JUDGING += ("cli.py", "doctor.py")
NO_TASKS = ("__init__.py", "case.py", "task.py", "predictions.toml")  # the others in course/tasks are tasks


@functools.cache
def judge_sources() -> str:
    """A hash of the code that judges. What only notebooks import is not part of it."""
    return _hash(f"{path.relative_to(ROOT)} {path.read_bytes()!r}" for path in judge_files())


def judge_files() -> list[Path]:
    """The files of the code that judges, without the tasks."""
    course = [path for path in (ROOT / "course").rglob("*") if _judges(path.relative_to(ROOT / "course"))]
    folder = ROOT / "autograder"
    autograder = [*folder.glob("judging/*"), folder / "files.py", folder / "progress.py"]
    return sorted(path for path in (*course, *autograder) if path.suffix in CODE)


def _judges(path: Path) -> bool:
    """Whether a file of the course, given by its path there, is part of the judge."""
    return path.parts[0] not in NOT_JUDGING and (path.parts[0] != "tasks" or path.name in NO_TASKS)


@functools.lru_cache(maxsize=1024)
def text_and_imports(text: str) -> str:
    """A hash of the text of a task or of hidden cases, and of the tasks and hidden cases that it imports."""
    texts = [text]
    for each in texts:  # which grows
        for package, name in re.findall(r"^from (course\.tasks|autograder\.hidden)(?:\.| import )(\w+)", each, re.M):
            path = ROOT / package.replace(".", "/") / f"{name}.py"
            imported = path.read_text(encoding="utf-8") if path.is_file() else ""
            if imported not in texts:
                texts.append(imported)
    return _hash(texts)


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()
