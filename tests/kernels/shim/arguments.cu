// Arguments of every type, returned as text.

std::string take_bool(bool x) { return c10::str(x); }

std::string take_int(int x) { return c10::str(x); }

std::string take_int8(int8_t x) { return c10::str(static_cast<int>(x)); }

std::string take_uint8(uint8_t x) { return c10::str(static_cast<int>(x)); }

std::string take_int64(int64_t x) { return c10::str(x); }

std::string take_uint64(uint64_t x) { return c10::str(x); }

std::string take_size(size_t x) { return c10::str(x); }

std::string take_float(float x) { return c10::str(x); }

std::string take_double(double x) { return c10::str(x); }

std::string take_string(const std::string& x) { return x + "!"; }

std::string take_tensor(const torch::Tensor& x) { return x.defined() ? "tensor" : "undefined"; }

std::string take_optional_tensor(std::optional<torch::Tensor> x) { return x.has_value() ? "tensor" : "none"; }

std::string take_optional_int(const std::optional<int64_t>& x) { return x ? c10::str(*x) : "none"; }

std::string take_dtype(at::ScalarType x) { return c10::str(x); }

std::string take_ints(std::vector<int64_t> x) { return c10::str(at::IntArrayRef(x)); }

std::string take_shape(at::IntArrayRef x) { return c10::str(x); }

std::string take_tensors(const std::vector<torch::Tensor>& x) { return c10::str(x.size()); }

std::string take_several(torch::Tensor a, int b, double c, bool d, std::string e) {
    return c10::str(a.numel(), " ", b, " ", c, " ", d, " ", e);
}

std::string take_none() { return "nothing"; }
