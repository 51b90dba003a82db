"""Wrong attempts of a beginner at the exercises of notebooks 02 and 05 to 09, as changes of the solutions.

`first_attempts.py` judges them. Each has `yes`, `too little`, `misleading` or `passes` for what the verdict leads to
now, and also for what it led to when the attempt was first judged, if that was different.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat

from course.worker.protocol import Answer

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Attempt:
    """A change of the solution `cell`: the first occurrence of each `old` becomes its `new`."""

    cell: str
    title: str
    changes: tuple[tuple[str, str], ...]
    leads: str = "yes"
    at_first: str = ""


def exercises() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """The text of each answer, its function, and the tasks of its visible questions, by the answer's name."""
    found: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for path in sorted(ROOT.glob("solutions/*/*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        texts = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.source for cell in cells}
        for question in (cell.metadata.course for cell in cells if "course" in cell.metadata):
            if question.cases == "visible":
                text, function, tasks = found.get(question.answer, (texts[question.answer], question.function, ()))
                found[question.answer] = text, function, (*tasks, question.task)
    return found


def attempts() -> Iterator[tuple[Attempt, Answer, tuple[str, ...]]]:
    """Each attempt, its answer, and the tasks on which the notebook judges it. Raises ValueError for a stale change."""
    answers = exercises()
    for attempt in ATTEMPTS:
        text, function, tasks = answers[attempt.cell]
        for old, new in attempt.changes:
            if old not in text:
                raise ValueError(f"{attempt.cell}, {attempt.title}: the solution has no {old!r}.")
            text = text.replace(old, new, 1)
        yield attempt, Answer.of_cell(text, function), tasks


ONE_LOOP = """        const float d = dC[e];
        dB[e] = a * d;
        sum += d * B[e];
    }"""
TWO_LOOPS = """        dB[e] = a * dC[e];
    }
    for (int64_t e = start + threadIdx.x; e < start + N; e += kThreads) {
        sum += dC[e] * B[e];
    }"""
B_TRANSPOSED = """        Bs[k_B][j_B] = b4.x;
        Bs[k_B + 1][j_B] = b4.y;
        Bs[k_B + 2][j_B] = b4.z;
        Bs[k_B + 3][j_B] = b4.w;"""
ATTEMPTS = (
    Attempt(
        "02-stride",
        "The step is the number of threads in a block, and not in the grid.",
        (("static_cast<int64_t>(gridDim.x) * blockDim.x;  //", "blockDim.x;  //"),),
        at_first="too little",
    ),
    Attempt(
        "02-stride",
        "The step is the number of blocks.",
        (("static_cast<int64_t>(gridDim.x) * blockDim.x;  //", "gridDim.x;  //"),),
    ),
    Attempt(
        "02-stride",
        "The number of blocks has no limit, as in section 3.",
        (("std::min(course::cdiv(n, kThreads), resident)", "course::cdiv(n, kThreads)"),),
        at_first="passes",
    ),
    Attempt("02-stride", "std::max where std::min belongs.", (("std::min", "std::max"),)),
    Attempt(
        "02-stride", "The number of blocks is divided without cdiv.", (("course::cdiv(n, kThreads)", "n / kThreads"),)
    ),
    Attempt(
        "02-stride",
        "The limit is written as a plain int.",
        (("kThreads), resident)", "kThreads), 132 * 8)"),),
        at_first="too little",
    ),
    Attempt(
        "02-stride",
        "Each thread has a run of neighbouring elements.",
        (
            ("e < n; e += step", "false;"),
            (
                "    // END SOLUTION",
                "    const int64_t run = (n + step - 1) / step, at = static_cast<int64_t>(blockIdx.x) * blockDim.x + "
                "threadIdx.x;\n    for (int64_t e = at * run; e < at * run + run && e < n; ++e) {\n"
                "        C[e] = A[e] * s;\n    }\n",
            ),
        ),
        at_first="passes",
    ),
    Attempt(
        "02-loads",
        "The block's first element leaves out that a block takes kLoads times its threads.",
        (("(kThreads * kLoads) + threadIdx.x", "kThreads + threadIdx.x"),),
    ),
    Attempt(
        "02-loads",
        "The elements of a thread are neighbours.",
        (
            ("(kThreads * kLoads) + threadIdx.x", "(kThreads * kLoads) + threadIdx.x * kLoads"),
            ("first + k * kThreads;", "first + k;"),
            ("first + k * kThreads;", "first + k;"),
        ),
    ),
    Attempt("02-loads", "Only the first loaded element is stored.", (("a[k] * s", "a[0] * s"),), at_first="too little"),
    Attempt(
        "02-loads",
        "A thread that is past the end in the loop of the loads returns.",
        (
            (
                "        if (e < n) {\n            a[k] = A[e];\n        }",
                "        if (e >= n) return;\n        a[k] = A[e];",
            ),
        ),
        at_first="misleading",
    ),
    Attempt(
        "02-loads",
        "The loop of the stores steps by 1.",
        (("first + k * kThreads;  //", "first + k * kThreads;//"), ("first + k * kThreads;\n", "first + k;\n")),
        leads="too little",
    ),
    Attempt(
        "05-float4",
        "The grid has a thread for each element.",
        (("cdiv(N / 4, kThreads)", "cdiv(N, kThreads)"),),
        leads="passes",
    ),
    Attempt("05-float4", "The guard compares the number of the float4 with N.", (("i < N / 4", "i < N"),)),
    Attempt(
        "05-float4",
        "A float4 is loaded from the float pointer, without a cast.",
        (("C4[i] = relu(A4[i])", "C4[i] = relu(A[i])"),),
    ),
    Attempt("05-float4", "The float4 is copied without relu.", (("relu(A4[i])", "A4[i]"),)),
    Attempt(
        "05-float4", "The index of the float4 is multiplied by 4.", (("A4[i])", "A4[4 * i])"),), at_first="too little"
    ),
    Attempt(
        "05-any",
        "The tail's index does not subtract the number of float4.",
        (("4 * fours + (i - fours)", "4 * fours + i"),),
    ),
    Attempt(
        "05-any",
        "The grid has no threads for the tail.",
        (("cdiv(N / 4 + N % 4, kThreads)", "cdiv(N / 4, kThreads)"),),
        at_first="misleading",
    ),
    Attempt("05-any", "The tail has no guard.", (("else if (i < fours + N % 4)", "else"),)),
    Attempt(
        "05-any",
        "The branch asks for a multiple of 4 elements, and not for the address.",
        (("on_16_bytes(a) && on_16_bytes(c)", "N % 4 == 0"),),
    ),
    Attempt("05-any", "One of the two addresses is enough.", (("(a) && on", "(a) || on"),)),
    Attempt(
        "05-any",
        "The scalar kernel gets the grid of the other one.",
        (("relu_scalar_kernel<<<course::cdiv(N, kThreads)", "relu_scalar_kernel<<<course::cdiv(N / 4, kThreads)"),),
    ),
    Attempt(
        "05-stride",
        "The loop over float4 steps by four times the threads.",
        (("i += threads", "i += 4 * threads"),),
        leads="too little",
        at_first="passes",
    ),
    Attempt(
        "05-stride",
        "The tail begins at the first element.",
        (("e = N / 4 * 4 + first", "e = first"),),
        at_first="misleading",
    ),
    Attempt(
        "05-stride",
        "The tail begins at element N / 4.",
        (("e = N / 4 * 4 + first", "e = N / 4 + first"),),
        at_first="misleading",
    ),
    Attempt(
        "05-stride",
        "The loop over float4 is left out.",
        (("i < N / 4; i +=", "i < 0; i +="), ("N / 4 * 4 + first", "first")),
    ),
    Attempt("05-rows", "The row is the number of the block.", (("blockIdx.x / chunks", "blockIdx.x"),)),
    Attempt("05-rows", "Every block loads from the first row.", (("(B) + row * fours", "(B)"),), at_first="too little"),
    Attempt(
        "05-rows",
        "The first float4 leaves out % chunks.",
        (("blockIdx.x % chunks", "blockIdx.x"),),
        at_first="misleading",
    ),
    Attempt("05-rows", "The grid has one block per row.", (("<<<M * chunks,", "<<<M,"),), at_first="misleading"),
    Attempt("05-rows", "A is read at the number of the block.", (("A[row]", "A[blockIdx.x]"),), at_first="too little"),
    Attempt("05-rows", "The chunks are divided without cdiv.", (("course::cdiv(fours, kChunk)", "fours / kChunk"),)),
    Attempt(
        "05-candidate",
        "The vector kernel takes every tensor.",
        (("if (on_16_bytes(a) && on_16_bytes(c))", "if (true)"),),
    ),
    Attempt("06-dots", "The shuffle replaces the sum.", (("x += __shfl", "x = __shfl"),), at_first="too little"),
    Attempt("06-dots", "All lanes store the warp's sum.", (("if (lane == 0) {\n        sums", "{\n        sums"),)),
    Attempt(
        "06-dots",
        "Lanes past the number of warps read sums too.",
        (("lane < kWarps ? sums[lane] : 0.0f", "sums[lane]"),),
    ),
    Attempt(
        "06-dots",
        "The last shuffles are inside the if.",
        (
            (
                "if (warp == 0) {\n        sum = warp_sum(lane < kWarps ? sums[lane] : 0.0f);",
                "if (threadIdx.x < kWarps) {\n        sum = warp_sum(sums[lane]);",
            ),
        ),
        at_first="misleading",
    ),
    Attempt(
        "06-dots",
        "The row starts at blockIdx.x * kThreads.",
        (("start = blockIdx.x * N", "start = blockIdx.x * kThreads"),),
    ),
    Attempt("06-dots", "The loop takes one element per thread.", (("e += kThreads) {", "e += N) {"),)),
    Attempt(
        "06-dots",
        "The sums of the warps are never added.",
        (("sum = warp_sum(lane < kWarps ? sums[lane] : 0.0f);", "sum = sums[lane % kWarps];"),),
    ),
    Attempt(
        "06-chunks",
        "The step leaves out gridDim.y.",
        (("static_cast<int64_t>(gridDim.y) * kThreads", "kThreads"),),
        at_first="too little",
    ),
    Attempt(
        "06-chunks",
        "Each block begins at its thread's number.",
        (("static_cast<int64_t>(blockIdx.y) * kThreads + threadIdx.x", "threadIdx.x"),),
        at_first="too little",
    ),
    Attempt(
        "06-chunks",
        "The sum is stored, without an atomic.",
        (("atomicAdd(&dA[blockIdx.x], sum);", "dA[blockIdx.x] = sum;"),),
        at_first="misleading",
    ),
    Attempt(
        "06-chunks", "atomicAdd gets the first address of dA.", (("&dA[blockIdx.x]", "dA"),), at_first="too little"
    ),
    Attempt(
        "06-chunks",
        "atomicAdd gets the element, not its address.",
        (("&dA[blockIdx.x]", "dA[blockIdx.x]"),),
        at_first="too little",
    ),
    Attempt(
        "06-chunks",
        "x and y of the block are exchanged.",
        (("blockIdx.x * N", "blockIdx.y * N"), ("(blockIdx.y)", "(blockIdx.x)")),
        leads="too little",
        at_first="misleading",
    ),
    Attempt(
        "06-both",
        "Two loops, one for each gradient.",
        (
            (
                ONE_LOOP,
                TWO_LOOPS,
            ),
        ),
    ),
    Attempt("06-both", "The sum takes dB in the place of dC.", (("sum += d * B[e]", "sum += dB[e] * B[e]"),)),
    Attempt("06-both", "A is read at the thread's number.", (("a = A[blockIdx.x]", "a = A[threadIdx.x]"),)),
    Attempt("06-candidate", "forward saves B alone.", (("save_for_backward(A, B)", "save_for_backward(B)"),)),
    Attempt(
        "06-candidate",
        "backward returns the gradients in the other order.",
        (
            (
                "return module.backward(A, B, dC.contiguous())",
                "dA, dB = module.backward(A, B, dC.contiguous())\n        return dB, dA",
            ),
        ),
    ),
    Attempt(
        "06-candidate",
        "backward forgets to return.",
        (("return module.backward", "module.backward"),),
        at_first="too little",
    ),
    Attempt("06-candidate", "backward returns dA alone.", (("dC.contiguous())", "dC.contiguous())[0]"),)),
    Attempt("06-candidate", "dC is not made contiguous.", (("dC.contiguous()", "dC"),), leads="passes"),
    Attempt(
        "07-types",
        "The product is rounded to T before it is made.",
        (("static_cast<typename Compute<T>::type>(A[e]) * s", "A[e] * static_cast<T>(s)"),),
    ),
    Attempt(
        "07-types",
        "The kernel is launched for float in each branch.",
        (("scale_kernel<scalar_t><<<", "scale_kernel<float><<<"),),
    ),
    Attempt(
        "07-types",
        "bfloat16 is dispatched too.",
        (("AT_DISPATCH_FLOATING_TYPES_AND_HALF(A", "AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A"),),
    ),
    Attempt("07-types", "The dispatch's lambda captures nothing.", (("[&] {", "[] {"),), at_first="too little"),
    Attempt(
        "07-layouts",
        "The result of a transposed matrix is not transposed back.",
        (("return transposed ? C.t() : C", "return C"),),
    ),
    Attempt("07-layouts", "Every result is transposed back.", (("return transposed ? C.t() : C", "return C.t()"),)),
    Attempt(
        "07-layouts",
        "The wrapper refuses what is not contiguous.",
        (
            (
                "    const bool transposed",
                '    TORCH_CHECK(A.is_contiguous(), "A must be contiguous");\n    const bool transposed',
            ),
        ),
    ),
    Attempt(
        "08-fused", "ReLU is forgotten at .w.", (("relu(scale * b[k].w)", "scale * b[k].w"),), at_first="too little"
    ),
    Attempt(
        "08-fused",
        "Every chunk begins at the row's first float4.",
        (("static_cast<int64_t>(blockIdx.x % chunks) * kChunk + threadIdx.x", "threadIdx.x"),),
    ),
    Attempt(
        "08-fused",
        "The loads step by kLoads.",
        (("first + k * kThreads", "first + k * kLoads"), ("first + k * kThreads", "first + k * kLoads")),
    ),
    Attempt("08-fused", "Nothing is loaded.", (("b[k] = B4[i];", ""),), leads="too little"),
    Attempt("08-linear", "The weight is not transposed.", (("self.linear.weight.T", "self.linear.weight"),)),
    Attempt(
        "08-linear",
        "The bias is read at the thread's first float4.",
        (("b4[i]", "b4[first]"),),
        leads="too little",
        at_first="misleading",
    ),
    Attempt(
        "08-linear",
        "forward calls the whole layer, then the kernel.",
        (("torch.mm(X, self.linear.weight.T)", "self.linear(X)"),),
    ),
    Attempt(
        "08-linear",
        "The bias is added after ReLU.",
        (
            ("relu(p[k].x + c.x)", "relu(p[k].x) + c.x"),
            ("relu(p[k].y + c.y)", "relu(p[k].y) + c.y"),
            ("relu(p[k].z + c.z)", "relu(p[k].z) + c.z"),
            ("relu(p[k].w + c.w)", "relu(p[k].w) + c.w"),
        ),
        leads="too little",
        at_first="misleading",
    ),
    Attempt(
        "08-online",
        "The shuffles go down, so only lane 0 has the result.",
        (("__shfl_xor_sync", "__shfl_down_sync"), ("__shfl_xor_sync", "__shfl_down_sync")),
        leads="too little",
    ),
    Attempt(
        "08-online",
        "Only the maximum is shuffled.",
        (("__shfl_xor_sync(kAll, part.sum, offset)", "part.sum"),),
        leads="too little",
        at_first="misleading",
    ),
    Attempt(
        "09-wide",
        "B is stored as A is, without being transposed.",
        (
            (
                B_TRANSPOSED,
                "        four(&Bs[k_B][j_B / 4 * 4]) = b4;",
            ),
        ),
    ),
    Attempt(
        "09-wide",
        "The groups of a thread lie side by side.",
        (("ty * kVector + n * kSide]", "ty * kVector + n]"), ("tx * kVector + n * kSide]", "tx * kVector + n]")),
        leads="too little",
    ),
    Attempt(
        "09-wide",
        "tx and ty are exchanged where the tiles are read.",
        (("As[k][ty *", "As[k][tx *"), ("Bs[k][tx *", "Bs[k][ty *")),
        leads="too little",
    ),
    Attempt("09-wide", "k0 is left out of A's index.", (("(k0 + k_A) * M", "k_A * M"),)),
    Attempt("09-wide", "a and b are exchanged in the product.", (("a[r] * b[c]", "a[c] * b[r]"),), leads="too little"),
    Attempt("09-pipelined", "The same slot is used in every step.", (("multiply(slot);", "multiply(0);"),)),
    Attempt(
        "09-pipelined",
        "The copy goes into the slot in use.",
        (("slot == 0 ? kStages - 1 : slot - 1", "slot"),),
        at_first="misleading",
    ),
    Attempt(
        "09-pipelined",
        "Only one step is copied before the loop.",
        (("step < kStages - 1; ++step", "step < 1; ++step"),),
    ),
    Attempt("09-pipelined", "The wait is forgotten.", (("        __pipeline_wait_prior(kStages - 2);", ""),)),
    Attempt(
        "09-shape",
        "The lanes of rows and columns are exchanged.",
        (("i + n * kLanesI", "i + n * kLanesJ"), ("j + n * kLanesJ", "j + n * kLanesI")),
    ),
    Attempt(
        "09-shape",
        "The busiest multiprocessor is left out: all blocks count.",
        (("cdiv(blocks, multiprocessors) * tile.warps", "blocks * tile.warps"),),
        leads="passes",
    ),
    Attempt("09-split", "small is not rounded.", (("small = rounded(x - big)", "small = x - big"),)),
    Attempt("09-split", "The bits are cut off, and not rounded.", (("(bits + (1 << 12))", "bits"),)),
    Attempt(
        "09-split",
        "Both parts are returned as a tuple.",
        (("torch.stack([big, small])\n    ### END", "big, small\n    ### END"),),
    ),
)
