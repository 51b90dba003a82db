#pragma once
#include <cstdint>
#include <string>

#include "c10/util/Exception.h"

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
using DeviceIndex = int8_t;

inline const char* DeviceTypeName(DeviceType type) { return type == kCUDA ? "cuda" : "cpu"; }

class Device {
  public:
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    Device(const std::string& text) {
        const size_t colon = text.find(':');
        const std::string kind = text.substr(0, colon);
        TORCH_CHECK(kind == "cuda" || kind == "cpu", "Expected a device of kind cuda or cpu, but got '", text,
                    "'");
        type_ = kind == "cuda" ? kCUDA : kCPU;
        index_ =
            colon == std::string::npos ? -1 : static_cast<DeviceIndex>(std::stoi(text.substr(colon + 1)));
    }
    Device(const char* text) : Device(std::string(text)) {}
    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool has_index() const { return index_ >= 0; }
    bool is_cuda() const { return type_ == kCUDA; }
    bool is_cpu() const { return type_ == kCPU; }
    std::string str() const {
        std::string text = DeviceTypeName(type_);
        return has_index() ? text + ":" + std::to_string(index_) : text;
    }
    void append_to(std::string& out) const { out += str(); }
    friend bool operator==(Device a, Device b) { return a.type_ == b.type_ && a.index_ == b.index_; }
    friend bool operator!=(Device a, Device b) { return !(a == b); }

  private:
    DeviceType type_;
    DeviceIndex index_;
};

}  // namespace c10

namespace c10 {  // where argument-dependent lookup finds it
inline void append(std::string& out, DeviceType type) { out += DeviceTypeName(type); }
}  // namespace c10

namespace at {
using namespace c10;
}
