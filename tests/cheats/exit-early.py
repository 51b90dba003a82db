# Ends its process with status 0 before anything is compared.
# question: relu
# hazards: crash
# says: The process that ran the code ended by itself with exit status 0
# stopped by: another process
import os

import torch


class ModelNew(torch.nn.Module):
    def forward(self, A):
        os._exit(0)
