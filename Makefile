# SPDX-License-Identifier: BSD-2-Clause
# LiteMRC: thin rules; the logic lives in the scripts they name. Nothing up to date is done again.

PYTHON ?= python3
VENV   := .venv/bin
# What all clones share (scripts/setup/kept.py). Compilers run through ccache, whose keys have no path of this clone.
export PATH := $(CURDIR)/$(VENV):/usr/lib/ccache:$(PATH)
CACHE := $(shell $(PYTHON) scripts/setup/kept.py --folder 2>/dev/null)
export CCACHE_DIR := $(CACHE)/ccache
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
# Python keeps what it has compiled: without, to collect the tests takes 27 s in place of 10.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo ranks-demo linux linux-demo linux-ranks linux-ranks-demo linux-trays-demo linux-govern \
	qemu-guest renode renode-linux renode-ulx3s renode-ulx3s-ready renode-there lint check test test-all \
	test-affected test-ready test-all-ready test-boards ready ready-all exports stress-test mutants csim formal hls \
	test-targets docs man registers sim sim-linux sim-linux-ranks sim-ranks sim-refs sim-smp sim-bridge firmware \
	shim linux-images linux-ready linux-patches linux-numa linux-debug linux-smp linux-perf linux-damon linux-damon-ready linux-ranks-ready \
	linux-rocket linux-rocket-demo linux-rocket-images linux-rocket-ready sim-linux-rocket \
	linux-smp-demo linux-smp-images linux-smp-ready sim-linux-smp models bundle dist paper results clean FORCE
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# Stack engine of the simulated SoC; each but the default has folders of its own: make demo ENGINE=group_stack
ENGINE ?= bucket_stack
OTHER  := $(if $(filter-out bucket_stack,$(ENGINE)),-$(ENGINE))
# HLS=1: the engine, hit counters and working set that Bambu makes of hls/, in the simulated SoC or on the ULX3S.
ifdef HLS
override ENGINE := group_stack
OTHER       := -hls
HLS_UNITS   := group_stack hit_counters working_set
HLS_VERILOG := $(HLS_UNITS:%=build/bambu/soc/%/origin.txt)
HLS_OPTIONS := $(foreach unit,$(HLS_UNITS),--hls-verilog $(unit)=$(CURDIR)/build/bambu/soc/$(unit))
endif
# Ranks of DDR3 of the SoC that runs Linux; each number but four has folders of its own.
RANKS ?= 4
LINUX_RANKS = ranks$(filter-out 4,$(RANKS))

include scripts/setup/products.mk # what is installed and built: HOST, SIM_TOOLS, SIM, FIRMWARE, SHIM ...

help:   ## this list; installs nothing
	@awk -F ' *## *' '/^##@/ { printf "\n%s\n", substr($$0, 5) } /^[A-Za-z][A-Za-z0-9_ -]*:.*## / { \
		split($$1, target, ":"); printf "  %-24s %s\n", target[1], $$2 }' $(firstword $(MAKEFILE_LIST))

##@ Try it (times on 2 cores: from a fresh clone; built)

setup: $(HOST)   ## the host packages in .venv: litemrc mrc, trace, simulate, collect ...

demo: $(HOST) $(SIM) $(FIRMWARE)   ## boot the SoC's RTL, collect programs' curves, verify, report (3 min, 1 min)
	litemrc demo soc --sim $(SOC) --firmware $(FIRMWARE) --out build/demo$(OTHER)

ranks-demo: sim-ranks   ## four ranks of DDR3, idle ones asleep: timeline, energy, checks
	litemrc demo ranks --sim build/sim-ranks --firmware build/firmware-ranks/firmware.bin --out build/ranks-demo

linux-demo: linux-ready   ## the same of Linux and its programs (boots once, 3 min; then 9 min)
	litemrc demo linux --sim build/sim-linux --shim $(SHIM) --images build/linux --out build/linux-demo \
		$(if $(COLD),--cold)

linux: linux-ready   ## Linux in the RTL, its console on this terminal; Ctrl-C ends it (then 2 s)
	@litemrc linux --sim build/sim-linux --shim $(SHIM) build/linux $(if $(COLD),--cold)

linux-ranks: linux-ranks-ready   ## on four ranks of DDR3, which can sleep; linux-ranks-demo, linux-trays-demo: hours
	@litemrc linux --sim build/sim-linux-$(LINUX_RANKS) --shim $(LINUX_RANKS_SHIM) build/linux-$(LINUX_RANKS) \
		--out build/run-linux-$(LINUX_RANKS) $(if $(COLD),--cold)

linux-trays-demo: RANKS := 8
linux-ranks-demo linux-trays-demo:
	+@$(MAKE) --no-print-directory linux-ranks-ready NUMA=1 RANKS=$(RANKS)
	litemrc demo $(@:-demo=) --sim build/sim-linux-$(LINUX_RANKS) --shim $(LINUX_RANKS_SHIM) \
		--images build/linux-$(LINUX_RANKS) --out build/$@ $(if $(COLD),--cold)

linux-rocket linux-rocket-demo: ROCKET_BUILD := --sim build/sim-linux-rocket --shim $(ROCKET_SHIM)
linux-rocket: linux-rocket-ready   ## the same on 64 bits, by Rocket; linux-rocket-demo
	@litemrc linux $(ROCKET_BUILD) build/linux-rocket --out build/run-linux-rocket $(if $(COLD),--cold)

linux-rocket-demo: linux-rocket-ready
	litemrc demo linux $(ROCKET_BUILD) --images build/linux-rocket --out build/$@ $(if $(COLD),--cold)

linux-smp-demo: linux-smp-ready   ## the same of three programs on two harts (docs/smp.md)
	litemrc demo linux --sim build/sim-linux-smp --shim $(LINUX_SMP_SHIM) --images build/linux-smp --out build/$@ \
		--page-tables $(if $(COLD),--cold)

linux-govern: linux-ready   ## two programs' memory under Linux governed by curves, beside global reclaim (1 h)
	litemrc demo linux-govern --sim build/sim-linux --shim $(SHIM) --images build/linux --out build/linux-govern

qemu-guest: $(HOST) build/packages/guests.stamp   ## curves of redis and sqlite on Linux in QEMU (GUEST=arm64)
qemu-guest: $(if $(filter riscv32,$(GUEST)),linux-images)
qemu-guest:
	python -m scripts.guests.guest_curve $(or $(GUEST),amd64) $(if $(LOAD),--load $(LOAD))

renode: renode-there models $(FIRMWARE)   ## the SoC in Renode, without RTL; also renode-linux, renode-ulx3s (3 min)
renode-linux: renode-there models linux-ready
renode-ulx3s: renode-there models renode-ulx3s-ready
renode renode-linux renode-ulx3s:
	@python -m scripts.start_renode $(if $(@:renode=),$(if $(@:renode-linux=),--board ulx3s,--linux))

renode-there: # checked before anything is built
	@$(PYTHON) -m scripts.start_renode --check

renode-ulx3s-ready: BOARD_OUT = build/renode-ulx3s
renode-ulx3s-ready: $(HOST) $(SIM_TOOLS) .venv/boards.stamp linux-images
	@mkdir -p $(BOARD_OUT)
	@python -m litemrc_soc.boards.ulx3s --linux --output $(BOARD_OUT) --log $(BOARD_OUT)/build.log
	@$(BOOT_FILES)
	@litemrc sdcard --board ulx3s --from $(BOARD_OUT)/boot --out $(BOARD_OUT)/sd.img

##@ Check a change

lint: .venv/test.stamp   ## style, types and import contracts of Python (1 min)
	ruff format --check . && ruff check .
	mypy
	PYTHONPATH=host:litex-soc lint-imports

# Three processes keep two cores busy: tests wait for guests, devices and browsers. Files run in the order of their
# names: reordered by their number of tests, the longest would come last.
PYTEST := pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder --instafail
# Folders whose tests take seconds each.
CHECKED := $(addprefix tests/host/,curves epochs energy golden policies ranks checks traces native plots reports)

check: lint $(HOST) .venv/soc.stamp   ## lint, and unit tests without simulator, kernel and cross-compiler (under 3 min)
	pytest -q -n 2 --dist loadfile -m "not cosim and not soc and not packaging" --ignore-glob="*mutants*" \
		$(CHECKED) $(PYTEST_ARGS)

test: ready   ## what a change must pass; the slow tests are left out (20 min from a fresh clone; 11 min built)
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-all: ready-all   ## everything that can be checked without a board (40 min built)
	$(PYTEST) $(PYTEST_ARGS)

test-affected: test-all-ready   ## slow tests of the folders changed since BASE=COMMIT, or in the last 24 hours
	@python -m tests.affected $(if $(BASE),--base $(BASE)) >build/affected.txt
	@echo "slow tests of these folders, each with a file that it depends on:"; cat build/affected.txt
	@# 5: there is no slow test in them
	@[ ! -s build/affected.txt ] || $(PYTEST) -m slow $$(cut -d: -f1 build/affected.txt) || [ $$? -eq 5 ]

# What the tests need, and what slow ones need beside that.
test-ready: $(HOST) build/ap_types $(SIM_TOOLS) $(TEST_TOOLS) .venv/boards.stamp $(SIM) $(FIRMWARE) \
	$(firstword $(BRIDGE_SIMS)) linux-ready linux-smp models
test-all-ready: test-ready $(RANKS_SOC) $(BRIDGE_SIMS) $(REFS_SOC)

ready ready-all:
	+@$(MAKE) --no-print-directory -j$(shell nproc) test$(@:ready%=%)-ready
	+@$(MAKE) --no-print-directory exports

exports: $(HOST) .venv/soc.stamp .venv/boards.stamp
	@for each in litemrc_gateware.export litemrc_soc.renode_export; do \
		python -m $$each --check >build/export.log 2>&1 || { tail -1 build/export.log; exit 1; }; done

test-boards: BOARD_OUT = build/sim-ulx3s
test-boards: $(BOARD_SIM) $(BANDWIDTH) $(TEST_TOOLS) linux-images   ## the ULX3S's SoC, simulated, boots Linux from an SD card
	@$(BOOT_FILES)
	pytest tests/board_sim $(PYTEST_ARGS)

stress-test: $(HOST) $(SIM_TOOLS) $(TEST_TOOLS)   ## repeat tests on a busy machine: SELECT=tests/host RUNS=20
	python -m tests.stress --runs $(or $(RUNS),20) --load $(or $(LOAD),8) --limit $(or $(LIMIT),60) $(SELECT)

mutants: $(HOST) $(TEST_TOOLS) .venv/mutants.stamp   ## random faults in changed modules, found? BASE=HEAD~1
	python -m scripts.mutants.run --base $(or $(BASE),HEAD~1) --sample $(or $(SAMPLE),40) $(MUTANTS_ARGS)

csim: .venv/installed.stamp   ## the C simulation of hls/, with both headers of ap_int (2 min)
	$(MAKE) --no-print-directory -C hls

formal: $(HOST) $(TEST_TOOLS) .venv/soc.stamp   ## proofs of the monitor's units, with seeded faults (3 min)
	python -m tests.formal $(PROOFS)

hls: $(HOST) $(SIM_TOOLS) $(TEST_TOOLS) .venv/pnr.stamp   ## Bambu's units of hls/, co-simulated and placed
	python -m scripts.hls.make_units
	pytest -q tests/hls_verilog
	python -m scripts.hls.unit_table

test-targets: $(HOST) $(SIM_TOOLS) .venv/boards.stamp .venv/targets.stamp   ## add_monitor on 43 stock SoCs (3 min)
	python -m scripts.targets.elaborate

##@ Build a part

sim: $(HOST) $(SIM)   ## the Verilated SoC; also sim-linux, sim-linux-ranks, sim-ranks, sim-refs, sim-smp, sim-bridge
sim-linux: $(HOST) $(LINUX_SIM)
sim-linux-ranks: $(HOST) $(LINUX_RANKS_SIM)
sim-ranks: $(HOST) $(RANKS_SOC)
sim-refs: $(HOST) $(REFS_SOC)
sim-smp: $(HOST) $(SMP_SOC)
sim-linux-rocket: $(HOST) $(ROCKET_SIM)
sim-linux-smp: $(HOST) $(LINUX_SMP_SIM)
sim-bridge: $(HOST) $(firstword $(BRIDGE_SIMS))

firmware: $(HOST) $(FIRMWARE)   ## the firmware of the SoC without an operating system

shim: $(HOST) $(SHIM)   # from reset to Linux

linux-images: $(HOST) $(LINUX_TOOLS)   ## kernel and initramfs: build/linux; also linux-numa, -debug, -smp, -perf, -damon
	+@$(LINUX)
linux-rocket-images: $(HOST) $(LINUX_TOOLS)
	+@$(LINUX) OUT=build/linux-rocket BITS=64
linux-smp-images: $(HOST) $(LINUX_TOOLS)
	+@$(LINUX) OUT=build/linux-smp smp32
linux-patches:   ## the driver as a series of patches: SOURCE=a kernel's, SERIES=7.2 (docs/driver-upstream.md)
	firmware/linux/patch_series.py $(SOURCE) build/$@ --series $(or $(SERIES),7.2)
linux-numa linux-debug linux-smp: $(HOST) $(LINUX_TOOLS)
	+@$(LINUX) $(@:linux-%=%)
linux-perf linux-damon: $(HOST) $(LINUX_TOOLS)
	+@$(LINUX) OUT=build/$@ $(@:linux-%=%)

linux-ready: linux-images $(SHIM)   ## everything that a boot needs; build/linux/images.json says what goes where
	@$(PLACES) --csr build/sim-linux/csr.json --image build/linux/Image --initramfs build/linux/initramfs.cpio \
		--out build/linux
linux-rocket-ready: linux-rocket-images $(ROCKET_SHIM)
	@$(PLACES) --csr build/sim-linux-rocket/csr.json --image build/linux-rocket/Image \
		--initramfs build/linux-rocket/initramfs.cpio --out build/linux-rocket
linux-smp-ready: linux-smp-images $(LINUX_SMP_SHIM)
	@$(PLACES) --csr build/sim-linux-smp/csr.json --image build/linux-smp/Image-smp32 \
		--initramfs build/linux-smp/initramfs-smp32.cpio --out build/linux-smp
linux-damon-ready: linux-damon $(SHIM)
	@$(PLACES) --csr build/sim-linux/csr.json --image build/linux-damon/Image-damon \
		--initramfs build/linux-damon/initramfs-damon.cpio --out build/linux-damon
linux-ranks-ready: $(if $(NUMA),linux-numa,linux-images) $(LINUX_RANKS_SIM) $(LINUX_RANKS_SHIM)
	@$(PLACES) --csr build/sim-linux-$(LINUX_RANKS)/csr.json --image build/linux/Image$(if $(NUMA),-numa) \
		--initramfs build/linux/initramfs$(if $(NUMA),-numa).cpio --out build/linux-$(LINUX_RANKS) $(if $(NUMA),--numa)

models: build/packages/base.stamp   ## liblitemrc_model.so, the monitor for functional simulators and QEMU: build/models
	@$(MAKE) --no-print-directory -s -C models

registers: $(HOST) .venv/soc.stamp .venv/boards.stamp   ## export the register map from the gateware
	python -m litemrc_gateware.export
	python -m litemrc_soc.renode_export

# DEVICE=45F: another FPGA of the board; BOARD_OPTIONS: python -m litemrc_soc.boards.ulx3s --help
BOARD_OUT   = build/$@$(if $(HLS),-hls)
BUILD_BOARD = echo "building for $@ ($(BOARD_OUT)/build.log)"; mkdir -p $(BOARD_OUT); \
	python -m litemrc_soc.boards.$(@:-linux=) --build $(if $(filter %-linux,$@),--linux) \
	--output $(BOARD_OUT) --log $(BOARD_OUT)/build.log \
	$(if $(DEVICE),--device $(DEVICE)) $(if $(HLS),--engine $(ENGINE) $(HLS_OPTIONS)) $(BOARD_OPTIONS)
# Kernel, initramfs, device tree and shim of a board, where `litemrc sdcard` and litex_term look for them.
BOOT_FILES = scripts/boards/boot_files.sh $(BOARD_OUT)

$(ECP5): $(HLS_VERILOG)
ulx3s versa_ecp5 orangecrab: $(HOST) $(ECP5_TOOLS) FORCE   ## bitstream, with open tools: build/BOARD (10 min)
	@$(BUILD_BOARD)
arty: $(HOST) $(SIM_TOOLS) .venv/boards.stamp FORCE   ## the same with Vivado; BOARD-linux: its BIOS boots Linux
	@$(BUILD_BOARD)
$(BOARDS:%=%-linux): $(HOST) $(ECP5_TOOLS) linux-images FORCE
	@$(BUILD_BOARD)
	@$(BOOT_FILES)

bundle: $(BOARD)   ## all that loads a board and talks to it, zipped: BOARD=ulx3s-linux
	@$(if $(filter $(BOARD),$(BOARDS) $(BOARDS:%=%-linux)),,echo "BOARD must be a target such as ulx3s-linux" >&2; exit 2)
	python -m scripts.boards.bundle build/$(BOARD)$(if $(HLS),-hls) --out build/bundles/$(BOARD)$(if $(HLS),-hls)

dist: $(HOST) .venv/release.stamp   ## sdists and wheels, installed and run in each Python: build/dist; PYTHONS=...
	@$(if $(PYTHONS),PYTHONS="$(PYTHONS)") python -m scripts.release.dist

docs: $(HOST) .venv/soc.stamp .venv/docs.stamp   ## the documentation site, links checked: build/docs/site/README.html
	sphinx-build -q -W --keep-going -c docs -d build/docs/doctrees . build/docs/site

man: $(HOST) .venv/docs.stamp   # a page for each command: man -l build/man/litemrc-mrc.1
	python -m scripts.docs.man_pages --out build/man

paper: $(HOST) .venv/paper.stamp   ## a paper of four pages about LiteMRC, from the result files: build/paper/paper.pdf
	python -m scripts.docs.paper

clean:   ## remove build/
	rm -rf build

##@ Results of docs/ (python -m bench: benchmarks and measurements)

results: $(HOST)   ## the five papers' pages; no byte changes if nothing changed (10 min); results-PAPER: one
	@$(MAKE) --no-print-directory -j2 $(addprefix results-,zhou2004 glass1997 reference-counters panwar2015 jantz2013)
	python -m scripts.docs.measured

# A row of bench/__main__.py says what each needs and runs; python -m bench lists them.
MEASURED := $(sort $(shell awk -F'"' '/^    "[a-z0-9-]+": / { print $$2 }' bench/__main__.py))
$(MEASURED): .venv/installed.stamp FORCE
	+@$(PYTHON) -m bench $@
results-%: $(HOST) FORCE
	python -m litemrc_studies.$(subst -,_,$*).results

FORCE:
