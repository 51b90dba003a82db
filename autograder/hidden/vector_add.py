"""Hidden cases of vector_add: other sizes, also just below and above whole blocks, views, special values."""

from course.tasks import ONE_THREAD_PER_ELEMENT, Case

CASES = [
    *(Case({"N": length}) for length in (0, 2, 127, 129, 511, 2049)),
    Case({"N": 65537}, budget={**ONE_THREAD_PER_ELEMENT, "idle_threads": 65537 // 4}),
    Case({"N": 1060007}),  # more than 1024 blocks of 1024 threads
    Case({"N": 1021}, layout="offset"),
    Case({"N": 777}, values="special"),
]
