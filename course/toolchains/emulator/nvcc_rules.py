"""What nvcc would refuse and clang accepts, and what nvcc builds and the emulator does not support.

A source is refused only if it is certainly wrong. If this depends on a macro, or a name has a second meaning, the
compiler decides.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from course.text.cuda import CudaText
from course.text.syntax import Function, within
from course.toolchains.emulator.ptx import in_cpp

Refusal = tuple[int, str]  # where, as an offset in the source, and why

_DEVICE_BUILTINS = (
    *("__syncthreads*", "__syncwarp", "__activemask", "__ldg"),
    *(f"__{name}*_sync" for name in ("shfl", "ballot", "any", "all", "match", "reduce")),
    *(f"atomic{name}" for name in ("Add", "Sub", "Min", "Max", "Exch", "CAS", "And", "Or", "Xor", "Inc", "Dec")),
)
_NOT_ON_THE_DEVICE = (
    *("throw", "try", "TORCH_CHECK*"),
    *(
        f"std::{name}"
        for name in ("vector", "string", "cout", "cerr", "map", "unordered_map", "set", "function", "sort")
    ),
    *("std::shared_ptr", "std::unique_ptr", "std::to_string"),
)
# With CUDA 9, functions whose names end with _sync replaced these.
_REMOVED = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all")
_ARITHMETIC = {"unsigned", "signed", "short", "long", "int", "float", "double", "char", "bool", "size_t"}
_ARITHMETIC |= {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
# A feature, what to use in its place, and the names and headers (`<...>`) by which it is recognised.
_NOT_EMULATED = (
    ("inline PTX other than cp.async and special registers", "write it in CUDA C++", "asm", "__asm__"),
    (
        "barrier and pipeline objects",
        "include <cuda_pipeline.h>, use __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior and"
        " __syncthreads()",
        *("<cuda/pipeline>", "<cuda/barrier>", "__pipeline_arrive_on", "cuda::memcpy_async"),
        *("cuda::pipeline*", "cuda::make_pipeline", "cuda::barrier", "cuda::device::*", "nvcuda::experimental::*"),
    ),
    (
        "textures and surfaces",
        "read the tensor through its pointer, or with __ldg",
        *("cudaTextureObject_t", "cudaSurfaceObject_t", "tex[123]D*", "surf[123]D*"),
    ),
    (
        "libcu++ (cuda::...)",
        "use atomicAdd and its siblings, and __threadfence()",
        *("<cuda/*", "cuda::std::*", "cuda::atomic*", "cuda::latch", "cuda::*semaphore*", "cuda::ptx*"),
        "cuda::thread_scope*",
    ),
    (
        "Thrust, and of CUB only the reductions and scans of a block and of a warp",
        "write the loop in the kernel",
        *("<thrust/*", "thrust::*", "<cub/device/*", "cub::Device*", "cub::Block[!RS]*", "cub::Block[RS][!ec]*"),
        *("cub::Warp[!RS]*", "cub::Warp[RS][!ec]*"),
    ),
    ("cuRAND", "make the numbers with torch.rand and pass the tensor", "<curand*", "curand_*"),
    ("fp8", "use __half or __nv_bfloat16", "<cuda_fp8.h>", "__nv_fp8_*"),
    ("cuBLAS", "write the product as a kernel", "cublas[A-Z]*", "CUBLAS_*"),
    (
        "cooperative launches",
        "divide the kernel where blocks wait for each other, and launch its parts one after another",
        "cudaLaunchCooperativeKernel*",
    ),
    ("CUDA graphs", "launch the kernels one after another", "cudaGraph*", "cudaStreamBeginCapture"),
    ("clusters of blocks", "use one block for what belongs together", "__cluster_dims__", "cudaLaunchKernelEx*"),
)


@dataclass(frozen=True)
class _Sides:
    """The functions of a source, except those that depend on a macro, and on which side they run."""

    cuda: CudaText
    found: list[Function]
    macros: set[str]

    @functools.cached_property
    def kernels(self) -> frozenset[Function]:
        return frozenset(f for f in self.found if "__global__" in f.qualifiers)

    @functools.cached_property
    def device(self) -> frozenset[Function]:
        return frozenset(f for f in self.found if "__device__" in f.qualifiers)

    @functools.cached_property
    def both(self) -> frozenset[Function]:
        return frozenset(f for f in self.found if f.qualifiers & {"__host__", "constexpr"})

    @functools.cached_property
    def host(self) -> frozenset[Function]:
        elsewhere = {"__global__", "__device__"}
        return frozenset(f for f in self.found if not f.qualifiers & elsewhere or "__host__" in f.qualifiers)

    def names_of(self, some: frozenset[Function]) -> set[str]:
        """The names that only these functions have."""
        return {f.name for f in some} - {f.name for f in self.found if f not in some} - self.macros

    @functools.cached_property
    def _declared(self) -> dict[Function, set[str]]:
        declared = self.cuda.syntax.declared
        return {f: {each.name for each in (*f.parameters, *within(declared, f))} for f in self.found}

    def declares(self, function: Function, name: str) -> bool:
        """Whether a function, or its template, has a parameter or a variable of this name."""
        return name in self._declared[function] or name in function.qualifiers


def refused_by_nvcc(cuda: CudaText) -> Iterator[Refusal]:
    """What nvcc would refuse in a source: where, and why."""
    macros = {*(name for name, _ in cuda.definitions), "C10_HOST_DEVICE", "C10_DEVICE"}
    macros |= {f.name for f in cuda.functions if f.undecided}
    sides = _Sides(cuda, [f for f in cuda.functions if not (f.undecided or f.qualifiers & macros)], macros)
    for rule in (_wrong_launches, _wrong_calls, _wrong_bodies, _host_variables, _removed):
        for offset, why in rule(sides):
            if cuda.is_certain(offset):
                yield offset, why


def _wrong_launches(sides: _Sides) -> Iterator[Refusal]:
    for kernel in sides.kernels:
        if "void" not in kernel.qualifiers:
            yield kernel.begin, f"the kernel '{kernel.name}' must return void"
    declared = {each.name for each in sides.cuda.syntax.declared if "__global__" in each.words}
    others = {f.name for f in sides.found} - {f.name for f in sides.kernels} - declared - sides.macros
    for launch in sides.cuda.syntax.launches:
        if launch.function in others:
            yield launch.begin, f"'{launch.function}' is launched with <<<...>>> but is not declared __global__"
        function = sides.cuda.syntax.function_at(launch.begin)
        if function in sides.found and function not in sides.host:
            yield (
                launch.angles[0],
                f"'{function.name}' runs on the device and launches a kernel there, which needs separate compilation:"
                " launch kernels from host functions",
            )


def _wrong_calls(sides: _Sides) -> Iterator[Refusal]:
    both = {f.name for f in sides.both}
    kernels, host, device = (sides.names_of(some) for some in (sides.kernels, sides.host, sides.device))
    for function in sides.found:
        for call in within(sides.cuda.syntax.calls, function):
            called, offset = call.function, call.begin
            if sides.declares(function, called):
                continue
            if called in kernels:
                yield (
                    offset,
                    f"the kernel '{called}' is called like a function; launch it: {called}<<<grid, block>>>(...)",
                )
            elif called in host - both and function not in sides.host:
                yield (
                    offset,
                    f"'{function.name}' runs on the device but calls '{called}', which is a host function:"
                    f" declare '{called}' __device__",
                )
            elif function not in sides.host or function in sides.both:
                continue
            elif called in device - both:
                yield (
                    offset,
                    f"'{function.name}' runs on the host but calls '{called}', which is a __device__ function:"
                    f" declare '{called}' __host__ __device__",
                )
            elif called not in host and _is_one_of(called, _DEVICE_BUILTINS):
                yield (
                    offset,
                    f"'{function.name}' runs on the host but calls {called}, which only device functions can call",
                )


def _wrong_bodies(sides: _Sides) -> Iterator[Refusal]:
    for function in sides.found:
        shared = [each for each in within(sides.cuda.syntax.declared, function) if "__shared__" in each.words]
        for each in shared:
            if each.value and each.value.text[0] != "(":  # `__shared__ float ARRAY(s, 32);` uses a macro
                yield (
                    each.statement.begin,
                    "a __shared__ variable cannot have an initial value: let a thread assign it, then call"
                    " __syncthreads()",
                )
        if function in sides.host:
            if function not in sides.both and shared:
                yield (
                    shared[0].statement.begin,
                    f"'{function.name}' runs on the host, where there is no __shared__ memory:"
                    " if it is a kernel, write __global__ void",
                )
            continue
        tensors = {each.name for each in function.parameters if each.type.rpartition("::")[2] == "Tensor"}
        for name in within(sides.cuda.syntax.names, function):
            if name.text in tensors and function.text[name.end - function.body.begin :][:1] in (".", "["):
                yield (
                    name.begin,
                    f"'{function.name}' runs on the device, but '{name.text}' is a tensor, whose members are host"
                    " functions: pass its pointer and its sizes",
                )
            elif _is_one_of(name.text, _NOT_ON_THE_DEVICE):
                yield name.begin, f"'{function.name}' runs on the device, where {name.text} cannot be used"


def _removed(sides: _Sides) -> Iterator[Refusal]:
    for call in sides.cuda.syntax.calls:
        if call.function in _REMOVED and call.function not in sides.macros:
            yield call.begin, f"CUDA has no {call.function} any more: use {call.function}_sync, with its mask first"


def _host_variables(sides: _Sides) -> Iterator[Refusal]:
    """Uses of the host's variables in device functions; of constants, only arrays count."""
    on_host = {}
    for each in sides.cuda.syntax.declared:
        of_the_file = each.role == "variable" and not each.nested and not sides.cuda.syntax.function_at(each.begin)
        words = each.words - _ARITHMETIC - {"static", "inline"}
        constant = words and words <= {"const", "constexpr"}
        if (
            of_the_file
            and sides.cuda.is_certain(each.begin)
            and not each.pointers
            and (not words or (constant and each.sizes))
        ):
            on_host[each.name] = (
                "an array of the host: declare it __constant__, or define it in the function"
                if each.sizes
                else "a variable of the host: pass it to the kernel, or declare it __constant__ or constexpr"
            )
    for function in sides.found:
        if function in sides.host:
            continue
        for name in within(sides.cuda.syntax.names, function):
            if name.text in on_host and not sides.declares(function, name.text):
                yield name.begin, f"'{function.name}' runs on the device, but '{name.text}' is {on_host[name.text]}"


@functools.lru_cache(maxsize=1024)  # the same names in every function
def _is_one_of(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def not_emulated(cuda: CudaText) -> Iterator[Refusal]:
    """What the emulator does not support in a source: where, and what to use instead."""
    for call in (each for each in cuda.syntax.calls if each.name == "atomicAdd" and each.arguments):
        if re.match(r"(?:reinterpret_cast<|\() ?float[24] ?\* ?[>)][^.>]*\Z", call.arguments[0].text):
            yield call.begin, "the emulator has no atomicAdd of float2 and float4: add the elements one by one"
    first: dict[str, int] = {}
    emulated = {each.begin for each in cuda.syntax.calls if in_cpp(each)}
    for text, begin in (*cuda.includes, *((each.text, each.begin) for each in cuda.syntax.names)):
        if begin not in emulated and not cuda.undecided_until(begin):
            first.setdefault(text, begin)
    for name, instead, *patterns in _NOT_EMULATED:
        for text, begin in first.items():
            if any(fnmatchcase(text, pattern) for pattern in patterns):
                yield begin, f'the emulator has no {name}: {instead}, or use toolchain="nvcc" on a GPU'
