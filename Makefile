# Everything runs in .venv, which is set up anew only when pyproject.toml changes; what tests need is added for them.
PYTHON ?= python3
TORCH_INDEX ?=
DIST := dist
LAB := $(CURDIR)/lab
VENV := .venv
READY := $(VENV)/.ready
TEST_READY := $(VENV)/.test-ready
BIN := $(abspath $(VENV))/bin
INSTALL = $(BIN)/python -m pip install $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
export PATH := $(BIN):$(PATH)
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
# Validate, too, takes its settings from nbgrader_config.py
BUNDLE := .gitignore course notebooks Makefile README.md environment.yml nbgrader_config.py pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test lint lab release bench bench-builds figures student-bundle clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 24
	@echo
	@echo "  PYTHON=python3.12     another interpreter for .venv (3.11 or later)"
	@echo "  TORCH_INDEX=https://download.pytorch.org/whl/cpu"
	@echo "                        an index beside PyPI; this one has torch without CUDA, which spares 2.5 GB"

solutions:
	@echo "This is the students' copy of the course: make lab is what it has."; exit 1

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "The course needs Python 3.11 or later and $(PYTHON) is not: name one, as in make PYTHON=python3.12 $(MAKECMDGOALS)"; \
	  exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.[class,cuda]'
	@touch $@

$(TEST_READY): $(READY)
	$(INSTALL) -e '.[class,test]'
	@touch $@

demo: solutions $(READY) ## Release, hand in, autograde and give feedback in a course under grading/demo/
	$(BIN)/python -m autograder.demo

test: solutions $(TEST_READY) ## Run the tests
	$(BIN)/python -m pytest -rs --numprocesses=auto --dist=loadfile

lint: solutions $(TEST_READY) ## Check format, style and types
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	git ls-files -z 'course/*.h' 'course/*.cpp' 'course/*.cuh' | xargs -0 $(BIN)/clang-format --dry-run -Werror
	$(BIN)/mypy

lab: $(READY) ## Open JupyterLab on lab/, a copy of notebooks/ that no command overwrites
	@cd notebooks && find . -type f ! -path '*/.*/*' | while read -r file; do \
	  test -e "$(LAB)/$$file" || { mkdir -p "$(LAB)/$${file%/*}" && cp "$$file" "$(LAB)/$$file"; }; done
	$(BIN)/jupyter lab --ServerApp.root_dir="$(LAB)" $(if $(filter 0,$(shell id -u)),--allow-root)

release: solutions $(READY) ## Write notebooks/ anew from solutions/ (REPOSITORY=https://github.com/... for Colab)
	$(BIN)/python -m autograder.classroom $(REPOSITORY)

bench: solutions $(READY) ## Measure the solutions on this GPU; rewrite the README's table, its chart and the records
	$(BIN)/python -m tests.benchmarks.kernels

bench-builds: solutions $(READY) ## Time builds of every kernel with this machine's toolchains; rewrite the README's table
	$(BIN)/python -m tests.benchmarks.builds

figures: solutions $(TEST_READY) ## Take the README's pictures of JupyterLab (needs Chromium)
	CI=true $(BIN)/python -m pytest tests/test_jupyterlab.py
	$(BIN)/python -m tests.benchmarks.figures

student-bundle: solutions ## Pack course/ and notebooks/ for students, from the files that git tracks
	@mkdir -p $(DIST)
	git ls-files -z $(BUNDLE) | tar --null --files-from=- --transform='s,^,cuda-kernels-course/,' \
	  -czf $(DIST)/cuda-kernels-course-$(VERSION).tar.gz

clean: ## Remove .venv, the demo and what was built, but not lab/ nor what a class handed in
	rm -rf $(VENV) $(DIST) build *.egg-info grading/demo .pytest_cache .hypothesis .ruff_cache .mypy_cache
