"""Hidden cases of scalar_multiply_few_sectors: other sizes."""

from course.tasks.scalar_multiply_few_sectors import case

CASES = [case(128, 200), case(1, 30011), case(251, 67)]
