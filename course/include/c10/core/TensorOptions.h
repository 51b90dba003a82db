#pragma once
#include "c10/core/Device.h"
#include "c10/core/ScalarType.h"

namespace c10 {

// Element type and device of a tensor to be made; float and the CPU where nothing else is said, as in
// PyTorch.
class TensorOptions {
  public:
    TensorOptions() = default;
    TensorOptions(ScalarType type) : dtype_(type) {}
    TensorOptions(caffe2::TypeMeta type) : dtype_(type.toScalarType()) {}
    TensorOptions(Device device) : device_(device) {}
    TensorOptions(DeviceType device) : device_(device) {}

    TensorOptions dtype(ScalarType type) const {
        return with([&](auto& o) { o.dtype_ = type; });
    }
    TensorOptions device(Device device) const {
        return with([&](auto& o) { o.device_ = device; });
    }
    TensorOptions device(DeviceType type, DeviceIndex index) const { return device(Device(type, index)); }
    TensorOptions requires_grad(bool) const { return *this; }

    caffe2::TypeMeta dtype() const { return dtype_; }
    Device device() const { return device_; }

  private:
    template <class Change>
    TensorOptions with(Change change) const {
        TensorOptions changed = *this;
        change(changed);
        return changed;
    }
    ScalarType dtype_ = kFloat;
    Device device_ = kCPU;
};

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }

}  // namespace c10
