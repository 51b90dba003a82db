#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "c10/util/Exception.h"

namespace c10 {

// A view of someone else's array.
template <class T>
class ArrayRef {
  public:
    ArrayRef() = default;
    ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
    ArrayRef(const T& one) : data_(&one), size_(1) {}
    ArrayRef(const std::initializer_list<T>& values) : data_(values.begin()), size_(values.size()) {}
#ifndef COURSE_WITHOUT_STRINGS
    ArrayRef(const std::vector<T>& values) : data_(values.data()), size_(values.size()) {}
    std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
#endif

    const T* data() const { return data_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    const T& front() const { return data_[0]; }
    const T& back() const { return data_[size_ - 1]; }
    const T& operator[](size_t i) const { return data_[i]; }
    bool equals(ArrayRef other) const {
        if (size_ != other.size_) return false;
        for (size_t i = 0; i < size_; ++i) {
            if (!(data_[i] == other.data_[i])) return false;
        }
        return true;
    }
    friend bool operator==(ArrayRef a, ArrayRef b) { return a.equals(b); }
    friend bool operator!=(ArrayRef a, ArrayRef b) { return !a.equals(b); }
    void append_to(std::string& out) const;

  private:
    const T* data_ = nullptr;
    size_t size_ = 0;
};
using IntArrayRef = ArrayRef<int64_t>;

template <class T>
void ArrayRef<T>::append_to(std::string& out) const {
    course::append(out, '[');
    for (size_t i = 0; i < size_; ++i) {
        if (i > 0) course::append(out, ", ");
        course::append(out, data_[i]);
    }
    course::append(out, ']');
}
extern template void IntArrayRef::append_to(std::string& out) const;

}  // namespace c10

namespace at {
using c10::ArrayRef;
using c10::IntArrayRef;
}  // namespace at
