# The script's class does not have the name that the judge asks for.
# answer: 00-candidate
# says: The script does not define ModelNew
import torch


class Model(torch.nn.Module):
    def forward(self, s, A, B):
        return A
