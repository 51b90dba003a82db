"""Hidden cases of transposed_matmul_few_sectors: other sizes."""

from course.tasks.transposed_matmul_few_sectors import case

CASES = [case(96, 40, 64), case(61, 67, 43), case(128, 16, 100)]
