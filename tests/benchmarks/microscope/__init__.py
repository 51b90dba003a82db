"""Compares the tracer with NVIDIA's tools, on every kernel of the course and of the gallery.

`collect` needs a GPU, Nsight Compute and compute-sanitizer. It runs each kernel under both tools and keeps their
reports. `table` runs on any machine. It traces the same calls in the emulator and compares the results:

    python -m tests.benchmarks.microscope collect FOLDER
    python -m tests.benchmarks.microscope table FOLDER
"""
