"""Scalar multiply, for the sweep of block sizes: the records are kept by the name of the task."""

from course.tasks.scalar_multiply import *  # noqa: F403
