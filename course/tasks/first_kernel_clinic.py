"""Naming bugs: what is wrong with each of notebook 00's three broken kernels."""

from torch import nn

from course.tasks import Case


class Model(nn.Module):
    def forward(self) -> dict[str, str]:
        return {"patient 1": "grid", "patient 2": "guard", "patient 3": "index"}


def get_inputs() -> list:
    return []


CASES = [Case()]
