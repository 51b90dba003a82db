"""Hidden cases of transposed_matmul_checked: those of transposed_matmul, and inputs that the wrapper must refuse."""

from autograder.hidden import transposed_matmul
from course.tasks import Case

CASES = [
    *transposed_matmul.CASES,
    Case({"M": 33, "N": 17, "K": 9}, change="host:1", expect="error"),
    Case({"M": 33, "N": 17, "K": 9}, change="dtype:0", expect="error"),
    Case({"M": 33, "N": 17, "K": 9}, change="shape:1", expect="error"),
    Case({"M": 33, "N": 17, "K": 9}, change="short:1", expect="error"),
    Case({"M": 33, "N": 17, "K": 9}, layout="transposed", expect="error"),
    Case({"M": 33, "N": 17, "K": 9}, dtype="float64", expect="error"),
]
