"""Hidden cases of softmax_two_loops: the cases of softmax, and another case with the budget of the visible one."""

from autograder.hidden import softmax
from course.tasks.softmax import two_loops

CASES = [*softmax.CASES, two_loops(1, 40960)]
