"""Hidden cases of scalar_multiply_types: other sizes, scalars too large for fp16, special values, types to refuse."""

from course.tasks import Case, cases

CASES = [
    Case({"M": 8, "N": 0}, dtype="float64"),
    *cases("M N", (1, 1), (67, 129), dtype="float16"),
    Case({"M": 67, "N": 129}, dtype="bfloat16"),
    Case({"M": 129, "N": 67}, dtype="float64"),
    Case({"M": 41, "N": 44}, layout="offset", dtype="bfloat16"),
    Case({"M": 33, "N": 17, "EXPONENT": 5}, dtype="float16"),
    Case({"M": 33, "N": 17, "EXPONENT": 5}, dtype="float64"),
    Case({"M": 29, "N": 23}, dtype="float64", values="special"),
    Case({"M": 33, "N": 17}, dtype="int64", expect="error"),
]
