"""A prediction: how often a matrix of M x N numbers is read or written, each time once, by three ways to compute
relu(A[:, None] * B * s)."""

from torch import nn

from course.tasks import Case

KERNEL = 2  # a kernel of one operation on one matrix reads it and writes the result


class Model(nn.Module):
    def forward(self) -> dict[str, int]:
        return {
            "relu(A[:, None] * B * s)": 3 * KERNEL,  # the row scaling, the scale, ReLU
            "relu((A * s)[:, None] * B)": 2 * KERNEL,  # A * s is a vector
            "one kernel": KERNEL,
        }


def get_inputs() -> list:
    return []


CASES = [Case()]
