"""Scalar multiply, for the sweep of loads a thread: the records are kept by the name of the task."""

from course.tasks.scalar_multiply import *  # noqa: F403
