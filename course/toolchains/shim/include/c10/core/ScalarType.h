// Element types, with PyTorch's numbers for them.
#pragma once
#include <cstdint>

#include "c10/util/BFloat16.h"
#include "c10/util/Exception.h"
#include "c10/util/Half.h"

namespace c10 {

// number, C++ type as the C++ ABI names it, name
#define COURSE_FORALL_SCALAR_TYPES(_) \
    _(0, unsigned char, Byte)         \
    _(1, signed char, Char)           \
    _(2, short int, Short)            \
    _(3, int, Int)                    \
    _(4, long int, Long)              \
    _(5, ::c10::Half, Half)           \
    _(6, float, Float)                \
    _(7, double, Double)              \
    _(11, bool, Bool)                 \
    _(15, ::c10::BFloat16, BFloat16)

enum class ScalarType : int8_t {
#define COURSE_ENUM(number, type, name) name = number,
    COURSE_FORALL_SCALAR_TYPES(COURSE_ENUM)
#undef COURSE_ENUM
        Undefined = 127,
};

const char* toString(ScalarType type);
void append(std::string& out, ScalarType type);  // here argument-dependent lookup finds it
size_t elementSize(ScalarType type);             // bytes
bool isFloatingType(ScalarType type);

template <class T>
struct CppTypeToScalarType {
    static_assert(
        !sizeof(T*),
        "no tensor has elements of this type, and PyTorch no data_ptr for it: at::Half stands for __half, "
        "int64_t for long long");
};
template <ScalarType>
struct CppType;
#define COURSE_MAP(number, cpp_type, name)                    \
    template <>                                               \
    struct CppTypeToScalarType<cpp_type> {                    \
        static constexpr ScalarType value = ScalarType::name; \
    };                                                        \
    template <>                                               \
    struct CppType<ScalarType::name> {                        \
        using type = cpp_type;                                \
    };                                                        \
    constexpr ScalarType k##name = ScalarType::name;
COURSE_FORALL_SCALAR_TYPES(COURSE_MAP)
#undef COURSE_MAP

constexpr ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong;
constexpr ScalarType kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble;

// A float, an integer or a bool, whichever a Python number is.
class Scalar {
  public:
    Scalar() : Scalar(0) {}
    template <class T, std::enable_if_t<std::is_convertible_v<T, float>, int> = 0>
    Scalar(T value)
        : integer_(std::is_integral_v<T> ? static_cast<int64_t>(value) : 0),
          double_(static_cast<double>(value)),
          type_(std::is_same_v<T, bool> ? kBool
                : std::is_integral_v<T> ? kLong
                                        : kDouble) {}
    template <class T>
    T to() const {
        return type_ == kDouble ? static_cast<T>(double_) : static_cast<T>(integer_);
    }
    double toDouble() const { return to<double>(); }
    float toFloat() const { return to<float>(); }
    int64_t toLong() const { return to<int64_t>(); }
    int toInt() const { return to<int>(); }
    bool toBool() const { return to<bool>(); }
    bool isFloatingPoint() const { return type_ == kDouble; }
    bool isIntegral(bool include_bool = false) const {
        return type_ == kLong || (include_bool && isBoolean());
    }
    bool isBoolean() const { return type_ == kBool; }
    ScalarType type() const { return type_; }

  private:
    int64_t integer_ = 0;
    double double_;
    ScalarType type_;
};

}  // namespace c10

namespace caffe2 {

// The result of Tensor::dtype(). It is printed as C++ names the type, and compared as a ScalarType.
class TypeMeta {
  public:
    TypeMeta(c10::ScalarType type) : type_(type) {}
    c10::ScalarType toScalarType() const { return type_; }
    operator c10::ScalarType() const { return type_; }
    size_t itemsize() const { return c10::elementSize(type_); }
    const char* name() const;
    void append_to(std::string& out) const;

  private:
    c10::ScalarType type_;
};

}  // namespace caffe2

namespace at {
using namespace c10;
using caffe2::TypeMeta;
}  // namespace at
