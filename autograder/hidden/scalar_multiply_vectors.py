"""Hidden cases of scalar_multiply_vectors: each tail and start of each type, requests and sectors, special values."""

from course.tasks import Case
from course.tasks.scalar_multiply import MANY_THREADS, TYPES, by_16_bytes, view

CASES = [
    *(by_16_bytes(61, 128, dtype) for dtype in TYPES),
    *(Case({"M": 1, "N": 2048 + tail}, dtype="float16") for tail in range(1, 8)),
    *(Case({"M": 3, "N": tail}, dtype="float32") for tail in (1, 3, 341)),
    *(view(37, 53, dtype, f"offset:{start}") for start in (2, 3) for dtype in TYPES),
    Case({"M": 1, "N": 3}, layout="offset", dtype="bfloat16"),
    Case({"M": 29, "N": 23}, dtype="bfloat16", values="special"),
    Case({"M": 33, "N": 17, "EXPONENT": 5}, dtype="float64"),
    MANY_THREADS,
]
