"""How `autograder due` reads a time, and how the report says how late work was."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from autograder.dates import in_words, read_time
from course.errors import CourseError

pytestmark = pytest.mark.quick


@pytest.fixture
def in_india(monkeypatch: pytest.MonkeyPatch):
    """This machine in a zone 5:30 h before UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Kolkata")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-12-01 18:00", "2026-12-01 12:30"),
        ("2026-12-01T18:00:30", "2026-12-01 12:30:30"),
        ("2026-12-01 18:00Z", "2026-12-01 18:00"),
        ("2026-12-01 18:00 UTC", "2026-12-01 18:00"),
        ("2026-12-01T18:00-08:00", "2026-12-02 02:00"),
        ("2026-07-01 18:00 Europe/Berlin", "2026-07-01 16:00"),
        ("2026-12-01 18:00 Europe/Berlin", "2026-12-01 17:00"),
    ],
)
def test_a_time_is_of_its_zone_or_of_this_machines(in_india, text, utc):
    assert read_time(text) == datetime.fromisoformat(utc).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *("", "tomorrow", "2026-12-01", "18:00", "2026-13-01 18:00", "01.12.2026 18:00", "2026-12-01 18:00 PST9"),
        *("2026-12-01 18:00 Europe", "2026-12-01 18:00 ../UTC", "2026-12-01 18:00Z UTC", "2026-12-01 18:00 +01:00"),
        *("0001-01-01 00:00+10:00", "9999-12-31 23:00", "0206-12-01 18:00", "1 2 3 4"),
    ],
)
def test_what_is_no_time_is_refused_in_one_sentence(text):
    with pytest.raises(CourseError, match=r"is not a date and a time\. Write 2026-12-01 18:00 ") as error:
        read_time(text)
    assert "\n" not in str(error.value)


def test_how_late_work_was_is_told_in_units_and_rounded_up():
    assert in_words(timedelta(days=1, hours=2, minutes=5, seconds=0.4)) == "1 d 2 h 5 min 1 s"
    assert in_words(timedelta(hours=3)) == "3 h"
