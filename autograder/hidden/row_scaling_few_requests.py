"""Hidden cases of row_scaling_few_requests: another size."""

from course.tasks.row_scaling import few_requests

CASES = [few_requests(9, 2048)]
