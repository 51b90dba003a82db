"""Finds the element of a tensor that a byte belongs to."""

from __future__ import annotations

import numpy as np

from course.toolchains.emulator.traffic import Layout


def element_indices(layout: Layout, offsets: np.ndarray) -> np.ndarray:
    """The indices of the elements that hold these bytes, counted from the start of the tensor's memory.

    There is one row for each dimension and one column for each byte. It has -1 for a byte that is in no element."""
    rest = offsets // layout.itemsize - layout.start
    index = np.zeros((len(layout.shape), len(offsets)), dtype=np.int64)
    for axis in sorted(range(len(layout.shape)), key=lambda axis: -layout.strides[axis]):
        if layout.shape[axis] > 1 and layout.strides[axis]:
            index[axis], rest = np.divmod(rest, layout.strides[axis])
    outside = (rest != 0) | (index < 0).any(0) | (index >= np.array(layout.shape)[:, None]).any(0)
    index[:, outside] = -1
    return index


def element_name(array: str, byte: int, layout: Layout | None) -> str:
    """The name of an element, such as `B[2, 0]`. If the array's shape is not known, such as `byte 64`."""
    index = element_indices(layout, np.array([byte]))[:, 0] if layout else [-1]
    return f"byte {byte:,}" if -1 in index else f"{array}[{', '.join(map(str, index))}]"
