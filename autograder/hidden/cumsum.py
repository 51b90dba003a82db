"""Hidden cases of cumsum: lengths around those of warps, blocks and chunks, views, NaN and infinities."""

from course.tasks import Case
from course.tasks.cumsum import three_passes

CASES = [
    three_passes(9 << 14),
    *(Case({"N": length}) for length in (33, 1023, 1024, 4097, 70_001)),
    Case({"N": 3001}, layout="offset"),
    Case({"N": 2000}, values="special"),
]
