"""Hidden cases of causal attention: other lengths around the edges of tiles, rising scores, views, no elements."""

from course.tasks import Case, cases

CASES = [
    *cases("H N", (0, 5), (2, 63)),
    Case({"H": 1, "N": 129, "RISE": 1}),
    Case({"H": 3, "N": 190}),
    Case({"H": 5, "N": 3, "RISE": 20}),
]
