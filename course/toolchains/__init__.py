"""What builds a student's source: PyTorch's own build, nvcc, or the emulator."""
