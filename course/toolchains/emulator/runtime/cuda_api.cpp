// The C functions of cuda_runtime_api.h that need no memory: errors, and the properties of the device. The
// texts are CUDA's own, for wrappers that print them.
#include "scheduler.h"

namespace emulator {

cudaError_t last_error = cudaSuccess;
cudaError_t recorded(cudaError_t error) { return error == cudaSuccess ? error : last_error = error; }

namespace {

struct ErrorText {
    cudaError_t error;
    const char *name, *description;
};
constexpr ErrorText kErrorTexts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};
ErrorText text_of(cudaError_t error) {
    for (const ErrorText& each : kErrorTexts) {
        if (each.error == error) return each;
    }
    return {error, "cudaErrorUnknown", "unknown error"};
}

}  // namespace

}  // namespace emulator

using emulator::kDefaultSharedBytes, emulator::kMaxSharedBytes, emulator::last_error, emulator::text_of;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error).description; }
cudaError_t cudaGetLastError() {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (device != 0) return last_error = cudaErrorInvalidDevice;
    *properties = {"CUDA emulator",
                   size_t{4} << 30,
                   kDefaultSharedBytes,
                   kMaxSharedBytes,
                   32,
                   1024,
                   {1024, 1024, 64},
                   {2147483647, 65535, 65535},
                   9,
                   0,
                   emulator::kMultiprocessors,
                   50 << 20,
                   65536,
                   2048,
                   size_t{228} << 10,
                   size_t{64} << 10,
                   0};
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return error;
    const std::pair<cudaDeviceAttr, size_t> known[] = {
        {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock},
        {cudaDevAttrMaxSharedMemoryPerBlock, properties.sharedMemPerBlock},
        {cudaDevAttrWarpSize, properties.warpSize},
        {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
        {cudaDevAttrCooperativeLaunch, properties.cooperativeLaunch},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, properties.sharedMemPerBlockOptin},
    };
    for (const auto& [each, number] : known) {
        if (each == attribute) {
            *value = static_cast<int>(number);
            return cudaSuccess;
        }
    }
    return last_error = cudaErrorInvalidValue;
}

}  // extern "C"
