"""A prediction: which of three ways to write relu in CUDA keep NaN."""

from torch import nn

from course.tasks import Case


class Model(nn.Module):
    def forward(self) -> dict[str, bool]:
        return {"fmaxf(x, 0.0f)": False, "x > 0.0f ? x : 0.0f": False, "x < 0.0f ? 0.0f : x": True}


def get_inputs() -> list:
    return []


CASES = [Case()]
