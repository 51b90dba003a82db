"""The emulator: builds CUDA C++ with g++, and runs it on the CPU."""
