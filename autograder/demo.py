"""`make demo`: an example class, from the release to the reports, in a separate course. It takes minutes."""

import sys

from nbformat.notebooknode import NotebookNode
from nbgrader import utils

from autograder.classroom import ROOT, Classroom
from course.build import usable_toolchain
from course.errors import CourseError

FOLDER = ROOT / "grading" / "demo"

# Typical mistakes. Each entry has the name of an answer, a part of its solution, and the text that replaces this part.
MISTAKES = {
    "00-blocks": ("(1_000_003 + 255) // 256", "1_000_003 // 256"),  # rounded down
    "00-add": ("    if (i < N) {\n        C[i] = A[i] + B[i];\n    }\n", "    C[i] = A[i] + B[i];\n"),  # no guard
    "00-axpy": ("s * A[i] + B[i]", "s * (A[i] + B[i])"),
    "01-narrow": ("32 * 4 * 4 // 32", "32"),  # as in the text, where each lane needs a sector of its own
    "01-element": ("A[e / N]", "A[e % N]"),  # the column's number instead of the row's
    "01-grid": ("kColumns = 32;", "kColumns = 512;"),  # a block of 4096 threads
    "01-row-block": ("C10_CUDA_KERNEL_LAUNCH_CHECK();", "C10_CUDA_KERNEL_LAUNCH_CHECK()"),  # does not compile
    "02-bytes-in-flight": ("16_100 * 340 // 1000", "16_100 * 340"),  # nanoseconds taken for microseconds
    "02-stride": ("course::cdiv(n, kThreads), resident)", "n / kThreads, resident)"),  # a grid without blocks
    "03-along-i": ("sum += A[k * M + i] * B[j * K + k]", "sum += A[k * M + i] * B[k * N + j]"),  # B read as (K, N)
    "03-along-j": ("if (i < M && j < N)", "if (i < M)"),  # the guard does not check j
    "04-tile-of-b": ("j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f", "B[(j0 + ty) * K + k0 + tx]"),
    "04-jk": ("Bs[tx][k]", "Bs[k][tx]"),  # the tile's indices are exchanged
    "04-registers": ("sum[r][c] += a[r] * b[c];", "sum[r][c] += a[c] * b[r];"),  # the tile's indices are exchanged
    "05-rows": ("blockIdx.x % chunks", "blockIdx.x / chunks"),  # the row's number instead of the chunk's
    "05-any": ("4 * fours + (i - fours)", "4 * fours + i"),  # the tail is written past the end of the output
    "06-dots": (
        "for (int step = kWarp / 2; step > 0;",
        "for (int step = kWarp / 4; step > 0;",
    ),  # adds half of each warp
    "07-layouts": ("transposed ? A.t() : A.contiguous()", "A"),  # reads elements in the order of memory, including gaps
    "08-registers": ("expf(part.max - whole.max) / whole.sum", "1.0f / whole.sum"),  # the thread's maximum stays in
    "09-wide": ("Bs[k_B][j_B] = b4.x;", "Bs[k_B][j_B] = b4.w;"),
    "10-stream": ("scale(out, keep);", "scale(out, 1.0f);"),  # the values are not rescaled
    "11-global": ("add(&counts[X[i]], 1);", "counts[X[i]] += 1;"),  # threads lose each other's counts
    "12-barriers": ("__syncthreads();  // the tile is full", ""),  # threads read what others have not loaded yet
    "13-warp": ("X[row * N + j] : -INFINITY", "X[row * N + j] : 0.0f"),  # a masked place counts in the sum
}


def main() -> int:
    """Run the demo. Returns 0 if the marks are as expected, and otherwise 1: see `as_expected`."""
    toolchain = usable_toolchain().name
    print(f"An example class in {FOLDER}, judged with the toolchain {toolchain}")
    print("1/4 Releasing the assignments", flush=True)
    room = Classroom.anew(FOLDER)
    room.release()
    print("2/4 Handing in three submissions: the solutions, the untouched release, typical mistakes", flush=True)
    room.hand_in("solutions", "solutions")
    room.hand_in("untouched", "notebooks")
    room.hand_in("mistakes", "solutions", make_mistakes)
    print("3/4 Judging every answer and writing the feedback", flush=True)
    room.grade("--no-sandbox")
    print("4/4 Writing the reports", flush=True)
    room.report()
    marks = room.marks()
    for (student, assignment), (score, points) in sorted(marks.items()):
        print(f"{student:<12} {assignment:<20} {score:g} of {points:g}")
    print(f"The reports, which link to the students' pages: {FOLDER / 'grading' / 'reports'}")
    return 0 if as_expected(marks) else 1


def make_mistakes(assignment: str, notebook: NotebookNode) -> None:
    """Put the mistakes into the answers of `notebook`. Raises CourseError if a solution lacks the text to replace."""
    for cell in filter(utils.is_solution, notebook.cells):
        right, wrong = MISTAKES.get(cell.metadata.nbgrader.grade_id, ("", ""))
        if right not in cell.source:
            name = cell.metadata.nbgrader.grade_id
            raise CourseError(f"The solution of {name} no longer contains the text that the demo's mistake replaces.")
        cell.source = cell.source.replace(right, wrong) if right else cell.source


def as_expected(marks: dict[tuple[str, str], tuple[float, float]]) -> bool:
    """Whether the marks are as expected.

    The solutions must get all points but those that an instructor gives by hand, the untouched release no points, and
    the answers with mistakes some points.
    """
    room = Classroom(ROOT)
    cells = {name: filter(utils.is_grade, room.read("solutions", name).cells) for _, name in marks}
    by_hand = {
        name: sum(c.metadata.nbgrader.points for c in own if utils.is_solution(c)) for name, own in cells.items()
    }
    rules = {
        "solutions": lambda score, points: score == points,
        "untouched": lambda score, points: score == 0,
        "mistakes": lambda score, points: 0 < score < points,
    }
    wrong = [key for key, (score, points) in marks.items() if not rules[key[0]](score, points - by_hand[key[1]])]
    for student, assignment in wrong:
        print(f"Submission {student!r} for {assignment} has a wrong mark.", file=sys.stderr)
    return not wrong and {student for student, _ in marks} == set(rules)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CourseError as error:
        sys.exit(str(error))
