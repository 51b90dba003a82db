"""How `autograder due` reads a time, how the report says how late work was, and what late work costs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.api import Gradebook
from traitlets.config import Config

from autograder.dates import in_words, read_time
from autograder.plugins.export import CsvExport
from autograder.plugins.late_policy import LatePolicy, due_of, lateness
from autograder.tables import Excused, Note, excused, make_tables, notes
from course.errors import CourseError

pytestmark = pytest.mark.quick
DAY = datetime(2026, 11, 1)


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
def test_a_time_is_of_its_zone_or_of_this_machines(in_zone, text, utc):
    in_zone("Asia/Kolkata")  # 5:30 h before UTC
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


def test_an_hour_that_the_clock_was_set_back_is_not_late(in_zone):
    in_zone("Europe/Berlin")  # whose clock is set back on 25 October 2026, and forward on 28 March 2027
    due = datetime(2026, 10, 24, 16)  # 18:00 on the clock, and 24 h later only 17:00
    assert lateness(due + timedelta(hours=25), due) == timedelta(days=1)
    assert lateness(due + timedelta(hours=26), due) == timedelta(days=1, hours=1)
    assert lateness(due, due) == timedelta() and lateness(due + timedelta(seconds=1), due) == timedelta(seconds=1)
    assert lateness(datetime(2027, 3, 28, 17), datetime(2027, 3, 27, 17)) == timedelta(days=1)
    submission = SimpleNamespace(assignment=SimpleNamespace(duedate=due), extension=timedelta(days=2))
    assert due_of(submission) == datetime(2026, 10, 26, 17)  # 18:00 on the clock
    submission.extension = None
    assert due_of(submission) == due


# Hours after the due date at which each student hands in three assignments, which are due one after the other, and what
# each of them costs by hand calculation: late days, and hours that no late day covers; None if the work is in time. The
# grace period is 15 minutes, there are 3 late days, and the last date is 5 days after the due date.
LATE = {
    "punctual": ((0, 0.25, -7), (None, None, None)),
    "a minute after the grace period": ((0.25 + 1 / 60, 0, 0), ((1, 0), None, None)),
    "a day and the grace period": ((24.25, 0, 0), ((1, 0), None, None)),
    "days until they are spent": ((30, 10, 50), ((2, 0), (1, 0), (0, 49.75))),
    "more days than there are": ((100, 1, 0), ((3, 27.75), (0, 0.75), None)),
    "after the last date": ((121, 1, 0), ((0, 120.75), (1, 0), None)),
    "excused from the second": ((40, 60, 20), ((2, 0), None, (1, 0))),
    "two days more for the first": ((60, 0, 0), ((1, 0), None, None)),
}


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
def test_late_days_are_spent_in_the_order_of_due_dates(tmp_path: Path):
    settings = Config({"LatePolicy": {"grace_minutes": 15, "late_days": 3, "last_days": 5}})
    settings.LateSubmissionPlugin.penalty_method = "zero"
    policy = LatePolicy(config=settings)
    policy.init_plugin()
    names = ("third", "first", "second")  # their order in the gradebook is another one than that of their dates
    due = {name: datetime(2026, 11, 1, 18) + timedelta(weeks=week) for name, week in zip(names, (3, 1, 2), strict=True)}
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
        for name in names:
            gradebook.add_assignment(name, duedate=due[name])
        for student, (hours, _) in LATE.items():
            gradebook.add_student(student)
            for name, hour in zip(("first", "second", "third"), hours, strict=True):
                gradebook.add_submission(name, student, timestamp=due[name] + timedelta(hours=hour))
        gradebook.find_submission("first", "two days more for the first").extension = timedelta(days=2)
        assert policy.charges(gradebook)["excused from the second", "second"].days == 1
        make_tables(gradebook)
        gradebook.db.add(Excused(student="excused from the second", assignment="second"))
        gradebook.db.commit()
        charges = policy.charges(gradebook)
        assert policy.charges(gradebook, student="after the last date") == {
            key: charge for key, charge in charges.items() if key[0] == "after the last date"
        }
        moved = {("punctual", "first"): due["first"] + timedelta(hours=25)}
        assert policy.charges(gradebook, times=moved)["punctual", "first"].days == 2
    for student, (_, expected) in LATE.items():
        for name, cost in zip(("first", "second", "third"), expected, strict=True):
            charge = charges.get((student, name))
            found = charge and (charge.days, pytest.approx(charge.rest / timedelta(hours=1)))
            assert found == cost, (student, name)
            assert policy.points_lost(student, 7.0, charge) == (7.0 if cost and cost[1] else None)
    assert charges["after the last date", "first"].closed


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
def test_what_is_written_about_a_student_goes_with_the_student(tmp_path: Path):
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
        make_tables(gradebook)
        for name in ("ada", "bob"):
            gradebook.add_student(name)
            gradebook.db.add(Excused(student=name, assignment="first"))
            new = Note(student=name, assignment="first", time=DAY, author="me", text="call", open=True)
            gradebook.db.add(new)
        gradebook.db.commit()
        gradebook.remove_student("ada")
        assert excused(gradebook) == {("bob", "first")} and [each.student for each in notes(gradebook)] == ["bob"]
        make_tables(gradebook)
        gradebook.add_student("ada")  # somebody else
        assert excused(gradebook) == {("bob", "first")} and [each.student for each in notes(gradebook)] == ["bob"]


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
def test_the_table_of_grades_has_no_rounding_errors(tmp_path: Path):
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
        gradebook.add_assignment("first")
        gradebook.add_notebook("first", "first")
        gradebook.add_student("ada")
        gradebook.add_submission("first", "ada").notebooks[0].late_submission_penalty = 3 * 1.6
        CsvExport(to=str(tmp_path / "grades.csv")).export(gradebook)
    assert (tmp_path / "grades.csv").read_text().splitlines()[1].endswith(",0.0,4.8,0.0,0.0")
