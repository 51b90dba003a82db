"""Pictures of a GPU's memories with their sizes and rates, of a chain of kernels, and of asynchronous copies."""

from __future__ import annotations

from course.errors import CourseError
from course.notebook.pictures.svg import BLUE, GREEN, ORANGE, VERMILION, YELLOW, Figure, Sheet

WIDTH = 720
PLACES = ("multiprocessor", "registers", "shared memory", "L2", "DRAM", "host")

# Bandwidths, sizes of DRAM and fp32 rates are from the data sheets "NVIDIA H200 Tensor Core GPU" (SXM) and "NVIDIA T4
# Tensor Core GPU". The rate of PCIe in one direction is half the rate in the data sheets. Registers, shared memory with
# L1, and threads of a multiprocessor are from the CUDA C++ Programming Guide, "Technical Specifications per Compute
# Capability", 9.0 and 7.5. torch.cuda.get_device_properties reports the numbers of multiprocessors and the sizes of L2.
FACTS = {
    "GPU": ("H200", "T4"),
    "multiprocessors": ("132", "40"),
    "threads of each": ("2048", "1024"),
    "fp32 arithmetic": ("67 TFLOP/s", "8.1 TFLOP/s"),
    "registers of each": ("256 KB", "256 KB"),
    "shared memory and L1 of each": ("256 KB", "96 KB"),
    "L2 cache": ("60 MB", "4 MB"),
    "DRAM": ("141 GB", "16 GB"),
    "DRAM, bytes per second": ("4.8 TB/s", "320 GB/s"),
    "PCIe, one direction": ("64 GB/s", "16 GB/s"),
}


def machine(here: str = "") -> Figure:
    """Draw a GPU with its memories, and their sizes and rates for an H200 and a T4.

    Parameters
    ----------
    here : {"", "multiprocessor", "registers", "shared memory", "L2", "DRAM", "host"}
        The place that is marked, because the text is about it. No place is marked for "".

    Returns
    -------
    Figure
        The GPU and its memories, with a table of numbers.

    Raises
    ------
    CourseError
        If there is no such place.
    """
    if here and here not in PLACES:
        raise CourseError(f"here must be one of {', '.join(PLACES)}, not {here!r}.")
    sheet = Sheet(WIDTH, 330)
    boxes = {
        "multiprocessor": (20, 24, 150, 132),
        "registers": (32, 66, 126, 30),
        "shared memory": (32, 110, 126, 34),
        "L2": (20, 184, 320, 30),
        "DRAM": (20, 240, 320, 34),
        "host": (20, 296, 320, 28),
    }
    fills = {"registers": YELLOW, "shared memory": GREEN, "L2": BLUE, "DRAM": BLUE, "host": ORANGE}
    words = {
        "registers": "registers",
        "shared memory": "shared memory, L1",
        "L2": "L2 cache",
        "DRAM": "device memory (DRAM)",
        "host": "host memory",
    }
    for place, (x, y, width, height) in boxes.items():
        sheet.box(x, y, width, height, fill=fills.get(place, "grey"))
        if place in words:
            sheet.write(x + width / 2, y + height / 2, words[place], on_color=True)
    sheet.write(95, 44, "multiprocessor 0", bold=True)
    for number, x in ((1, 190), (2, 246)):
        sheet.box(x, 24, 48, 132, fill="grey")
        sheet.write(x + 24, 90, str(number), bold=True)
    sheet.write(320, 90, "…", size=18)
    for y in ((156, 184), (214, 240), (274, 296)):
        sheet.line((180, y[1]), (180, y[0]), arrow=True)
        sheet.line((200, y[0]), (200, y[1]), arrow=True)
    sheet.write(210, 285, "PCIe", at="start")
    if here:
        x, y, width, height = boxes[here]
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y))
        sheet.line(*corners, color=VERMILION, width=4)
        sheet.write(20, 12, f"You are here: {here}", at="start", bold=True)
    for row, (name, values) in enumerate(FACTS.items()):
        y = 36 + row * 29
        if row:
            sheet.write(372, y, name, at="start")
        for column, value in enumerate(values):
            sheet.write(632 if column == 0 else 710, y, value, at="end", bold=not row)
        sheet.line((372, y + 14), (710, y + 14), faint=0.3)
    numbers = ". ".join(f"{name}: {a} on an H200, {b} on a T4" for name, (a, b) in list(FACTS.items())[1:])
    return sheet.figure(
        "A GPU has multiprocessors. Each runs blocks of threads, has registers for its threads, and has one memory for "
        "shared memory and L1 cache. All multiprocessors reach the L2 cache. Behind the L2 cache is the device memory, "
        f"DRAM. Host memory is behind PCIe. {numbers}." + (f" You are here: {here}." if here else "")
    )


def passes(*steps: str) -> Figure:
    """Draw a chain of kernels, each of which reads a matrix from DRAM and writes one.

    Parameters
    ----------
    *steps : str
        The computation of each kernel. There may be one to four kernels.

    Returns
    -------
    Figure
        The kernels, with an arrow for each matrix that is read or written.

    Raises
    ------
    CourseError
        If there are no steps or more than four, or if a step is not a string.
    """
    if not 1 <= len(steps) <= 4:
        raise CourseError(f"passes draws one to four kernels, not {len(steps)}.")
    for step in steps:
        if not isinstance(step, str):
            raise CourseError(f'A kernel is described by a string, such as "exp", not by {step!r}.')
    sheet = Sheet(WIDTH, 150)
    sheet.box(20, 108, 680, 30, fill=BLUE)
    sheet.write(360, 123, "device memory (DRAM)", on_color=True)
    wide = 680 / len(steps)
    for number, step in enumerate(steps):
        x = 20 + number * wide
        sheet.box(x + 10, 16, wide - 20, 36, fill=YELLOW)
        sheet.write(
            x + wide / 2, 34, step, code=True, on_color=True, size=min(12, (wide - 30) / (0.6 * len(step) or 1))
        )
        sheet.line((x + wide * 0.3, 106), (x + wide * 0.3, 54), arrow=True, width=2)
        sheet.write(x + wide * 0.3 + 8, 80, "read", at="start")
        sheet.line((x + wide * 0.7, 54), (x + wide * 0.7, 106), arrow=True, width=2)
        sheet.write(x + wide * 0.7 + 8, 80, "write", at="start")
    said = "; ".join(f"kernel {number + 1} computes {step}" for number, step in enumerate(steps))
    return sheet.figure(f"{len(steps)} kernels in a row: {said}. Each reads a matrix from DRAM and writes one to DRAM.")


def pipeline() -> Figure:
    """Draw two timelines: one with copies and arithmetic in turn, one that copies the next tiles during the arithmetic.

    Returns
    -------
    Figure
        Two timelines of four steps along k.
    """
    steps = 4
    sheet = Sheet(WIDTH, 210)
    left, part = 110, (WIDTH - 130) / (2 * steps)
    sheet.write(20, 22, "One after the other", at="start", bold=True)
    sheet.write(20, 112, "Asynchronous copies, one step ahead", at="start", bold=True)
    for y, name in ((50, "copy"), (78, "compute"), (140, "copy"), (168, "compute")):
        sheet.write(left - 12, y, name, at="end")

    def bar(slot: float, y: float, step: int, color: str) -> None:
        sheet.box(left + slot * part, y - 12, part - 2, 24, fill=color)
        sheet.write(left + (slot + 0.5) * part, y, str(step), on_color=True)

    for step in range(steps):
        bar(2 * step, 50, step, BLUE)
        bar(2 * step + 1, 78, step, YELLOW)
        bar(step, 140, step, BLUE)
        bar(step + 1, 168, step, YELLOW)
    sheet.line((left, 196), (WIDTH - 20, 196), arrow=True, faint=0.7)
    sheet.write(left - 12, 196, "time", at="end")
    return sheet.figure(
        f"Two timelines of {steps} steps. In the upper timeline each step copies its tiles and then computes with "
        f"them, which takes {2 * steps} units of time. In the lower timeline the tiles of the next step are copied "
        f"while a step computes, which takes {steps + 1} units if a copy takes as long as the arithmetic."
    )
