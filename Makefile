# `make help` lists the targets. Each does the set-up that it needs by itself; nothing is done twice.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help train test build check soak conformance install minimal compat clean setup configure test-build

TANDEM_CACHE ?= $(HOME)/.cache/tandem
CCACHE_DIR ?= $(TANDEM_CACHE)/ccache
# What ccache needs to find hits with a precompiled header.
CCACHE_SLOPPINESS ?= pch_defines,time_macros,include_file_mtime,include_file_ctime
export TANDEM_CACHE CCACHE_DIR CCACHE_SLOPPINESS

BUILD := build/release
TANDEM := $(BUILD)/apps/tandem/tandem
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
CTEST := ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

# The programs that meet most of LibTorch's interface.
COMPAT_TESTS := kernels_test layers_test network_test optimizers_test distribution_test model_test

# PyTorch's own launcher, which `make compat` starts a job with: pip install torch brings it.
TORCHRUN ?= $(or $(shell command -v torchrun),$(TANDEM_CACHE)-peers/torch/bin/torchrun)

SEEDS ?= 11 23

# Ten epochs of the built-in digits: 450 updates, 2 to 4 minutes on two cores.
TRAIN ?= minigooglenet --data digits --devices 'cpu*2' --batch-size 32 --epochs 10 --augment shift=0.1 --output plot.png

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

train: build ## train MiniGoogLeNet on the built-in digits with two devices; writes plot.png
	@$(TANDEM) train $(TRAIN)

test: test-build ## build everything and run the tests, those labelled slow apart
	@$(CTEST) --no-tests=error --label-exclude '^slow$$' --output-log "$(CURDIR)/build/ctest.log"

build: configure ## set up the machine, build the library and the command
	@ninja -C $(BUILD) -j $(JOBS) tandem_cli

check: ## format, includes, build, tests, clang-tidy on changed files
	@tools/check

soak: test ## the tests, and all the slow ones
	@$(CTEST) --label-regex '^slow$$'

conformance: test-build ## cases of real Keras with other seeds: make conformance SEEDS="11 23"
	@tests/conformance/run $(SEEDS)

install: build ## install library and command: make install PREFIX=/usr/local
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

minimal: ## build and test with LibTorch and a compiler alone; with TORCH_ROOT=DIR it needs neither root nor network
	@root="$${TORCH_ROOT:-$$(tools/setup)}" && cmake --preset minimal -DTORCH_ROOT:PATH="$$root"
	@ninja -C build/minimal -j $(JOBS)
	@ctest --test-dir build/minimal --output-on-failure --parallel $(JOBS) --no-tests=error

compat: setup ## build against LibTorch 2.11.0, the oldest that is accepted, run some unit tests, and a job under torchrun
	@[ -x "$(TORCHRUN)" ] || benchmarks/peers/setup torch
	@python3 tools/fetch_libtorch.py tools/libtorch-2.11.lock "$(TANDEM_CACHE)" libtorch-2.11.0
	@cmake --preset compat -DTORCH_ROOT:PATH="$(TANDEM_CACHE)/libtorch-2.11.0/torch"
	@ninja -C build/compat -j $(JOBS) tandem hosts_ddp $(COMPAT_TESTS)
	@ctest --test-dir build/compat --output-on-failure --parallel $(JOBS) --no-tests=error -R '^($(subst $() ,|,$(COMPAT_TESTS)))$$'
	@"$(TORCHRUN)" --no-python --nproc-per-node 2 build/compat/tests/hosts/hosts_ddp >build/compat/torchrun.log || \
	  { cat build/compat/torchrun.log; exit 1; }
	@grep -qx 'ddp: ok' build/compat/torchrun.log

clean: ## remove what was built; LibTorch and the compiler's cache stay
	rm -rf build

setup:
	@tools/setup >/dev/null

# Configured once for each LibTorch; ninja itself notices changes of the CMake files.
configure:
	@root="$$(tools/setup)" && \
	if ! [ -f $(BUILD)/build.ninja ] || ! grep -q "^TORCH_ROOT:[A-Z]*=$$root\$$" $(BUILD)/CMakeCache.txt; then \
	  cmake --preset release -DTORCH_ROOT:PATH="$$root"; \
	fi

test-build: configure
	@tools/arrows --self-test
	@tools/arrows
	@ninja -C $(BUILD) -j $(JOBS)
