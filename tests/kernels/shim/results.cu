// Results of every type.

void give_nothing(torch::Tensor) {}

std::tuple<torch::Tensor, int, double> give_tuple(torch::Tensor x) { return {x, 3, 2.5}; }

std::pair<bool, std::string> give_pair() { return {true, "p"}; }

std::vector<std::vector<double>> give_nested() { return {{1, 2}, {}, {3}}; }

std::vector<torch::Tensor> give_tensors(torch::Tensor x) { return {x, torch::zeros_like(x), x.t()}; }

torch::Tensor give_undefined() { return torch::Tensor(); }

std::optional<torch::Tensor> give_optional(bool x) {
    if (x) return torch::ones({2});
    return std::nullopt;
}
