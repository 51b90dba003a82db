"""What this course keeps in nbgrader's database beside nbgrader's own tables, to be lost or restored with the marks."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from nbgrader.api import Gradebook, Student
from sqlalchemy import delete, inspect, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Not nbgrader's base, with which a command that only reads would make the tables."""


class MarkedAnswer(Base):
    """The hash of the answer that a grade was last saved for."""

    __tablename__ = "marked_answer"
    grade_id: Mapped[str] = mapped_column(primary_key=True)
    text: Mapped[str]


class Excused(Base):
    """A student whose work for an assignment does not count."""

    __tablename__ = "excused"
    student: Mapped[str] = mapped_column(primary_key=True)
    assignment: Mapped[str] = mapped_column(primary_key=True)


class Note(Base):
    """A sentence about a student's work, such as why a mark was changed. An open one is still to be dealt with."""

    __tablename__ = "note"
    id: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[str]
    assignment: Mapped[str]
    time: Mapped[datetime]  # UTC
    author: Mapped[str]
    text: Mapped[str]
    open: Mapped[bool]


Row = TypeVar("Row", Excused, Note)


def make_tables(gradebook: Gradebook) -> None:
    """Make the tables that are missing, as in a gradebook of an older version.

    What they have about students who were removed is deleted, so that no namesake gets it.
    """
    Base.metadata.create_all(gradebook.db.connection())
    for table in (Excused, Note):
        gradebook.db.execute(delete(table).where(table.student.not_in(select(Student.id))))


def excused(gradebook: Gradebook) -> set[tuple[str, str]]:
    """The excused students, each with the assignment."""
    return {(each.student, each.assignment) for each in _all(gradebook, Excused)}


def notes(gradebook: Gradebook) -> list[Note]:
    """All notes, in the order in which they were written."""
    return sorted(_all(gradebook, Note), key=lambda each: each.id)


def _all(gradebook: Gradebook, table: type[Row]) -> Sequence[Row]:
    """The rows about students who are in the gradebook."""
    there = inspect(gradebook.db.connection()).has_table(table.__tablename__)
    rows = select(table).where(table.student.in_(select(Student.id)))
    return gradebook.db.scalars(rows).all() if there else []
