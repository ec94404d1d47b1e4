# The front door: make run, make test. CMakePresets.json says how each build is made.

PROGRAM := build/spillway
MAIN_JOB := workloads/experiments/experiment-a.json

.PHONY: help run build test test-debian13 test-packages newcomer test-torch test-asan test-tsan laws nightly mutants fuzz tidy plain bench docs web package install format clean packages

help:
	@echo 'make run        set up, build, simulate the main job: Experiment A; report and trace in out/experiment-a'
	@echo 'make test       set up, build, run all tests'
	@echo 'make build      set up, build $(PROGRAM)'
	@echo 'make test-debian13  make test in a root of Debian 13, made once in build-debian13 (as root, by debootstrap, 5 GB)'
	@echo 'make test-packages  Debian packages of a release (RELEASE=12 or 13), made in a root of it and used in a new one'
	@echo 'make newcomer   the documents from clone to training step, timed on a bare Debian (RELEASE=12 or 13)'
	@echo 'make test-torch  action lists executed by PyTorch 2.6, in the same root (by hand, 1 GB more; LISTS=n random ones)'
	@echo 'make test-asan  the tests under the address and undefined-behaviour sanitizers (SHARE=i/n: some of them)'
	@echo 'make test-tsan  what has threads under the thread sanitizer'
	@echo 'make laws N=10000   that many random experiments held against the laws (FIRST=n: from that one on)'
	@echo 'make nightly    these laws, the tests that have a quick form whole, every property under another seed (SEED=n)'
	@echo 'make mutants    planted faults, one at a time: is each noticed?'
	@echo 'make fuzz       a fuzzer of every reader for ten minutes each (SECONDS=n, READERS="a b")'
	@echo 'make tidy       build the program under clang-tidy'
	@echo 'make plain      compile every file by itself, unoptimised: does each include what it names? (SHARE=i/n)'
	@echo 'make bench      run the benchmarks'
	@echo 'make docs       build the site of docs/ in build-docs/site'
	@echo 'make package    Debian packages of the program, the library and the Python module in out/packages'
	@echo 'make install    install under PREFIX (/usr/local)'
	@echo 'make web        build the page that simulates in the browser, by Emscripten: build-web/playground.html'
	@echo 'make format     format the sources with clang-format'
	@echo 'make clean      remove builds and results'

run: build
	$(PROGRAM) run $(MAIN_JOB) --out out/experiment-a

build: build/build.ninja
	@ninja -C build --quiet spillway

# Chromium opens report.html, and PyTorch executes programs; without them those tests are skipped. The Python module is
# built where there is pybind11; its tests use the others where they are there. The page that simulates in the browser is
# held against the program where there is one. One test more at a time than there are cores: some wait for seconds, for
# what hangs or is locked.
MODULE := python3-dev pybind11-dev
PYTHON := $(MODULE) python3-numpy python3-pandas python3-nbclient python3-ipykernel protobuf-compiler
PIP := python3-venv python3-setuptools python3-wheel
test: build/build.ninja
	@command -v chromium >/dev/null || cmake/setup.sh chromium-headless-shell || \
	echo 'make test: no chromium, so nothing opens report.html' >&2
	@cmake/setup.sh $(PYTHON) $(PIP) || echo 'make test: not all of Python, so its module is not tested whole' >&2
	@cmake/setup.sh python3-torch || echo 'make test: no PyTorch, so no program is executed by spillway.runtime' >&2
	@grep -q '^pybind11_DIR:PATH=/' build/CMakeCache.txt || cmake --preset release
	@[ ! -d build-web ] || $(MAKE) --no-print-directory web
	@ninja -C build
	@ctest --preset release -j "$$(($$(nproc) + 1))"

test-debian13:
	@cmake/debian.sh 13

# Roots of both are made as for test-debian13.
RELEASE := 13
test-packages:
	@tests/install/packages.sh $(RELEASE)

newcomer:
	@tests/install/newcomer.sh $(RELEASE)

# `derive --format csv` prints lists for torch.distributed.pipelining, whose oldest version that reads them is 2.6.
LISTS := 200
test-torch: build
	@cmake/torch.sh $(LISTS)

# SHARE=i/n: every n-th line of what comes in, counted from 0: of test programs under the sanitizers, of objects of the
# plain build. All of them unless it is stated.
SHARE := 0/1
IN_SHARE := awk -v share=$(SHARE) '{ split(share, of, "/") } NR % of[2] == of[1]'

# Those that take longest come first, so that none of twenty shares has two of them.
HEAVY := cli systems laws search input sweep_run report_html evaluate sim cost program report \
	schedule derive sweep_store traces compare
test-asan: build-asan/build.ninja
	@programs=$$({ printf '%s_test\n' $(HEAVY); \
	ninja -C build-asan -t targets all | sed -n 's/^\([a-z_]*_test\): CXX_EXECUTABLE.*/\1/p' | sort; } | \
	awk '!met[$$0]++' | $(IN_SHARE)) && \
	echo "under the sanitizers:" $$programs && ninja -C build-asan $$programs && \
	ctest --preset asan -j "$$(nproc)" -R "^($$(echo $$programs | tr ' ' '|'))\."

# In runs of 500, as many at once as there are cores.
N := 10000
laws: build/build.ninja
	@ninja -C build --quiet laws
	@tests/laws/many.sh $(N) $(FIRST)

# Properties draw from another seed every day, and more; a seed that breaks one is printed by RapidCheck. Tests of which
# make test runs a quick form run whole (tests/support/nightly.h).
SEED := $(shell date +%Y%m%d)
nightly: test laws
	@echo 'RC_PARAMS="seed=$(SEED) max_success=1000"'
	@SPILLWAY_NIGHTLY=1 RC_PARAMS="seed=$(SEED) max_success=1000" ctest --preset release -j "$$(nproc)"

mutants: build-plain/build.ninja
	@tests/mutants/mutants.sh

SECONDS := 600
READERS :=
fuzz: build-fuzz/build.ninja
	@ninja -C build-fuzz $$(ls tests/fuzz/corpus | grep -vx any | sed 's/^/fuzz_/')
	@tests/fuzz/run.sh $(SECONDS) $(READERS)

test-tsan: build-tsan/build.ninja
	@ninja -C build-tsan workload_test input_test draws_test optimize_test evaluate_test sweep_store_test sweep_run_test laws_test
	@ctest --preset tsan -j "$$(nproc)"

tidy: build-tidy/build.ninja
	@ninja -C build-tidy spillway

# Only the compiler runs, since Ninja would first build every library that a test program is linked with.
plain: SHELL := /bin/bash
plain: .SHELLFLAGS := -o pipefail -c
plain: build-plain/build.ninja
	@ninja -C build-plain -t targets all | sed -n 's/^\(.*\.cpp\.o\): CXX_COMPILER.*/\1/p' | $(IN_SHARE) | \
	xargs ninja -C build-plain -t commands -s | sed 's/ -MD -MT .* -c / -fsyntax-only /' | \
	(cd build-plain && xargs -d '\n' -P "$$(nproc)" -I{} sh -c '{}')

bench: build/build.ninja
	@ninja -C build bench

# Its page that simulates in the browser takes Emscripten, which is 0.8 GB on disk: it is there where that is.
docs: build
	@cmake/setup.sh mkdocs mkdocs-material
	@if command -v emcmake >/dev/null; then $(MAKE) --no-print-directory web; \
	else echo 'make docs: no Emscripten, so without the page that simulates in the browser (make web installs it)' >&2; fi
	@python3 docs/site.py $(PROGRAM) build-docs/pages
	@mkdocs build --strict --quiet
	@echo 'open build-docs/site/index.html; its search needs a server: python3 -m http.server --directory build-docs/site'

# Each with what it depends on, found by dpkg-shlibdeps, which CPack runs on what `file` calls a program.
package: build/build.ninja
	@cmake/setup.sh dpkg-dev file $(MODULE)
	@grep -q '^pybind11_DIR:PATH=/' build/CMakeCache.txt || cmake --preset release
	@ninja -C build --quiet spillway spillway_library spillway_python
	@cd build && cpack -B ../out/packages && rm -r ../out/packages/_CPack_Packages

PREFIX := /usr/local
install: build
	@ninja -C build --quiet spillway_library $$(grep -qs '^pybind11_DIR:PATH=/' build/CMakeCache.txt && echo spillway_python)
	@cmake --install build --prefix $(PREFIX)

# Emscripten's own scripts need the modules that Debian packages for them.
web: export NODE_PATH := /usr/share/nodejs
web: build
	@cmake/setup.sh emscripten $(PAGE)
	@emcmake cmake -S docs/web -B build-web -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null 2>&1
	@ninja -C build-web --quiet
	@python3 docs/web/bundle.py $(PROGRAM) build-web/core.js build-web/playground.html
	@echo 'open build-web/playground.html'

# Ninja asks CMake to configure again whenever a CMakeLists.txt has changed.
build/build.ninja: CMakePresets.json | packages
	@cmake --preset release

build-asan/build.ninja: CMakePresets.json | packages
	@cmake --preset asan

build-tsan/build.ninja: CMakePresets.json | packages
	@cmake --preset tsan

build-fuzz/build.ninja: CMakePresets.json | packages
	@cmake/setup.sh clang-16 libclang-rt-16-dev
	@cmake --preset fuzz

build-tidy/build.ninja: CMakePresets.json | packages
	@cmake/setup.sh clang-tidy
	@cmake --preset tidy

build-plain/build.ninja: CMakePresets.json | packages
	@cmake --preset plain

# What report.html is bundled of and by; a build without them writes none.
PAGE := esbuild node-d3-axis node-d3-interpolate node-d3-scale node-d3-selection node-d3-zoom
packages:
	@cmake/setup.sh $(PAGE) || { cmake/setup.sh && echo 'make: built without these, run --out writes no report.html' >&2; }

format:
	@cmake/setup.sh clang-format
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build build-asan build-tsan build-fuzz build-tidy build-plain build-docs build-web build-python out
