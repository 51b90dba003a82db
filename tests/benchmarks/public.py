"""Public CUDA in the emulator: how much of it builds, runs, is right and is flagged, and why the rest does not build.

    python -m tests.benchmarks.public SNAPSHOTS [PART ...]

SNAPSHOTS has a checkout or a bare git directory of any of these repositories, as `name`, `owner+name` or
`owner+name/repo`. Nothing of them is a part of this project:

- `lzyrapx/LeetGPU` and `bluecoffee8/leetgpu_soln`, solutions of `AlphaGPU/leetgpu-challenges`, whose tests and
  references judge them at small sizes, with outputs that are zero before, as on that site;
- `karpathy/llm.c`: each kernel of `dev/cuda`, by the file's own `main`, at small sizes;
- `siboehm/SGEMM_CUDA`: each kernel of the ladder, by its own launcher;
- `pytorch/extension-cpp`: its kernel, without the registration of an operator;
- `NVIDIA/cuda-samples`: the samples that are one source with a `main`, without graphics and libraries.

This runs their code, also their Python. Each program runs in a process of its own, with a time limit. Results are kept
in `build/public/`, and only what has none yet runs; with PARTs, what has one of them in its name runs again.
"""

from __future__ import annotations

import difflib
import io
import json
import multiprocessing
import os
import re
import runpy
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from course.build import load_inline
from course.errors import CourseError, Hazard, KernelError
from course.notebook.trace import trace
from course.text.cuda import CudaText
from course.text.syntax import Function
from tests.benchmarks.kernels import ROOT

FOLDER = ROOT / "build" / "public"
SECONDS = 240  # for one program and its builds; a call in the emulator has a limit of its own
ELEMENTS = 20_000  # of all tensors in one of LeetGPU's tests
SUFFIXES = {".cu", ".cuh", ".h", ".hpp", ".cpp", ".inl", ".py"}
# Numbers in the mains of llm.c, and smaller ones that its kernels allow.
SMALLER = {"B": 2, "T": 64, "C": 128, "OC": 256, "NH": 4, "V": 512, "Vp": 512, "repeat_times": 1, "num_parameters": 999}
SIZES = re.compile(rf"\b(?:int|long) (?P<name>{'|'.join(SMALLER)}) = [\w *]+;")
OTHERS = "GL|vulkan|nvsci|mpi|FreeImage|cudla|cufft|cublas|cusolver|cusparse|curand|npp|nvjpeg|nvrtc|omp|d3d"
MAIN = """
template <class T> int start(int (*program)(int, T), const char** words, int count) { return program(count, (T)words); }
inline int start(int (*program)(), const char**, int) { return program(); }
int64_t run(int64_t kernel) {
    const std::string number = std::to_string(kernel);
    const char* words[] = {"program", number.c_str(), nullptr};
    return start(program_main, words, kernel > 0 ? 2 : 1);
}
"""
SGEMM = """
torch::Tensor run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
    auto r = c.clone();
    LAUNCHER(256, 128, 128, 0.5f, a.data_ptr<float>(), b.data_ptr<float>(), 3.0f, r.data_ptr<float>());
    return r;
}
"""
MULADD = "\nat::Tensor run(at::Tensor a, at::Tensor b) { return extension_cpp::mymuladd_cuda(a, b, 2.0); }\n"

# The arguments of a call, and whether its result is right.
Test = tuple[tuple[Any, ...], Callable[[Any], bool]]


@dataclass(frozen=True)
class Program:
    """A source with a function `run`, and what makes the tests of this function."""

    name: str
    source: str
    tests: Callable[[], list[Test]]
    include: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ()


def snapshot(snapshots: Path, repository: str) -> Path | None:
    """A folder with the sources of a repository, which are unpacked if the snapshot is a bare directory."""
    owner, name = repository.split("/")
    places = (snapshots / name, snapshots / f"{owner}+{name}", snapshots / f"{owner}+{name}" / "repo")
    found = next((each for each in places if (each / ".git").exists() or (each / "HEAD").exists()), None)
    if found is None or (found / ".git").exists():
        return found
    if not (FOLDER / name).exists():
        git = ("git", "-C", str(found))
        names = subprocess.check_output([*git, "ls-tree", "-r", "--name-only", "HEAD"], text=True).splitlines()
        kinds = {Path(each).suffix for each in names} & SUFFIXES
        packed = subprocess.check_output([*git, "archive", "HEAD", *(f":(glob)**/*{each}" for each in sorted(kinds))])
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(FOLDER / name, filter="data")
    return FOLDER / name


def leetgpu(solutions: Path, challenges: Path) -> Iterator[Program]:
    """The solutions whose challenge is known, by the types and names of the parameters and by its name."""
    sys.path.insert(0, str(challenges / "challenges"))
    paths = sorted(challenges.glob("challenges/*/*/challenge.py"))
    known = {re.sub(r"\d+_", "", path.parent.name): runpy.run_path(str(path))["Challenge"]("cpu") for path in paths}
    for path in sorted(solutions.glob("cuda/**/*.cu")):
        text = path.read_text()
        for solve in (f for f in CudaText.of(text).functions if f.name == "solve"):
            likeness, name = max((alike(known[name], solve, path.stem, name), name) for name in known)
            if likeness > (0, 0):
                source = text + wrapper(solve, known[name].get_solve_signature())
                yield Program(f"{solutions.name} {path.stem}", source, partial(tests, known[name]))


def alike(challenge: Any, solve: Function, file: str, folder: str) -> tuple[int, float]:
    """How many parameters have the same names, and how alike the file's name is to those of the challenge."""
    signature, taken = challenge.get_solve_signature(), solve.parameters
    pointers = [bool(each.pointers or each.sizes) for each in taken]
    if pointers != [kind.__name__.startswith("LP_") for kind, _ in signature.values()]:
        return 0, 0
    words, names = re.sub(r"\W|_|\(.*", " ", file.lower()), (challenge.name.lower(), folder.lower().replace("_", " "))
    same = sum(each.name == other for each, other in zip(taken, signature, strict=True))
    return 1 + same, max(difflib.SequenceMatcher(None, words, each).ratio() for each in names)


def wrapper(solve: Function, signature: dict[str, tuple]) -> str:
    """A function that passes tensors and numbers to `solve`, and returns copies of its outputs."""
    taken, passed, copies, results = [], [], "", []
    for name, each, (_, direction) in zip("abcdefghijklmnopqrst", solve.parameters, signature.values(), strict=False):
        if not (each.pointers or each.sizes):
            is_floating = each.type in ("float", "double", "half", "__half")
            taken.append(f"{'double' if is_floating else 'int64_t'} {name}")
            passed.append(name)
            continue
        taken.append(f"torch::Tensor {name}")
        if direction != "in":
            copies += f"{name} = {name}.clone(); "
            results.append(name)
        passed.append(f"({each.type}*){name}.data_ptr()")
    body = f"{copies}solve({', '.join(passed)}); return {{{', '.join(results)}}};"
    return f"\nstd::vector<torch::Tensor> run({', '.join(taken)}) {{ {body} }}\n"


def tensor(value: Any) -> Any:
    """The tensor that a challenge describes; any other value itself."""
    if isinstance(value, torch.Tensor) or not hasattr(value, "shape"):
        return value
    dtype = getattr(torch, value.dtype)
    match type(value).__name__:
        case "RandTensor":
            return torch.empty(value.shape).uniform_(value.low, value.high).to(dtype)
        case "RandnTensor":
            return torch.empty(value.shape).normal_(value.mean, value.std).to(dtype)
        case "RandIntTensor":
            return torch.randint(value.low, value.high, value.shape, dtype=dtype)
    return torch.full(value.shape, getattr(value, "value", 0.0), dtype=dtype)


def tests(challenge: Any) -> list[Test]:
    """Three of a challenge's tests of at most ELEMENTS elements, with the largest of these."""
    torch.manual_seed(0)
    found = []
    for test in challenge.generate_functional_test():
        values = {name: tensor(test[name]) for name in challenge.get_solve_signature()}
        size = sum(each.numel() for each in values.values() if isinstance(each, torch.Tensor))
        found += [(size, values)] * (size <= ELEMENTS)
    found.sort(key=lambda each: each[0])
    return [judged(challenge, values) for _, values in found[:: -max(1, len(found) // 3)][:3]]


def judged(challenge: Any, values: dict[str, Any]) -> Test:
    """A test, in which the outputs are 0 before, and what is right by the challenge's reference."""
    outputs = [name for name, (_, way) in challenge.get_solve_signature().items() if way != "in"]
    for name, (_, way) in challenge.get_solve_signature().items():
        if way == "out":
            values[name].zero_()
    expected = {name: each.clone() if isinstance(each, torch.Tensor) else each for name, each in values.items()}
    challenge.reference_impl(**expected)

    def is_right(results: list[torch.Tensor]) -> bool:
        pairs = ((a.double(), expected[name].double()) for a, name in zip(results, outputs, strict=True))
        return all(torch.allclose(a, b, challenge.rtol, challenge.atol, equal_nan=True) for a, b in pairs)

    return tuple(values.values()), is_right


def with_main(name: str, path: Path, text: str, include: tuple[Path, ...] = (), kernel: int = 0) -> Program:
    """A program that checks its own results; its exit status is not 0 if they are wrong."""
    folders = (path.parent, *include)
    return Program(
        name, text + MAIN, lambda: [((kernel,), lambda status: status == 0)], folders, ("-Dmain=program_main",)
    )


def llm_c(folder: Path) -> Iterator[Program]:
    for path in sorted(folder.glob("dev/cuda/*.cu")):
        text = SIZES.sub(lambda size: f"int {size['name']} = {SMALLER[size['name']]};", path.read_text())
        for kernel in sorted({int(each) for each in re.findall(r"\bcase (\d+):", text)}) or [0]:
            yield with_main(f"llm.c {path.stem} {kernel}", path, text, kernel=kernel)


def samples(folder: Path) -> Iterator[Program]:
    for path in sorted(folder.glob("Samples/**/*.cu")):
        text = CudaText.of(path.read_text(errors="replace"))
        others = any(re.search(OTHERS, each) for each, _ in text.includes)
        if not others and any(each.name == "main" for each in text.functions):
            yield with_main(f"cuda-samples {path.stem}", path, text.source, (folder / "Common",))


def sgemm(folder: Path) -> Iterator[Program]:
    def tests() -> list[Test]:
        torch.manual_seed(0)
        a, b, c = torch.rand(256, 128), torch.rand(128, 128), torch.rand(256, 128)
        return [((a, b, c), lambda got: torch.allclose(got, 0.5 * a @ b + 3 * c, 1e-4, 1e-3))]

    runner = CudaText.of((folder / "src" / "runner.cu").read_text())
    head = "#include <cassert>\n#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))\n"
    for path in sorted(folder.glob("src/kernels/*.cuh"), key=lambda path: int(path.name.split("_")[0])):
        head += f'#include "{path}"\n'  # some kernels use constants of earlier ones
        kernels = [each.name for each in CudaText.of(path.read_text()).functions if "__global__" in each.qualifiers]
        launches = (each for each in runner.syntax.launches if each.name in kernels)
        for f in dict.fromkeys(runner.syntax.function_at(each.begin) for each in launches):
            if f:
                launcher = runner.source[runner.source.rfind("\n", 0, f.begin) : f.body.end + 1]
                source = head + launcher + SGEMM.replace("LAUNCHER", f.name)
                yield Program(f"SGEMM_CUDA {f.name}", source, tests, (folder / "src",))


def extension_cpp(folder: Path) -> Iterator[Program]:
    a, b = torch.rand(1000), torch.rand(1000)
    source = (folder / "extension_cpp" / "csrc" / "cuda" / "muladd.cu").read_text() + MULADD
    yield Program("extension-cpp muladd", source, lambda: [((a, b), lambda got: torch.allclose(got, a * b + 2))])


def programs(snapshots: Path) -> Iterator[Program]:
    """The programs of all repositories that are there."""
    if challenges := snapshot(snapshots, "AlphaGPU/leetgpu-challenges"):
        for repository in ("lzyrapx/LeetGPU", "bluecoffee8/leetgpu_soln"):
            if folder := snapshot(snapshots, repository):
                yield from leetgpu(folder, challenges)
    others = {"karpathy/llm.c": llm_c, "siboehm/SGEMM_CUDA": sgemm, "pytorch/extension-cpp": extension_cpp}
    for repository, of in (others | {"NVIDIA/cuda-samples": samples}).items():
        if folder := snapshot(snapshots, repository):
            yield from of(folder)


def outcome(program: Program) -> dict[str, Any]:
    """What happens to a program: its `state`, `why` if it is not right, and the `flags`: its hazards and remarks."""
    try:
        module = load_inline(
            "program", cuda_sources=program.source, functions=["run"], extra_cuda_cflags=list(program.flags),
            extra_include_paths=[str(each) for each in program.include], toolchain="emulator",
        )  # fmt: skip
    except CourseError as error:
        return {"state": "not built", "why": str(error)}
    state, why, flags = "right", "", dict[str, None]()

    def noted(hazards: tuple[Hazard, ...], otherwise: str) -> str:
        flags.update((f"{each.kind}: {each.detail}", None) for each in hazards if each.kind != "timeout")
        return "too slow" if any(each.kind == "timeout" for each in hazards) else otherwise

    for arguments, is_right in program.tests():
        try:
            if not is_right(module.run(*arguments)):
                state, why = "wrong", "the values differ"
            traced = trace(module.run, *arguments)
            state = noted(traced.hazards, state)
            flags.update((f"remark: {each}", None) for each in traced.remarks)
        except KernelError as error:
            state, why = noted(error.hazards, "ended"), str(error)
        except Exception as error:
            state, why = "failed", f"{type(error).__name__}: {error}"
    return {"state": state, "why": why, "flags": list(flags)}


def run(program: Program) -> dict[str, Any]:
    """`outcome` in a process of its own; what it prints goes to a log."""
    fork = multiprocessing.get_context("fork")
    reader, writer = fork.Pipe(duplex=False)

    def child() -> None:
        log = os.open(FOLDER / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        writer.send(outcome(program))

    process = fork.Process(target=child)
    process.start()
    writer.close()
    try:
        return reader.recv() if reader.poll(SECONDS) else {"state": "too slow", "why": f"more than {SECONDS} s"}
    except EOFError:
        process.join()
        return {"state": "failed", "why": f"it ended its process with status {process.exitcode}"}
    finally:
        process.kill()
        process.join()


def report(results: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The table of counts, all flags, the classes of what does not build, and the rest."""
    states = ("right", "wrong", "ended", "failed", "too slow")
    yield f"| repository | programs | built | {' | '.join(states)} | flagged |\n|---{'|---:' * (len(states) + 3)}|"
    for group in dict.fromkeys(name.split()[0] for name in results):
        of = [each for name, each in results.items() if name.split()[0] == group]
        counts, flagged = Counter(each["state"] for each in of), sum(bool(each.get("flags")) for each in of)
        built = len(of) - counts["not built"]
        row = (group, len(of), f"{built} ({built / len(of):.0%})", *(counts[each] for each in states), flagged)
        yield f"| {' | '.join(map(str, row))} |"
    yield "\nFlagged, or not right:"
    kinds: Counter[str] = Counter()
    for name, each in results.items():
        line = " ".join(each["why"].split("\n")[0].split())
        if each["state"] == "not built":
            kind = re.sub(
                r"^(?:[\w./]+, )?(?:line \d+: )?(?:error: )?|; did you mean.*|: .* or use toolchain.*", "", line
            )
            kinds[kind[:110]] += 1
        elif flags := each.get("flags") or [line] * (each["state"] != "right"):
            yield from (f"- {name} ({each['state']}): {flag}" for flag in flags)
    yield "\nNot built:" + "".join(f"\n- {count} {kind}" for kind, count in kinds.most_common())


def main() -> None:
    """Run what has not run yet, and print the report."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept, results = FOLDER / "results.json", {}
    before = json.loads(kept.read_text()) if kept.exists() else {}
    for program in programs(Path(sys.argv[1])):
        again = any(part in program.name for part in sys.argv[2:])
        if again or (len(sys.argv) == 2 and program.name not in before):
            before[program.name] = run(program)
            kept.write_text(json.dumps(before, indent=1))
            print(f"{program.name}: {before[program.name]['state']}", flush=True)
        if program.name in before:
            results[program.name] = before[program.name]
    print(*report(results), sep="\n")


if __name__ == "__main__":
    main()
