import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer without a bias, a bias of its own, and a loss: the result is one number."""

    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.randn(bias_shape) * 0.5)

    def forward(self, x, targets):
        x = self.gemm(x) + self.bias
        return torch.nn.functional.nll_loss(x, targets)


batch_size = 128
in_features = 8192
out_features = 8192
bias_shape = (out_features,)


def get_inputs():
    return [torch.rand(batch_size, in_features), torch.randint(0, out_features, (batch_size,))]


def get_init_inputs():
    return [in_features, out_features, bias_shape]
