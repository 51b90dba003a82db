#pragma once
#include <cstdint>

#include "c10/util/Exception.h"

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
using DeviceIndex = int8_t;

const char* DeviceTypeName(DeviceType type);

class Device {
  public:
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    Device(const std::string& text);
    Device(const char* text);
    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool has_index() const { return index_ >= 0; }
    bool is_cuda() const { return type_ == kCUDA; }
    bool is_cpu() const { return type_ == kCPU; }
    std::string str() const;
    void append_to(std::string& out) const;
    friend bool operator==(Device a, Device b) { return a.type_ == b.type_ && a.index_ == b.index_; }
    friend bool operator!=(Device a, Device b) { return !(a == b); }

  private:
    DeviceType type_;
    DeviceIndex index_;
};

void append(std::string& out, DeviceType type);  // here argument-dependent lookup finds it

}  // namespace c10

namespace at {
using namespace c10;
}
