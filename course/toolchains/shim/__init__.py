"""The shim for PyTorch's headers, which the nvcc and the emulator toolchains share."""
