# A loop of forward never ends.
# answer: 00-candidate
# says: Nothing came back within .* a loop that never ends
import torch


class ModelNew(torch.nn.Module):
    def forward(self, s, A, B):
        rows = 0
        while rows < A.numel():
            rows = rows * 2
        return A
