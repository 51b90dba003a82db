"""The emulator: builds CUDA C++ with clang, and runs it on the CPU."""
