"""CUDA source as text: everything that can be found out about it without a compiler, read once."""
