#pragma once
#include "c10/core/Device.h"
#include "c10/core/ScalarType.h"

namespace c10 {

enum class Layout : int8_t { Strided = 0 };
constexpr Layout kStrided = Layout::Strided;
enum class MemoryFormat : int8_t { Contiguous = 0, Preserve = 1 };

// Element type and device of a tensor to be made. As in PyTorch, the defaults are float and the CPU.
class TensorOptions {
  public:
    TensorOptions() = default;
    TensorOptions(ScalarType type) : dtype_(type), has_dtype_(true) {}
    TensorOptions(caffe2::TypeMeta type) : TensorOptions(type.toScalarType()) {}
    TensorOptions(Device device) : device_(device), has_device_(true) {}
    TensorOptions(DeviceType device) : TensorOptions(Device(device)) {}

    TensorOptions dtype(ScalarType type) const;
    TensorOptions device(Device device) const;
    TensorOptions device(DeviceType type, DeviceIndex index) const { return device(Device(type, index)); }
    TensorOptions layout(Layout) const { return *this; }
    TensorOptions requires_grad(bool) const { return *this; }
    // These options; where they are not set, those of `others`.
    TensorOptions or_else(const TensorOptions& others) const;

    caffe2::TypeMeta dtype() const { return dtype_; }
    Device device() const { return device_; }
    Layout layout() const { return kStrided; }

  private:
    ScalarType dtype_ = kFloat;
    Device device_ = kCPU;
    bool has_dtype_ = false, has_device_ = false;
};

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }

}  // namespace c10
