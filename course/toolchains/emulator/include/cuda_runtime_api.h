// The host side of CUDA's runtime, as far as wrappers use it: errors, memory, streams, events, attributes.
#pragma once
#include <cstring>

#include "emulator.h"

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevice = 101,
    cudaErrorNotReady = 600,
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
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin;
    int warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], major, minor, multiProcessorCount,
        l2CacheSize, regsPerBlock, maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor, totalConstMem;
};
struct CUevent_st;
using cudaEvent_t = CUevent_st*;

// A PyTorch built for CUDA brings the real runtime into the process, with or without a GPU, and its symbols
// would be found first: the emulator's have names of their own.
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
cudaError_t allocate(void**, size_t bytes);
cudaError_t release(void*);
cudaError_t set_shared_limit(const void* function, int bytes);
cudaError_t recorded(cudaError_t);  // what cudaGetLastError tells next
}  // namespace emulator

// The tracer is told what values memory has.
extern "C" void emulator_host_wrote(const void* data, int64_t bytes, bool filled);

// A launch that was refused is told by cudaGetLastError alone: it left no work to wait for.
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) {
    return emulator::recorded(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }

template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return emulator::allocate(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int /*flags*/ = 1) {
    return cudaMalloc(pointer, bytes);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes) {
    return cudaMalloc(pointer, bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t) {
    return cudaMalloc(pointer, bytes);
}
inline cudaError_t cudaFree(void* pointer) { return emulator::release(pointer); }
inline cudaError_t cudaFreeHost(void* pointer) { return emulator::release(pointer); }
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return emulator::release(pointer); }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
    emulator::copy_untraced(to, from, bytes);
    emulator_host_wrote(to, static_cast<int64_t>(bytes), false);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr) {
    return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    emulator::fill_untraced(to, value, bytes);
    emulator_host_wrote(to, static_cast<int64_t>(bytes), true);
    return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = nullptr) {
    return cudaMemset(to, value, bytes);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    if (offset + bytes > sizeof symbol) return emulator::recorded(cudaErrorInvalidValue);
    return cudaMemcpy(reinterpret_cast<char*>(&symbol) + offset, from, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
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

// Work is done when a launch returns, so streams and events have nothing to wait for.
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return *stream = nullptr, cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
    return cudaStreamCreate(stream);
}
constexpr unsigned int cudaStreamNonBlocking = 1;
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0) { return cudaSuccess; }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return *event = nullptr, cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
// The emulator tells no times.
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    return *milliseconds = 0.0f, cudaSuccess;
}
