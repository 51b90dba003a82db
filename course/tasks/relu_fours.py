"""relu of tensors whose number of elements is a multiple of 4, and that start on 16 bytes."""

from course.tasks import Case
from course.tasks.relu import *  # noqa: F403

CASES = [
    Case({"M": 1, "N": 4}),
    Case({"M": 64, "N": 64}),
    Case({"M": 33, "N": 36}),
    Case({"M": 37, "N": 52}),
    Case({"M": 1, "N": 1020}),
    Case({"M": 1, "N": 1028}),
    Case({"M": 4, "N": 5003}),
    Case({"M": 20, "N": 30}, values="special"),
    Case({"M": 0, "N": 8}),
]
