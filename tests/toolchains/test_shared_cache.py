"""The build cache and its shared base: no file is loaded that other users could have written, or that is damaged."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from course.doctor import doctor
from course.errors import CourseError
from course.toolchains import cache
from course.toolchains.cache import cached

pytestmark = pytest.mark.quick

MADE = "made.txt"
DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "one byte": lambda path: path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1])),
    "empty": lambda path: path.write_bytes(b""),
    "gone": Path.unlink,
}


def maker(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / MADE).write_text(text) and None


def found(who: Path, monkeypatch: pytest.MonkeyPatch, otherwise: str) -> str:
    """What a student with this cache gets for the common key: a build that is found, else `otherwise`, built now."""
    monkeypatch.setenv("COURSE_CACHE", str(who))
    return (cached("module", "a kernel", maker(otherwise)) / MADE).read_text()


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base with one build, as its administrator leaves it."""
    found(folder := tmp_path / "base", monkeypatch, "the administrator's")
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o022)
    monkeypatch.setenv("COURSE_CACHE_BASE", str(folder))
    cache._warn.cache_clear()
    return folder


def state(folder: Path) -> dict[Path, tuple[int, int, int]]:
    files = {path: path.stat() for path in (folder, *folder.rglob("*"))}
    return {path: (each.st_mtime_ns, each.st_mode, each.st_size) for path, each in files.items()}


def test_what_is_in_the_base_is_built_by_nobody_again_and_nothing_is_written(base, tmp_path, monkeypatch):
    before = state(base)
    for student in ("ada", "bob"):
        assert found(tmp_path / student, monkeypatch, "a student's") == "the administrator's"
        assert not (tmp_path / student / "module").exists()
    assert state(base) == before
    assert (cached("module", "another kernel", maker("bob's")) / MADE).is_relative_to(tmp_path / "bob")


def test_what_one_student_has_poisoned_no_other_loads(base, tmp_path, monkeypatch):
    monkeypatch.delenv("COURSE_CACHE_BASE")
    assert found(tmp_path / "ada", monkeypatch, "poison") == "poison"
    monkeypatch.setenv("COURSE_CACHE_BASE", str(base))
    assert found(tmp_path / "bob", monkeypatch, "bob's") == "the administrator's"
    assert found(tmp_path / "ada", monkeypatch, "") == "the administrator's"  # not even Ada's own build comes first


@pytest.mark.parametrize("place", ["", "module", f"module/*/{MADE}", ".."])
@pytest.mark.parametrize("permission", [0o020, 0o002])
def test_a_base_that_others_can_write_is_not_used_and_one_warning_says_why(
    base, tmp_path, monkeypatch, place, permission
):
    (path,) = base.glob(place) if "*" in place else [(base / place).resolve()]
    path.chmod(path.stat().st_mode | permission)
    with pytest.warns(
        UserWarning, match=rf"^{path} can be written by users other than .* The shared build cache is not used"
    ):
        assert found(tmp_path / "ada", monkeypatch, "ada's") == "ada's"


def test_a_base_in_which_a_folder_cannot_be_entered_is_passed_over(base, tmp_path, monkeypatch):
    """As happens to a user other than root who has no permission for `module`."""
    status = os.stat

    def refused(path, *args, **options):
        if Path(str(path)).parent == base / "module":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return status(path, *args, **options)

    monkeypatch.setattr(os, "stat", refused)
    assert found(tmp_path / "ada", monkeypatch, "ada's") == "ada's"


@pytest.mark.parametrize("place", ["module", "module/*", f"module/*/{MADE}"])
@pytest.mark.parametrize("writable", ["target", "parent", ""])
def test_a_link_in_the_base_is_followed_only_to_where_no_student_can_write(
    base, tmp_path, monkeypatch, place, writable
):
    (path,) = base.glob(place)
    (outside := tmp_path / "outside").mkdir()
    target = path.rename(outside / "target")
    path.symlink_to(target)
    if writable:
        changed = outside if writable == "parent" else target
        changed.chmod(changed.stat().st_mode | 0o002)
        with pytest.warns(UserWarning, match=rf"^{changed} can be written by users other than .* is not used"):
            assert found(tmp_path / "ada", monkeypatch, "ada's") == "ada's"
    else:
        assert found(tmp_path / "ada", monkeypatch, "ada's") == "the administrator's"


def test_every_link_of_a_chain_must_lie_where_no_student_can_write(base, tmp_path, monkeypatch):
    (path,) = base.glob(f"module/*/{MADE}")
    target = path.rename(tmp_path / "target")
    (outside := tmp_path / "outside").mkdir()
    outside.chmod(0o777)
    path.symlink_to(outside / "link")
    (outside / "link").symlink_to(target)
    with pytest.warns(UserWarning, match=rf"^{outside} can be written by users other than"):
        assert found(tmp_path / "ada", monkeypatch, "ada's") == "ada's"
    (outside / "link").unlink()
    (outside / "link").symlink_to(path)  # the links form a circle
    with pytest.warns(UserWarning, match=rf"^{path} is a link to a file that cannot be read"):
        assert found(tmp_path / "bob", monkeypatch, "bob's") == "bob's"


def test_a_base_of_another_student_is_not_used(base, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "trusted_owners", lambda: frozenset({os.getuid() + 1}))
    with pytest.warns(UserWarning, match="belongs neither to root nor to the owner of the course"):
        assert found(tmp_path / "ada", monkeypatch, "ada's") == "ada's"


def test_a_base_that_is_not_there_is_said_to_be_missing(tmp_path, monkeypatch):
    cache._warn.cache_clear()
    monkeypatch.setenv("COURSE_CACHE_BASE", str(tmp_path / "nowhere"))
    with pytest.warns(UserWarning, match=r"names .*nowhere, which is not a folder .* fill it with `course doctor`"):
        assert found(tmp_path / "ada", monkeypatch, "ada's") == "ada's"


@pytest.mark.parametrize("permission", [0o020, 0o002])
def test_what_others_could_write_in_the_own_cache_is_not_loaded(tmp_path, monkeypatch, permission):
    for place, loaded in ((f"module/*/{MADE}", "second"), ("module/*", "third"), ("module", "third")):
        found(tmp_path / "ada", monkeypatch, "first")
        (path,) = (tmp_path / "ada").glob(place)
        path.chmod(path.stat().st_mode | permission)
        assert found(tmp_path / "ada", monkeypatch, loaded) == loaded
        assert not path.stat().st_mode & permission
    (tmp_path / "ada").chmod(0o755 | permission)
    with pytest.raises(CourseError, match=r"Other users can write the build cache .*ada, .* set COURSE_CACHE to"):
        found(tmp_path / "ada", monkeypatch, "")


def test_the_default_cache_is_closed_to_others(tmp_path, monkeypatch):
    monkeypatch.delenv("COURSE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (root := tmp_path / "cuda-kernels-course").mkdir()
    root.chmod(0o775)  # as an older version created it under a umask of 002
    assert cached("module", "a kernel", maker("ada's")).is_relative_to(root)
    assert root.stat().st_mode & 0o777 == 0o755


def test_a_cache_of_another_user_is_not_used(tmp_path, monkeypatch):
    assert found(tmp_path / "ada", monkeypatch, "ada's") == "ada's"
    monkeypatch.setattr(cache, "trusted_owners", lambda: frozenset({os.getuid() + 1}))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(CourseError, match=r"Other users can write the build cache .*ada, "):
        found(tmp_path / "ada", monkeypatch, "")


def test_whatever_the_umask_nobody_else_can_write_a_cache(tmp_path, monkeypatch):
    before = os.umask(0o002)
    try:
        monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "ada"))
        assert found(tmp_path / "ada", monkeypatch, "first") == "first"
        assert found(tmp_path / "ada", monkeypatch, "second") == "first"  # the first is not built again
    finally:
        os.umask(before)
    assert not any(path.stat().st_mode & 0o022 for path in (tmp_path / "ada" / "module").rglob("*"))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("file", [MADE, cache.RECORD])
@pytest.mark.parametrize("hashed", [cache.HASHED, 0])
def test_what_is_damaged_is_built_again(damage, file, hashed, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "HASHED", hashed)  # with 0, each file counts as too large to be hashed at each use
    assert found(tmp_path / "ada", monkeypatch, "first") == "first"
    (path,) = tmp_path.glob(f"ada/module/*/{file}")
    DAMAGES[damage](path)
    assert found(tmp_path / "ada", monkeypatch, "second") == "second"
    assert found(tmp_path / "ada", monkeypatch, "third") == "second"
    assert len(list(tmp_path.glob("ada/module/*"))) == 1


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_in_the_base_is_built_in_the_own_cache(damage, base, tmp_path, monkeypatch):
    (path,) = base.glob(f"module/*/{MADE}")
    DAMAGES[damage](path)
    before = state(base)
    assert found(tmp_path / "ada", monkeypatch, "ada's") == "ada's"
    assert found(tmp_path / "ada", monkeypatch, "again") == "ada's"
    assert state(base) == before


@pytest.mark.parametrize(
    ("runtime", "permissions", "row"),
    [
        ("base/runtime", 0o755, "ok       {} has the emulator's runtime"),
        ("ada/runtime", 0o755, "missing  {} has nothing that this version of the course can use"),
        ("base/runtime", 0o777, "broken   {} can be written by users other than"),
    ],
)
def test_the_doctor_says_whether_the_base_is_used(base, tmp_path, monkeypatch, capsys, runtime, permissions, row):
    monkeypatch.setattr("course.doctor.self_test", lambda toolchain: 0.1)
    monkeypatch.setattr("course.doctor._counting_line", lambda: ("ok", ""))
    monkeypatch.setattr("course.toolchains.emulator.library.runtime_folder", lambda: tmp_path / runtime)
    base.chmod(permissions)
    doctor()
    assert f"shared cache         {row.format(base)}" in capsys.readouterr().out
