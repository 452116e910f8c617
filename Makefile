# The project's commands. Each target sets up what it needs; a stamp under build/ tells whether that is up to date.
#
#   make lab     JupyterLab on the tour notebook with the panel open (LAB_ARGS="--no-browser --port 8899" passes through)
#   make test    every test: Python, doctests, TypeScript, notebooks, the wheel, and the panel in a real browser
#   make test-fast   a sample of them in a minute and a half, while working: layers, ir, passes, ops, generators, TypeScript
#   make map     the folders of the package, their files and imports
#   make test-firefox   the panel in Firefox (FIREFOX=firefox-esr names it)
#   make numpy-tests   NumPy's own tests, traced; the counts go to docs/numpy.md
#   make lint    ruff, mypy, eslint, tsc
#   make fuzz    20 000 random programs, traced and eager (FUZZ=100000 for more), and all that the tests take a sample of
#   make bench   the benchmarks, side by side in one run
#   make bench-full   more peers and shapes of work as well: a quarter of an hour
#   make build   the front end and the environment alone
#   make setup   these, and the programs that the tests need
#   make clean   removes all that make made

PYTHON ?= python3
LAB_ARGS ?=
FUZZ ?= 20000
FIREFOX ?= firefox-esr

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SILENT:
MAKEFLAGS += --no-print-directory

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Byte code is kept, whatever the surroundings say: the tests start Python some hundred times.
export PYTHONDONTWRITEBYTECODE :=
export npm_config_fund := false
export npm_config_audit := false
export npm_config_update_notifier := false

ALLOW_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
STAMPS := build/stamps
STEP := tools/step
PYTEST := python -m pytest -q
# A test that fails is run a second time, alone, and named in the summary.
SUITE := python tools/run_tests.py
ON_MACHINE_CODE := tests/footguns tests/unit/ops $(addprefix tests/conformance/,tf_function control_flow fuzz textbook test_input_kinds.py)
LABEXTENSION := .venv/share/jupyter/labextensions/@tracefn/labextension
FRONT_END := $(shell find package.json package-lock.json tsconfig*.json widgets labextension -type f \
    -not -path '*/node_modules/*' -not -path '*/lib/*' -not -path '*/static/*' -not -name '*.py' \
    -not -name '*.tsbuildinfo' -not -path '*/tests/*' 2>/dev/null)

.PHONY: lab map test test-fast lint numpy-tests fuzz soak bench bench-full build built setup clean \
    test-typescript test-python test-native test-browser test-firefox lint-ruff lint-mypy lint-front-end

lab: build
	export JUPYTERLAB_WORKSPACES_DIR=$(CURDIR)/build/workspaces; \
	$(STEP) "Workspace with the panel open" jupyter lab workspaces import --name=tracefn tools/lab.jupyterlab-workspace; \
	exec jupyter lab --LabApp.default_url=/lab/workspaces/tracefn/tree/demo_notebooks/01_tour.ipynb $(ALLOW_ROOT) $(LAB_ARGS)

test: setup
	rm -rf build/reports
	started=$$SECONDS; failed=; \
	for suite in typescript python native browser; do $(MAKE) test-$$suite || failed+=" $$suite"; done; \
	python tools/summary.py build/reports $$((SECONDS - started)) $$failed

test-fast: build
	$(STEP) "TypeScript tests" npx vitest run --reporter=dot
	$(STEP) "Python tests, a sample" $(PYTEST) -n 2 --dist worksteal tests/layering tests/unit/ir tests/unit/passes \
	    tests/unit/ops/test_table.py tests/conformance/fuzz/test_found.py tests/conformance/state/test_found.py

map:
	$(PYTHON) tools/package_map.py

test-typescript: build
	$(STEP) "TypeScript tests" npx vitest run --reporter=default --reporter=junit \
	    --outputFile.junit=build/reports/typescript.xml

test-python: build
	$(STEP) "Python tests, doctests, notebooks, wheel" $(SUITE) build/reports/python.xml -n 2 --dist worksteal \
	    --ignore=tests/browser --durations=5

test-native: build
	$(STEP) "Tests on machine code" env TRACEFN_JIT=now TRACEFN_SAME_PROGRAMS=100 $(SUITE) build/reports/native.xml \
	    -n 2 --dist worksteal $(ON_MACHINE_CODE)

test-browser: build $(STAMPS)/chromium
	rm -rf build/screenshots
	$(STEP) "Browser tests" $(SUITE) build/reports/browser.xml -n 2 --dist worksteal tests/browser --durations=5

# Those that save files wait for downloads, of which Playwright does not tell in Firefox.
IN_FIREFOX := $(addprefix tests/browser/test_,story.py graph.py kernels.py marks.py orientation.py eager.py errors.py timing.py) \
    -k "not session_in_time"

test-firefox: build $(STAMPS)/firefox
	command -v $(FIREFOX) >/dev/null || { echo "$(FIREFOX) was not found (FIREFOX=... names another)." >&2; exit 1; }
	$(STEP) "Browser tests in Firefox" env TRACEFN_FIREFOX=$$(command -v $(FIREFOX)) PYTHONPATH=build/firefox \
	    $(PYTEST) $(IN_FIREFOX)

numpy-tests: build
	failed=; $(STEP) "NumPy's own tests, traced" env PYTHONPATH=kernel_side:tools:tests python -m conformance.numpy_suite \
	    || failed=1; \
	python tools/numpy_page.py; \
	test -z "$$failed"

lint: build
	$(MAKE) --jobs=2 --keep-going --output-sync=target lint-mypy lint-front-end lint-ruff \
	    || { echo "make lint FAILED" >&2; exit 1; }

lint-ruff: build
	$(STEP) "ruff" ruff check
	$(STEP) "ruff format" ruff format --check --quiet

lint-mypy: build
	$(STEP) "mypy" mypy

lint-front-end: build
	$(STEP) "eslint and tsc" npm run --silent lint

fuzz: build
	TRACEFN_FUZZ=$(FUZZ) $(STEP) "$(FUZZ) random programs" $(PYTEST) tests/conformance/fuzz tests/conformance/state tests/conformance/gradients \
	    $(addprefix tests/unit/,codegen ops test_random_programs.py trace/autograph trace/test_out.py)
	TRACEFN_FUZZ=$$(($(FUZZ) / 20)) TRACEFN_JIT=now $(STEP) "Machine code: some of them, the op table, whole programs" \
	    $(PYTEST) $(addprefix tests/,conformance/fuzz/test_aliasing.py conformance/fuzz/test_fuzz.py unit/ops \
	    conformance/test_programs.py conformance/test_input_kinds.py conformance/gradients conformance/textbook)

soak: build
	TRACEFN_SIGNATURES=10000 $(STEP) "10,000 signatures with native code" $(PYTEST) tests/unit/runtime/test_tiers.py -k signatures

bench: build $(STAMPS)/bench $(STAMPS)/chromium
	$(STEP) "Benchmarks" python -m benchmarks

bench-full: build $(STAMPS)/bench $(STAMPS)/bench-full $(STAMPS)/chromium
	$(STEP) "Benchmarks, all peers" python -m benchmarks --full

build:
	$(MAKE) --jobs=2 built

# Steps that wait for the network beside those that compute.
setup:
	$(MAKE) --jobs=2 built $(STAMPS)/chromium $(STAMPS)/graphviz

built: $(STAMPS)/linked .venv/package.json

clean:
	rm -rf .venv build dist node_modules widgets/node_modules labextension/node_modules widgets/lib labextension/lib \
	    widgets/tracefn_widgets/static .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMPS)/python: pyproject.toml
	mkdir -p $(STAMPS)
	command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed (PYTHON=... names it)." >&2; exit 1; }
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or newer is needed, $$($(PYTHON) --version) was found (PYTHON=... names another)." >&2; exit 1; }
	test -x .venv/bin/python || $(STEP) "Python environment" $(PYTHON) -m venv .venv
	rm -rf $(LABEXTENSION)
	$(STEP) "Build backend" python -m pip install -q "hatchling>=1.27" "hatch-jupyter-builder>=0.10" "editables>=0.5"
	SKIP_JUPYTER_BUILDER=1 $(STEP) "tracefn and its dependencies" python -m pip install -q --no-compile --no-build-isolation -e ".[dev]"
	touch $@

# The front end's package.json says that scripts below it are modules; those that come with JupyterLab are not.
.venv/package.json: $(STAMPS)/python
	echo '{ "type": "commonjs" }' >$@

$(STAMPS)/npm: package.json package-lock.json widgets/package.json labextension/package.json
	mkdir -p $(STAMPS)
	command -v node npm >/dev/null || { echo "Node.js 20 or newer with npm is needed." >&2; exit 1; }
	node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' \
	    || { echo "Node.js 20 or newer is needed, $$(node --version) was found." >&2; exit 1; }
	$(STEP) "npm packages" npm ci --silent
	touch $@

# A development build is no build for users: it is made again.
ifneq ($(wildcard build/labextension/build_log.json),)
.PHONY: $(STAMPS)/front-end
endif
$(STAMPS)/front-end: $(STAMPS)/npm $(FRONT_END) | $(STAMPS)/python
	rm -rf build/labextension widgets/tracefn_widgets/static
	$(STEP) "Front end" npm run --silent build
	touch $@

# A link, so that a new build shows at the next reload of the page.
$(STAMPS)/linked: $(STAMPS)/python $(STAMPS)/front-end
	rm -rf $(LABEXTENSION)
	mkdir -p $(dir $(LABEXTENSION))
	ln -s $(CURDIR)/build/labextension $(LABEXTENSION)
	touch $@

$(STAMPS)/bench $(STAMPS)/bench-full: $(STAMPS)/%: $(STAMPS)/python
	$(STEP) "The peers of the benchmarks" python -m pip install -q $$(python -c \
	    'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$*"])')
	touch $@

$(STAMPS)/chromium: $(STAMPS)/python
	$(STEP) "Chromium" python tools/chromium.py
	touch $@

# Playwright 1.65 asks Firefox 153 for features that it lacks.
$(STAMPS)/firefox: $(STAMPS)/python
	$(STEP) "Playwright for Firefox" python -m pip install -q --upgrade --target build/firefox playwright==1.60.0
	touch $@

# Only to_svg() draws with the dot program; where it cannot be installed, the tests check the error instead. Not while
# Chromium is installed: apt does one thing at a time.
$(STAMPS)/graphviz: | $(STAMPS)/chromium
	mkdir -p $(STAMPS)
	if ! command -v dot >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    $(STEP) "Graphviz" sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends graphviz'; fi
	touch $@
