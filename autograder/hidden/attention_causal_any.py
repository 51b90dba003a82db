"""Hidden cases of causal attention: other lengths around the edges of tiles, rising scores, views, no elements."""

from course.tasks import Case

CASES = [
    Case({"H": 0, "N": 5}),
    Case({"H": 2, "N": 63}),
    Case({"H": 1, "N": 129, "RISE": 1}),
    Case({"H": 3, "N": 190}),
    Case({"H": 5, "N": 3, "RISE": 20}),
]
