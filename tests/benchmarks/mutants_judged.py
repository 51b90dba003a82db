"""What a reader decided about the mutants whose line no verdict names, by the key of the mutant."""

# "effect" where the verdict's words lead to the fix, "too little", "misleading" where they lead elsewhere. Of mutants
# that pass: "equivalent" where the change makes no difference to what is asked, "passes" where it should not pass. An
# entry of a mutant whose line is named stands instead of "line".
JUDGED: dict[str, tuple[str, str]] = {
    "00-add 23:52 && → ||": ("equivalent", "`data_ptr<float>()` refuses an input of another type anyway"),
    "03-along-i 12:22 N → N - 1": ("effect", "all columns but the last, and the guard, are named"),
    "09-pipelined 74:9 __syncthreads(); → ;": ("effect", "names the barrier, between the last use and the copy"),
    "09-wide 85:24 <<<blocks, threads → <<<threads, blocks": (
        "misleading",
        "asks about the guard and the index, and not about the exchanged launch",
    ),
    "09-wide 20:20 threadIdx.x → threadIdx.y": (
        "too little",
        "counts the elements that were never written, without a cause",
    ),
    "08-fused 39:18 0 → 1": ("misleading", "asks about launch, guard and return, and the loop's first index is wrong"),
    "06-dots 34:5 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "00-add 35:53 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "04-jk 46:30 <<<blocks, threads → <<<threads, blocks": (
        "too little",
        "counts the elements that were never written, without a cause",
    ),
    "07-layouts 8:11 < → <=": ("effect", "asks whether the guard has <= for <"),
    "03-along-i 10:44 blockIdx.x → blockIdx.y": (
        "misleading",
        "asks about the guard alone, and an index takes the wrong block number",
    ),
    "05-float4 9:94 0 → 1": ("effect", "the wrapper's own check refuses aligned inputs, and its sentence is shown"),
    "08-online 44:5 __syncthreads(); → ;": (
        "misleading",
        "names the missing barrier, but first says that all is shifted, which is chance among zeros and ones",
    ),
    "04-tile-of-b 47:11 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "08-online 72:26 A.size(0) → 1": ("effect", "each row needs a block, and there is one"),
    "09-wide 44:60 * → +": ("too little", "values alone"),
    "04-registers 14:20 threadIdx.x → threadIdx.y": (
        "too little",
        "counts the elements that were never written, without a cause",
    ),
    "04-registers 47:22 0 → 1": (
        "too little",
        "all of a thread's first columns are missing, and the sentence has gaps and guards",
    ),
    "09-pipelined 23:5 __shared__ →": ("too little", "values alone, where the array is not shared"),
    "01-grid 42:32 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "05-rows 49:24 M * chunks → 1": ("effect", "the grid needs more blocks"),
    "05-rows 14:26 blockIdx.x → blockIdx.y": (
        "effect",
        "each element is stored by 257 threads, one of each block: where does a thread begin?",
    ),
    "08-fused 31:18 0 → 1": ("too little", "values alone"),
    "04-jk 25:9 __syncthreads(); → ;": ("effect", "names the barrier, and the two lines around it"),
    "04-jk 47:53 data_ptr<float> → data_ptr<double>": (
        "effect",
        "names the two types, `double*` and `float*`, at the launch's first line",
    ),
    "01-grid 10:67 / → %": ("effect", "too few blocks, and how they are counted"),
    "09-wide 38:22 0 → 1": ("effect", "the loop over k must begin at 0"),
    "08-online 38:5 __shared__ →": ("misleading", "speaks of an exponential, where the array is not shared"),
    "02-stride 31:11 int64_t → int8_t": (
        "passes",
        "more than 127 blocks overflow the type, and no question has an input for which that shows",
    ),
    "06-dots 51:27 dA.numel() → 1": ("misleading", "asks about the guard, and the grid has one block for all rows"),
    "00-add 26:35 && → ||": (
        "passes",
        "an input that is not contiguous is accepted where the other is, and no question gives one",
    ),
    "00-add 13:44 blockIdx.x → blockIdx.y": ("effect", "the index leaves out blockIdx.x"),
    "01-element 14:13 M → N": ("effect", "writes past the end: the guard"),
}
# What the page says about the run.
NOTES = """\
This is the first run, before any sentence was changed for it. It was meant to have 100 wrong answers and ended after
39, since the machine was busy: the share is that of a small sample, and the times are upper bounds. A larger `--count`
goes on where the run ended.

Misleading are numbers 6 (an exchanged launch taken for a missing guard), 9 (a loop that begins at 1 taken for a launch
that is missing), 14 (a block number of the wrong dimension taken for a guard), 16 (a race that looks like a shift), 34
(an array that is not shared taken for an overflow) and 36 (a grid of one block taken for a guard). The sentences of 9,
14, 16, 34 and 36 have been changed since, and that of 6 has not. Two pass and should not: 35 and 37. No visible
question has inputs that show what is wrong with them.
"""
