"""What a reader decided about the mutants whose line no verdict names, by the key of the mutant."""

# "effect" if the verdict's words lead to the fix, "too little", "misleading" if they lead elsewhere. For mutants
# that pass: "equivalent" if the change makes no difference to what is asked, "passes" if it should not pass. An
# entry for a mutant whose line is named is used instead of "line".
JUDGED: dict[str, tuple[str, str]] = {
    "00-add 23:52 && → ||": ("equivalent", "`data_ptr<float>()` refuses an input of another type anyway"),
    "03-along-i 12:22 N → N - 1": ("effect", "all columns but the last, and the guard, are named"),
    "09-pipelined 74:9 __syncthreads(); → ;": ("effect", "names the barrier, between the last use and the copy"),
    "09-wide 20:20 threadIdx.x → threadIdx.y": ("effect", "names the dimension that the index does not read"),
    "06-dots 34:5 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "00-add 35:53 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "07-layouts 8:11 < → <=": ("effect", "asks whether the guard has <= for <"),
    "03-along-i 10:44 blockIdx.x → blockIdx.y": ("effect", "names the dimension that the index does not read"),
    "08-online 44:5 __syncthreads(); → ;": (
        "effect",
        "names the array, the two threads, and the missing barrier, at the line of the struct that is copied",
    ),
    "04-tile-of-b 47:11 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "08-online 72:26 A.size(0) → 1": ("effect", "each row needs a block, and there is one"),
    "09-wide 44:60 * → +": ("too little", "values alone"),
    "04-registers 14:20 threadIdx.x → threadIdx.y": ("effect", "names the dimension that the index does not read"),
    "01-grid 42:32 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "05-rows 49:24 M * chunks → 1": ("effect", "the grid needs more blocks"),
    "05-rows 14:26 blockIdx.x → blockIdx.y": ("effect", "blockIdx.y is always 0 in this grid"),
    "04-jk 25:9 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "04-jk 47:53 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "01-grid 10:67 / → %": ("effect", "too few blocks, and how they are counted"),
    "09-wide 38:22 0 → 1": ("effect", "the loop over k must begin at 0"),
    "06-dots 51:27 dA.numel() → 1": ("effect", "each block stored one element, and each element needs a block"),
    "00-add 26:35 && → ||": ("equivalent", "the question asks for no check, and that of 00-axpy does"),
    "00-add 13:44 blockIdx.x → blockIdx.y": ("effect", "blockIdx.y is always 0 in this grid"),
    "01-element 14:13 M → N": ("effect", "reads past the end of A: the guard"),
    "06-both 58:15 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "03-along-i 11:71 threadIdx.y → threadIdx.x": ("effect", "names the dimension that the index does not read"),
    '00-axpy 28:5 TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous"); → ;': (
        "effect",
        "names the check that is missing",
    ),
    "09-wide 43:60 * → +": ("too little", "values alone"),
    "09-wide 55:9 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "01-grid 17:11 < → <=": ("effect", "a row past the end of A is read: the guard"),
    "03-along-j 12:22 N → M": ("effect", "rows and columns are exchanged in a guard"),
    "04-registers 23:9 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "04-registers 68:11 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "00-axpy 25:5 TORCH_CHECK(A.scalar_type() == torch::kFloat32"
    ' && B.scalar_type() == torch::kFloat32, "A and B must be float32"); → ;': (
        "equivalent",
        "`data_ptr<float>()` refuses an input of another type anyway",
    ),
    "00-axpy 14:11 < → <=": ("effect", "asks whether the guard has <= for <"),
    "08-fused 66:24 M * chunks → 1": ("effect", "the grid needs more blocks"),
    "02-stride 11:58 * → +": ("effect", "the loop must step by the threads of the grid"),
    "07-layouts 7:44 blockIdx.x → blockIdx.y": ("effect", "blockIdx.y is always 0 in this grid"),
    "08-fused 10:94 0 → 1": ("effect", "the float4 path is never taken, and float4 is named"),
    "04-tile-of-b 21:9 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "00-axpy 35:34 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "08-fused 32:33 + → -": ("effect", "the line of the load reads before the start: its index"),
    "04-registers 14:38 threadIdx.y → threadIdx.x": ("effect", "names the dimension that the index does not read"),
    '00-add 25:5 TORCH_CHECK(A.sizes() == B.sizes(), "A and B must have the same shape"); → ;': (
        "equivalent",
        "the question asks for no check, and that of 00-axpy does",
    ),
    "07-types 21:13 n → n + 1": ("effect", "asks whether the guard has <= for <"),
    "06-both 40:5 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "06-chunks 47:15 int64_t → int8_t": ("effect", "names the two types at the call of std::min"),
    "06-both 57:27 A.numel() → 1": ("effect", "there are too few blocks, named first"),
    "06-chunks 28:85 N → N - 1": ("effect", "the loop must go on while j < N"),
    "04-tile-of-b 25:9 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "00-add 14:11 < → <=": ("effect", "asks whether the guard has <= for <"),
    "06-chunks 32:9 threadIdx.x → threadIdx.y": ("effect", "only lane 0 has the sum, and every lane adds"),
    "04-jk 18:32 K → K - 1": ("effect", "the loop over k must go on while k < K"),
    "00-add 8:67 / → %": ("effect", "the number of blocks is 0 or too small"),
    "05-any 9:94 0 → 1": ("effect", "the float4 path is never taken, and float4 is named"),
    "04-jk 21:9 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "04-tile-of-b 39:11 int64_t → int8_t": ("effect", "the size of the output is negative"),
}
# What the page says about the run.
NOTES = """\
How well does a verdict explain a mutant that nobody has seen? Only the first run of a seed shows this, because after
each run, sentences and cases were added or corrected for its mutants. The table has these first runs. It counts the
wrong answers that no earlier run contained.

| | seed 20261127, the last | seed 20261126 | seed 20261125 |
|---|---:|---:|---:|
| wrong answers | 61 | 77 | 109 |
| line or effect | 56 | 65 | 80 |
| too little | 4 | 3 | 19 |
| misleading | 1 | 3 | 8 |
| passes | 0 | 6 | 2 |
| **line or effect** | **92%** | **84%** | **73%** |

"Line" means that the verdict gives the number of the changed line. A script decided this. "Effect" means that the
verdict describes what the change does, and that these words lead to the fix. A reader decided this. The line of a
removed barrier no longer exists, so a reader decided about removed barriers too.
"""
