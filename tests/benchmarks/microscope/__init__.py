"""The microscope beside NVIDIA's tools, over every kernel of the course and of the gallery.

On a machine with a GPU, Nsight Compute and compute-sanitizer, `collect` runs each kernel under both and keeps what they
say; anywhere, `table` traces the same calls in the emulator and puts the two side by side:

    python -m tests.benchmarks.microscope collect FOLDER
    python -m tests.benchmarks.microscope table FOLDER
"""
