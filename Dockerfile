# The course in JupyterLab for a computer without an NVIDIA GPU, on x86-64 and ARM:
#   docker build -t cuda-kernels-course .
#   docker run --init -p 127.0.0.1:8888:8888 -v cuda-work:/home/learner/work cuda-kernels-course
# The volume cuda-work keeps the notebooks. tests/benchmarks/container.py builds this file where there is no Docker.
FROM debian:bookworm-slim

# Debian replaces a version that it corrects, so a pinned one could soon not be installed.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 --shell /bin/bash learner

USER 1000
WORKDIR /home/learner
ENV PATH=/home/learner/.venv/bin:$PATH PIP_NO_CACHE_DIR=1

# Only PyTorch is from its own index, which has it without CUDA.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN python3 -m venv .venv && pip install --index-url "$TORCH_INDEX" "torch>=2.11"

# `course doctor` builds the emulator's runtime, which the first kernel would have to wait for.
COPY --chown=learner:learner . source/
RUN pip install './source[class]' && mkdir work && rm -rf source && course doctor

EXPOSE 8888
CMD ["course", "lab", "work", "--", "--ip=0.0.0.0", "--no-browser"]
