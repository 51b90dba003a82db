// The host side of CUDA's runtime, as far as wrappers use it: errors, memory, streams, events, attributes.
#pragma once
#include <cstring>
#include <utility>

#include "emulator.h"

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidDevice = 101,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchFailure = 719,
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout
};
constexpr int cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0,
              cudaSharedmemCarveoutMaxShared = 100;
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1 };
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin;
    int warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], major, minor, multiProcessorCount,
        l2CacheSize, regsPerBlock, maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor, totalConstMem;
    int cooperativeLaunch;
};
struct CUevent_st;
using cudaEvent_t = CUevent_st*;

// A PyTorch built for CUDA loads the real runtime into the process, with or without a GPU, and its symbols
// would be found first. So the emulator's functions have other names.
#define EMULATED(name) __asm__("emulator_" #name)
extern "C" {
const char* cudaGetErrorName(cudaError_t) EMULATED(cudaGetErrorName);
const char* cudaGetErrorString(cudaError_t) EMULATED(cudaGetErrorString);
cudaError_t cudaGetLastError() EMULATED(cudaGetLastError);
cudaError_t cudaPeekAtLastError() EMULATED(cudaPeekAtLastError);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int device) EMULATED(cudaGetDeviceProperties);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int device) EMULATED(cudaDeviceGetAttribute);
}
#undef EMULATED
namespace emulator {
// A traced module passes the place of the call in its code.
cudaError_t allocate(void**, size_t bytes, bool for_host = false, const void* code = nullptr);
cudaError_t release(void*, const void* code = nullptr);
cudaError_t host_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t, bool waits,
                      const void* code = nullptr);
cudaError_t host_fill(void* to, cudaStream_t, int value, size_t bytes);
// Work is done when it is asked for. Streams, events, the host and the device as a whole have clocks, which
// say what counts as done before what.
extern const char kHost[], kDevice[];
cudaError_t make_clock(void* handle, bool blocking);
cudaError_t drop_clock(const void* handle);
cudaError_t put_in_order(const void* earlier, const void* later);
cudaError_t set_shared_limit(const void* function, int bytes);
cudaError_t recorded(cudaError_t);  // what cudaGetLastError returns next
}  // namespace emulator

constexpr unsigned int cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned int cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    return emulator::make_clock(stream, flags != cudaStreamNonBlocking);
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return emulator::drop_clock(stream); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int = 0) {
    return emulator::put_in_order(event, stream);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return emulator::put_in_order(stream, emulator::kHost);
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
    return emulator::make_clock(event, false);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return emulator::drop_clock(event); }
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    return emulator::put_in_order(stream, event);
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return emulator::put_in_order(event, emulator::kHost);
}
// Only cudaGetLastError shows a refused launch, which left no work to wait for.
inline cudaError_t cudaDeviceSynchronize() {
    return emulator::put_in_order(emulator::kDevice, emulator::kHost);
}
inline cudaError_t cudaSetDevice(int device) {
    return emulator::recorded(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }

template <class T>
EMULATOR_INLINE cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return emulator::allocate(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
EMULATOR_INLINE cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int /*flags*/ = 1) {
    return emulator::allocate(reinterpret_cast<void**>(pointer), bytes, true);
}
template <class T>
EMULATOR_INLINE cudaError_t cudaMallocHost(T** pointer, size_t bytes) {
    return cudaMallocManaged(pointer, bytes);
}
template <class T>
EMULATOR_INLINE cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t) {
    return cudaMalloc(pointer, bytes);
}
// Rows that begin at multiples of `pitch` bytes: 512, as on today's GPUs.
template <class T>
EMULATOR_INLINE cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(pointer, *pitch * height);
}
EMULATOR_INLINE cudaError_t cudaFree(void* pointer) {
    if (pointer) cudaDeviceSynchronize();
    return emulator::release(pointer);
}
EMULATOR_INLINE cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }
EMULATOR_INLINE cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return emulator::release(pointer); }
EMULATOR_INLINE cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return emulator::host_copy(to, from, bytes, kind, nullptr, true);
}
EMULATOR_INLINE cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                            cudaStream_t stream = nullptr) {
    return emulator::host_copy(to, from, bytes, kind, stream, false);
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return emulator::host_fill(to, nullptr, value, bytes);
}
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr) {
    return emulator::host_fill(to, stream, value, bytes);
}
// `height` rows of `width` bytes, which begin `pitch` bytes apart.
EMULATOR_INLINE cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                              size_t width, size_t height, cudaMemcpyKind kind,
                                              cudaStream_t stream = nullptr) {
    if (width > to_pitch || width > from_pitch) return emulator::recorded(cudaErrorInvalidPitchValue);
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; ++row) {
        error = cudaMemcpyAsync(static_cast<char*>(to) + row * to_pitch,
                                static_cast<const char*>(from) + row * from_pitch, width, kind, stream);
    }
    return error;
}
EMULATOR_INLINE cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                         size_t width, size_t height, cudaMemcpyKind kind) {
    const cudaError_t error = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind);
    if (kind != cudaMemcpyDeviceToDevice) cudaStreamSynchronize(nullptr);
    return error;
}
template <class T>
EMULATOR_INLINE cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    if (offset + bytes > sizeof symbol) return emulator::recorded(cudaErrorInvalidValue);
    return cudaMemcpy(reinterpret_cast<char*>(&symbol) + offset, from, bytes, kind);
}
template <class T>
EMULATOR_INLINE cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    if (offset + bytes > sizeof symbol) return emulator::recorded(cudaErrorInvalidValue);
    return cudaMemcpy(to, reinterpret_cast<const char*>(&symbol) + offset, bytes, kind);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, T& symbol) {
    return *pointer = &symbol, cudaSuccess;
}
template <class Function>
cudaError_t cudaFuncSetAttribute(Function* function, cudaFuncAttribute attribute, int value) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    return emulator::set_shared_limit(reinterpret_cast<const void*>(function), value);
}

// Only hints to the driver.
template <class Function>
cudaError_t cudaFuncSetCacheConfig(Function*, cudaFuncCache) {
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

// How many blocks are resident at a time by the properties above: 2048 threads, 32 blocks and the shared
// memory of a multiprocessor. clang does not give the registers or the __shared__ arrays of a kernel.
template <class Function>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function*, int threads,
                                                          size_t shared_bytes) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (threads < 1 || threads > properties.maxThreadsPerBlock)
        return emulator::recorded(cudaErrorInvalidValue);
    constexpr size_t kReserved = 1024;  // bytes of shared memory for each block
    const size_t by_shared = properties.sharedMemPerMultiprocessor / (shared_bytes + kReserved);
    *blocks = properties.maxThreadsPerMultiProcessor / ((threads + 31) / 32 * 32);
    if (*blocks > 32) *blocks = 32;
    if (static_cast<size_t>(*blocks) > by_shared) *blocks = static_cast<int>(by_shared);
    return error;
}
template <class Function>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* blocks, int* threads, Function* function,
                                               size_t shared_bytes = 0, int most_threads = 0) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    *threads = most_threads > 0 && most_threads < 1024 ? most_threads : 1024;
    const cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, *threads, shared_bytes);
    *blocks *= properties.multiProcessorCount;
    return error;
}

// As `kernel<<<grid, block, shared_bytes, stream>>>(...)`, with the addresses of the arguments.
namespace emulator {
template <class... Parameters, size_t... I>
void launch_with(const Launch& launch, void (*kernel)(Parameters...), void** arguments,
                 std::index_sequence<I...>) {
    launch([=](auto&... values) { kernel(values...); }, *static_cast<Parameters*>(arguments[I])...);
}
template <class... Parameters>
cudaError_t launch_kernel(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                          void** arguments, size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    launch_with(
        Launch(name, reinterpret_cast<const void*>(kernel), Config(grid, block, shared_bytes, stream)),
        kernel, arguments, std::index_sequence_for<Parameters...>());
    return cudaPeekAtLastError();
}
}  // namespace emulator

// The emulator does not measure times.
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    return *milliseconds = 0.0f, cudaSuccess;
}
