# Processes that the script started go on after it has ended.
# answer: 00-candidate
# says: The output is nothing .None.; expected a tensor
import os

import torch

for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass


class ModelNew(torch.nn.Module):
    def forward(self, s, A, B):
        return None
