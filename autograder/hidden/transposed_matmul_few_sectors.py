"""Hidden cases of transposed_matmul_few_sectors: other sizes."""

from course.tasks.transposed_matmul import few_sectors

CASES = [few_sectors(96, 40, 64), few_sectors(61, 67, 43), few_sectors(128, 16, 100)]
