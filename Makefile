# LiteMRC: thin rules; the logic lives in the scripts they name. Nothing up to date is done again.

PYTHON ?= python3
VENV   := .venv/bin
# What all clones share (scripts/setup/kept.py). Every compiler runs through ccache, whose keys have no path of this clone.
export PATH := $(CURDIR)/$(VENV):/usr/lib/ccache:$(PATH)
CACHE := $(shell $(PYTHON) -m scripts.setup.kept --folder 2>/dev/null)
export CCACHE_DIR := $(CACHE)/ccache
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

# Python keeps what it has compiled: without, to collect the tests takes 27 s in place of 10.
unexport PYTHONDONTWRITEBYTECODE

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

SOC      := build/sim$(OTHER)
SIM      := $(SOC)/gateware/obj_dir/Vsim
FIRMWARE := build/firmware$(OTHER)/firmware.bin

# $(call files,PATTERNS): without pages, and the folders that Python makes beside its sources.
files = $(filter-out %/__pycache__ %.md,$(wildcard $(1)))
GATEWARE_SOURCES := $(call files,litex-soc/*.py litex-soc/simulation/* $(shell find litex-soc/litemrc_gateware -name "*.py") litex-soc/sim_modules/*/* litex-soc/ddr3_model/*.hpp litex-soc/ddr3_model/*/*.hpp) \
	firmware/include/litemrc_regs.h
NATIVE_SOURCES   := $(wildcard host/litemrc/native/*/*.?pp host/litemrc/native/*/*.in host/litemrc/native/*.cmake \
	host/litemrc/native/CMakeLists.txt host/litemrc_studies/*/native/*.?pp host/litemrc_studies/*/native/*/*.?pp \
	host/litemrc_studies/shared/native/CMakeLists.txt \
	hls/common/*.hpp hls/small_int/*.h hls/*_stack/*_stack.?pp hls/bucket_stack/loop_front.hpp)
FIRMWARE_SOURCES := $(call files,firmware/include/* firmware/link/* firmware/baremetal/* firmware/baremetal/*/*) host/litemrc_studies/zhou2004/scenarios/baremetal_pair.toml \
	host/litemrc_studies/reference_counters/scenarios/baremetal_replicate.toml host/litemrc_studies/reference_counters/machine/costs.toml host/litemrc_studies/reference_counters/machine/replicate_scenario.py

LINUX_SOC := build/sim-linux
LINUX_SIM := $(LINUX_SOC)/gateware/obj_dir/Vsim
SHIM      := build/boot/shim.bin

# Of Linux on RANKS ranks of DDR3, each number but four with folders of its own; in no test that CI runs.
RANKS ?= 4
LINUX_RANKS      = ranks$(filter-out 4,$(RANKS))
LINUX_RANKS_SIM  = build/sim-linux-$(LINUX_RANKS)/gateware/obj_dir/Vsim
LINUX_RANKS_SHIM = build/boot-$(LINUX_RANKS)/shim.bin

RANKS_SIM      := build/sim-ranks/gateware/obj_dir/Vsim
RANKS_FIRMWARE := build/firmware-ranks/firmware.bin

# SoCs without a processor, behind bridges of LiteX.
BRIDGE_SIMS      := $(patsubst %,build/sim-%/gateware/obj_dir/Vsim,bridge bridge-ranks etherbone)
BRIDGE_SIM       := $(firstword $(BRIDGE_SIMS))

REFS_SIM      := build/sim-refs/gateware/obj_dir/Vsim
REFS_FIRMWARE := build/firmware-refs/firmware.bin

# Of two harts; in no target above, as its processor's package is on no index (docs/smp.md).
SMP_SIM      := build/sim-smp/gateware/obj_dir/Vsim
SMP_FIRMWARE := build/firmware-smp/firmware.bin

# Of Linux; firmware/linux/Makefile knows what it is made of.
LINUX := $(MAKE) --no-print-directory -f firmware/linux/Makefile

LINUX_BOARDS := ulx3s-linux orangecrab-linux versa_ecp5-linux arty-linux

# What the tests need, and what slow ones need beside that.
TEST_READY     = $(HOST) build/ap_types $(SIM_TOOLS) $(TEST_TOOLS) .venv/boards.stamp $(SIM) $(FIRMWARE) $(BRIDGE_SIM) linux-ready models
TEST_ALL_READY = test-ready $(RANKS_SIM) $(RANKS_FIRMWARE) $(BRIDGE_SIMS) $(REFS_SIM) $(REFS_FIRMWARE)

.PHONY: help setup docs man lint check test test-all test-affected exports ready ready-all hls formal test-targets stress-test mutants test-ready test-all-ready test-boards demo ranks-demo sim sim-linux sim-linux-ranks sim-ranks sim-refs sim-bridge sim-smp firmware shim registers csim clean \
	qemu-guest qemu-guests linux linux-demo linux-ranks linux-ranks-demo linux-trays-demo linux-ranks-ready linux-govern linux-ready linux-images linux-numa linux-perf linux-debug linux-damon linux-damon-ready damon-truth damon-rtl \
	models renode renode-linux renode-ulx3s renode-ulx3s-ready renode-there renode-bench bench-models bench-qemu \
	ulx3s versa_ecp5 orangecrab arty $(LINUX_BOARDS) bundle boards-synthesis boards-bitstreams boards-seeds pnr pnr-units pnr-ci engine-results \
	bench bench-long bench-cluster bench-linux bench-linux-tail bench-linux-ranks bench-linux-tracker bench-linux-tracker-cost bench-linux-accessed bench-ranks bench-replacement bench-allocation bench-multiprogram bench-energy \
	bench-govern bench-replication bench-numa bench-placement bench-history bench-live bench-serve bench-serve-history bench-serve-page stress-placement \
	results results-demo results-glass1997 glass1997-traces results-zhou2004 results-reference-counters results-jantz2013 results-panwar2015
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# A target installs what it needs and no more. HOST: the host package and its native core; Debian packages: scripts/setup/apt.
HOST       := .venv/installed.stamp build/native.stamp
SIM_TOOLS  := build/packages/sim.stamp .venv/soc.stamp
TEST_TOOLS := build/packages/test.stamp .venv/test.stamp

help:   ## this list; installs nothing
	@awk -F ' *## *' '/^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z][a-z0-9_ -]*:.*## / { \
		split($$1, target, ":"); printf "  %-28s %s\n", target[1], $$2 }' $(firstword $(MAKEFILE_LIST))

##@ Try it (times on 2 cores: from a fresh clone; built)

setup: $(HOST)   ## the host package in .venv: litemrc mrc, trace, simulate, collect ...

demo: $(HOST) $(SIM) $(FIRMWARE)   ## boot the SoC's RTL, collect each program's curve, verify it, write a report (3 min, 1 min)
	litemrc demo soc --sim $(SOC) --firmware $(FIRMWARE) --out build/demo$(OTHER)

ranks-demo: sim-ranks   ## four ranks of DDR3, idle ones asleep: timeline, energy, checks
	litemrc demo ranks --sim build/sim-ranks --firmware $(RANKS_FIRMWARE) --out build/ranks-demo

linux-demo: linux-ready   ## Linux in the RTL runs programs concurrently: verify every counter, write a report (boots once, 3 min; 9 min)
	litemrc demo linux --sim $(LINUX_SOC) --shim $(SHIM) --images build/linux --out build/linux-demo $(if $(COLD),--cold)

linux: linux-ready   ## Linux in the RTL, with its console on this terminal; Ctrl-C or poweroff -f ends it (boots once, 3 min; then 2 s)
	@litemrc linux --sim $(LINUX_SOC) --shim $(SHIM) build/linux $(if $(COLD),--cold)

linux-ranks: linux-ranks-ready   ## the same on four ranks of DDR3, which can sleep (boots once, 7 min)
	@litemrc linux --sim build/sim-linux-$(LINUX_RANKS) --shim $(LINUX_RANKS_SHIM) build/linux-$(LINUX_RANKS) --out build/run-linux-$(LINUX_RANKS) $(if $(COLD),--cold)

linux-ranks-demo:   ## Linux empties ranks that its working set does not need: verify energy and counters (276 M cycles to boot once, then about 2 x 1,000 M)
linux-trays-demo:   ## two programs with hot and cold pages, interleaved over eight ranks and colored: the same (320 M cycles to boot once, then about 2 x 600 M)
linux-trays-demo: RANKS := 8
linux-ranks-demo linux-trays-demo:
	+@$(MAKE) --no-print-directory linux-ranks-ready NUMA=1 RANKS=$(RANKS)
	litemrc demo $(@:-demo=) --sim build/sim-linux-$(LINUX_RANKS) --shim $(LINUX_RANKS_SHIM) --images build/linux-$(LINUX_RANKS) --out build/$@ $(if $(COLD),--cold)

linux-govern: linux-ready   ## two programs under Linux in the RTL, their memory governed by curves, beside global reclaim (1 h)
	litemrc demo linux-govern --sim $(LINUX_SOC) --shim $(SHIM) --images build/linux --out build/linux-govern

qemu-guest: $(HOST) build/packages/guests.stamp $(if $(filter riscv32,$(GUEST)),linux-images)   ## curves of redis and sqlite on x86-64 Linux in QEMU (3 min; GUEST=arm64, riscv64, riscv32; LOAD=redis): docs/qemu.md
	python -m scripts.guests.guest_curve $(or $(GUEST),amd64) $(if $(LOAD),--load $(LOAD))

# Checked before anything is built.
renode: renode-there models $(FIRMWARE)   ## the SoC in Renode, fast and without RTL; prints the URL of its link (3 min)
	@python -m scripts.start_renode

renode-linux: renode-there models linux-ready   ## the same with Linux
	@python -m scripts.start_renode --linux

renode-ulx3s: renode-there models renode-ulx3s-ready   ## the ULX3S's SoC: its BIOS boots Linux from the image of `litemrc sdcard`
	@python -m scripts.start_renode --board ulx3s

renode-ulx3s-ready: BOARD_OUT = build/renode-ulx3s
renode-ulx3s-ready: $(HOST) $(SIM_TOOLS) .venv/boards.stamp linux-images   ## the BIOS and the card of `make renode-ulx3s`, without synthesis (1 min): build/renode-ulx3s
	@mkdir -p $(BOARD_OUT)
	@python litex-soc/board.py ulx3s --boot linux --no-compile --output $(BOARD_OUT) --log $(BOARD_OUT)/build.log
	@$(BOOT_FILES)
	@litemrc sdcard --board ulx3s --from $(BOARD_OUT)/boot --out $(BOARD_OUT)/sd.img

renode-there:
	@$(PYTHON) -m scripts.start_renode --check

##@ Check a change

lint: .venv/test.stamp   ## style, types and import contracts of Python (1 min)
	ruff format --check . && ruff check .
	mypy
	lint-imports

check: lint $(HOST) .venv/soc.stamp   ## lint, and the unit tests that need no simulator, no kernel and no cross-compiler (under 3 min)
	pytest -q --numprocesses 2 --dist loadfile -m "not cosim and not soc and not packaging" --ignore-glob="*mutants*" $(CHECKED) $(PYTEST_ARGS)

# Folders whose tests take seconds each; machines, commands and devices take minutes and are left to `make test`.
CHECKED := tests/host/curves tests/host/epochs tests/host/energy tests/host/golden tests/host/policies tests/host/ranks \
	tests/host/checks tests/host/traces tests/host/native tests/host/plots tests/host/reports

# With -j2: two things at once; pip is kept to one.
test-ready: $(TEST_READY)   ## everything that `make test` needs (6 to 9 min)

test-all-ready: $(TEST_ALL_READY)   ## and what slow tests need (3 min more)

# Three processes keep two cores busy: tests wait for guests, devices and browsers. Files run in the order of their names:
# reordered by their number of tests, the longest would come last.
PYTEST := pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder --instafail

ready ready-all:
	+@$(MAKE) --no-print-directory -j$(shell nproc) test$(@:ready%=%)-ready
	+@$(MAKE) --no-print-directory exports

test: ready   ## what a change must pass; the slow tests are left out (20 to 25 min from a fresh clone without the cache; 8 to 11 min with everything built)
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-all: ready-all   ## everything that can be checked without a board (40 min with everything built)
	$(PYTEST) $(PYTEST_ARGS)

test-affected: test-all-ready   ## the slow tests of the folders that a change concerns: since BASE=COMMIT, or in the last 24 hours
	@python -m tests.affected $(if $(BASE),--base $(BASE)) >build/affected.txt
	@echo "slow tests of these folders, each with a file that it depends on:"; cat build/affected.txt
	@# 5: there is no slow test in them
	@[ ! -s build/affected.txt ] || $(PYTEST) -m slow $$(cut -d: -f1 build/affected.txt) || [ $$? -eq 5 ]

exports: $(HOST) .venv/soc.stamp .venv/boards.stamp
	@python -m litemrc_gateware.export --check >build/export.log 2>&1 || { tail -1 build/export.log; exit 1; }
	@python litex-soc/renode_export.py --check >build/export.log 2>&1 || { tail -1 build/export.log; exit 1; }

stress-test: $(HOST) $(SIM_TOOLS) $(TEST_TOOLS)   ## repeat tests on a busy machine: SELECT="tests/host -k curve" RUNS=20 LOAD=8 LIMIT=60 (minutes)
	python -m tests.stress --runs $(or $(RUNS),20) --load $(or $(LOAD),8) --limit $(or $(LIMIT),60) $(SELECT)

mutants: $(HOST) $(TEST_TOOLS) .venv/mutants.stamp   ## random faults in changed host modules, found by tests? BASE=HEAD~1 SAMPLE=40 (20 min)
	python -m scripts.mutants.run --base $(or $(BASE),HEAD~1) --sample $(or $(SAMPLE),40) $(MUTANTS_ARGS)

stress-placement: $(HOST) $(TEST_TOOLS)   ## 10 million random operations through each page allocator, invariants checked
	LITEMRC_STRESS_OPERATIONS=10000000 pytest -q host/litemrc_studies/panwar2015/tests/test_allocator_invariants.py \
		host/litemrc_studies/jantz2013/tests/test_tray_allocator.py

csim: .venv/installed.stamp   ## the C simulation of hls/, with both headers of ap_int (2 min)
	$(MAKE) --no-print-directory -C hls

docs: $(HOST) .venv/soc.stamp .venv/docs.stamp   ## the documentation site, links checked (10 s): build/docs/site/README.html
	sphinx-build -q -W --keep-going -c docs -d build/docs/doctrees . build/docs/site

man: $(HOST) .venv/docs.stamp   ## a man page for each command: man -l build/man/litemrc-mrc.1
	python -m scripts.docs.man_pages --out build/man

registers: $(HOST) .venv/soc.stamp .venv/boards.stamp   ## export the register map from the gateware
	python -m litemrc_gateware.export
	python litex-soc/renode_export.py

hls: $(HOST) $(SIM_TOOLS) $(TEST_TOOLS) .venv/pnr.stamp   ## units as Bambu makes them of hls/, co-simulated, placed and routed beside those in Migen: hls/README.md
	python -m scripts.hls.make_units
	pytest -q tests/hls_verilog
	python -m scripts.hls.unit_table

formal: $(HOST) $(TEST_TOOLS) .venv/soc.stamp   ## proofs of the monitor's units, each with seeded faults: docs/formal.md (2 min)
	python -m tests.formal $(PROOFS)

test-targets: $(HOST) $(SIM_TOOLS) .venv/boards.stamp .venv/targets.stamp   ## add_monitor on 43 stock SoCs, their taps simulated: docs/targets.md (3 min)
	python -m scripts.targets.elaborate

##@ Build a part

sim: $(HOST) $(SIM)   ## the Verilated SoC

sim-linux: $(HOST) $(LINUX_SIM)   ## the Verilated SoC that runs Linux

sim-linux-ranks: $(HOST) $(LINUX_RANKS_SIM)   ## the Verilated SoC that runs Linux on four ranks of DDR3, or RANKS=8

sim-ranks: $(HOST) $(RANKS_SIM) $(RANKS_FIRMWARE)   ## the Verilated SoC with four ranks of DDR3, and its firmware

sim-bridge: $(HOST) build/sim-bridge/gateware/obj_dir/Vsim   ## the Verilated SoC without a processor, behind UARTBone

sim-refs: $(HOST) $(REFS_SIM) $(REFS_FIRMWARE)   ## the Verilated SoC with reference counters, and its firmware

sim-smp: $(HOST) $(SMP_SIM) $(SMP_FIRMWARE)   ## the Verilated SoC with two harts, and its firmware (docs/smp.md)

firmware: $(HOST) $(FIRMWARE)   ## the firmware of the SoC without an operating system

shim: $(HOST) $(SHIM)   ## from reset to Linux

linux-images: $(HOST) .venv/linux.stamp build/packages/linux.stamp   ## kernel and initramfs: build/linux/Image, initramfs.cpio
	+@$(LINUX)

linux-ready: linux-images $(SHIM)   ## everything that a boot needs; build/linux/images.json says what goes where
	@python firmware/linux/devicetree/generate.py --csr $(LINUX_SOC)/csr.json --image build/linux/Image \
		--initramfs build/linux/initramfs.cpio --out build/linux

linux-numa: $(HOST) .venv/linux.stamp build/packages/linux.stamp   ## the same for QEMU, each DRAM rank a NUMA node: docs/ranks-linux.md
	+@$(LINUX) numa

linux-damon: $(HOST) .venv/linux.stamp build/packages/linux.stamp   ## a kernel with DAMON, and programs that record it: build/linux-damon
	+@$(LINUX) OUT=build/linux-damon damon

linux-damon-ready: linux-damon $(SHIM)   ## the same for the simulated SoC: litemrc linux --sim build/sim-linux --shim build/boot/shim.bin build/linux-damon
	@python firmware/linux/devicetree/generate.py --csr $(LINUX_SOC)/csr.json --image build/linux-damon/Image-damon \
		--initramfs build/linux-damon/initramfs-damon.cpio --out build/linux-damon

linux-ranks-ready: $(if $(NUMA),linux-numa,linux-images) $(LINUX_RANKS_SIM) $(LINUX_RANKS_SHIM)   ## the same for the SoC with four ranks, or RANKS=8: build/linux-ranks; NUMA=1: each rank is a NUMA node
	@python firmware/linux/devicetree/generate.py --csr build/sim-linux-$(LINUX_RANKS)/csr.json --image build/linux/Image$(if $(NUMA),-numa) \
		--initramfs build/linux/initramfs$(if $(NUMA),-numa).cpio --out build/linux-$(LINUX_RANKS) $(if $(NUMA),--numa)

linux-perf: $(HOST) .venv/linux.stamp build/packages/linux.stamp   ## the kernel with events of perf: LITEMRC_KERNEL=build/linux-perf/kernel-perf pytest tests/linux/driver
	+@$(LINUX) OUT=build/linux-perf perf

linux-debug: $(HOST) .venv/linux.stamp build/packages/linux.stamp   ## the same for QEMU, with the checks of the kernel on
	+@$(LINUX) debug

models: build/packages/base.stamp   ## liblitemrc_model.so, the monitor for functional simulators and QEMU: build/models
	@$(MAKE) --no-print-directory -s -C models

ulx3s versa_ecp5 orangecrab: $(HOST) $(SIM_TOOLS) .venv/boards.stamp .venv/pnr.stamp $(HLS_VERILOG)   ## firmware and bitstream, with open tools: build/BOARD/litemrc.bit (10 min)
	@$(BUILD_BOARD)

arty: $(HOST) $(SIM_TOOLS) .venv/boards.stamp   ## the same with Vivado; without it everything that Vivado needs, and what to type where it is
	@$(BUILD_BOARD)

$(LINUX_BOARDS): %-linux: $(HOST) $(SIM_TOOLS) .venv/boards.stamp .venv/pnr.stamp linux-images   ## bitstream whose BIOS boots Linux, and the files that it boots: build/BOARD-linux (15 min)
	@$(BUILD_BOARD)
	@$(BOOT_FILES)

bundle: $(BOARD)   ## all that loads a board and talks to it, and a zip of it: make bundle BOARD=ulx3s-linux; build/bundles/BOARD
	@$(if $(filter $(BOARD),ulx3s versa_ecp5 orangecrab arty $(LINUX_BOARDS)),,echo "BOARD must be a board's target, such as ulx3s-linux" >&2; exit 2)
	python -m scripts.boards.bundle build/$(BOARD)$(if $(HLS),-hls) --out build/bundles/$(BOARD)$(if $(HLS),-hls)

BOARD_SIM := build/sim-ulx3s/gateware/obj_dir/Vsim
$(BOARD_SIM): $(GATEWARE_SOURCES) $(wildcard litex-soc/boards/*.py litex-soc/sdr_model/*.hpp) | $(HOST) $(SIM_TOOLS) .venv/boards.stamp
	@$(KEPT) build/sim-ulx3s --groups soc boards --from $^ $(LEAVE) -- python litex-soc/sim_board.py --output build/sim-ulx3s

test-boards: BOARD_OUT = build/sim-ulx3s
test-boards: $(BOARD_SIM) $(TEST_TOOLS) linux-images   ## the ULX3S's own SoC, simulated: its BIOS boots Linux from an SD card; build/boards-sim/summary.json
	@$(BOOT_FILES)
	pytest tests/board_sim $(PYTEST_ARGS)

boards-synthesis: $(HOST) $(SIM_TOOLS) .venv/boards.stamp .venv/pnr.stamp   ## synthesis of every board's SoC, no place and route: build/boards/synthesis.json
	python -m scripts.boards.synthesize_boards

boards-bitstreams: ulx3s versa_ecp5 orangecrab   ## the bitstreams without Linux, and their sizes: docs/boards/README.md (15 min)
	python -m scripts.boards.bitstream_table

boards-seeds: $(HOST) $(SIM_TOOLS) .venv/boards.stamp .venv/pnr.stamp   ## the ECP5 boards' SoCs for Linux with each of three seeds: docs/boards/linux.md (1 h)
	python -m scripts.boards.seed_table

pnr: $(HOST) $(SIM_TOOLS) .venv/boards.stamp .venv/pnr.stamp   ## units, and the ULX3S with and without the monitor, placed and routed: docs/engines.md
	python -m scripts.boards.pnr

pnr-units: $(HOST) .venv/soc.stamp .venv/pnr.stamp   ## the units alone: a table, build/pnr/units.json
	python -m scripts.boards.pnr_units

pnr-ci: $(HOST) .venv/soc.stamp .venv/pnr.stamp   ## the units of the default monitor, and group_stack, and their targets
	python -m scripts.boards.pnr_units --main

clean:   ## remove build/
	rm -rf build

##@ Results of docs/

RESULTS := python -m

results: $(HOST)   ## the pages of the five papers, two at a time; no byte changes if nothing changed (10 min)
	@$(MAKE) --no-print-directory -j2 results-zhou2004 results-glass1997 results-reference-counters results-panwar2015 results-jantz2013
	python -m scripts.docs.measured

glass1997-traces: $(HOST) build/packages/programs.stamp   ## capture its programs again: tests/data/traces/glass1997 (40 min; NAMES="ld cc1")
	$(RESULTS) litemrc_studies.glass1997.results.capture $(NAMES)

DEMO_PAGES := python -m scripts.docs.demo_pages litemrc
results-demo: $(HOST) $(SIM) $(FIRMWARE) $(RANKS_SIM) $(RANKS_FIRMWARE) linux-ready $(TEST_TOOLS)   ## what the demos and the page of litemrc serve show, in README and docs (25 min)
	$(DEMO_PAGES) demo soc --sim $(SOC) --firmware $(FIRMWARE) --out build/demo
	$(DEMO_PAGES) demo ranks --sim build/sim-ranks --firmware $(RANKS_FIRMWARE) --out build/ranks-demo
	$(DEMO_PAGES) demo linux --sim $(LINUX_SOC) --shim $(SHIM) --images build/linux --out build/linux-demo
	python -m scripts.docs.serve_picture

results-glass1997: $(HOST)   ## tables and figures of host/litemrc_studies/glass1997/page.md
	$(RESULTS) litemrc_studies.glass1997.results.alone
	$(RESULTS) litemrc_studies.glass1997.results.faults
	$(RESULTS) litemrc_studies.glass1997.results.causes
	$(RESULTS) litemrc_studies.glass1997.results.parameters
	$(RESULTS) litemrc_studies.glass1997.results.adaptive
	$(RESULTS) litemrc_studies.glass1997.results.together
	$(RESULTS) litemrc_studies.glass1997.results.further

results-zhou2004: $(HOST)   ## tables and figures of host/litemrc_studies/zhou2004/page.md
	$(RESULTS) litemrc_studies.zhou2004.results.curves
	$(RESULTS) litemrc_studies.zhou2004.results.table1
	$(RESULTS) litemrc_studies.zhou2004.results.allocation
	$(RESULTS) litemrc_studies.zhou2004.results.mm
	$(RESULTS) litemrc_studies.zhou2004.results.variations
	$(RESULTS) litemrc_studies.zhou2004.results.table3
	$(RESULTS) litemrc_studies.zhou2004.results.energy

results-reference-counters: $(HOST)   ## tables and figures of host/litemrc_studies/reference_counters/page.md
	$(RESULTS) litemrc_studies.reference_counters.results.tables

results-jantz2013: $(HOST)   ## tables and figures of host/litemrc_studies/jantz2013/page.md
	$(RESULTS) litemrc_studies.jantz2013.results.trays

results-panwar2015: $(HOST)   ## tables and figures of host/litemrc_studies/panwar2015/page.md
	$(RESULTS) litemrc_studies.panwar2015.results.threads
	$(RESULTS) litemrc_studies.panwar2015.results.placement

hot-cosim: $(HOST) $(SIM_TOOLS) $(TEST_TOOLS)   ## 20 million operations of hot_pages, RTL against C++, in two sizes
	LITEMRC_HOT_OPERATIONS=20000000 pytest -q tests/cosim/test_hot_pages_cosim.py -k random_epochs

hot-results: $(HOST) $(SIM_TOOLS) $(TEST_TOOLS)   ## recall of hot_pages and of other monitors over 36 traces: docs/hot-pages.md (10 min)
	python -m tests.cosim.hot_results

engine-results: $(HOST) $(SIM_TOOLS) $(TEST_TOOLS)   ## accuracy and rate of bucket_stack, and the units' table: docs/engines.md, docs/drops.svg
	python -m tests.cosim.engine_results

qemu-guests: $(HOST) build/packages/guests.stamp linux-images   ## curves and speeds of all guests: docs/qemu.md (20 min)
	python -m scripts.guests.guest_results $(if $(REST),--rest)

##@ Benchmarks

bench: $(HOST) .venv/bench.stamp   ## the trace engines, plain trees and libcachesim: a table, build/bench/trace_engines.json
	python -m bench.trace_engines

bench-long: $(HOST)   ## memory and speed over 10^9 references: build/bench/long_trace.json
	python -m bench.long_trace

bench-cluster: $(HOST)   ## curves by one and two workers, 64 simulated ones: docs/cluster.md, build/bench/cluster.json (15 min)
	python -m bench.cluster.plan --page docs/cluster.md
	python -m bench.cluster.speed_up --page docs/cluster.md

bench-linux: linux-ready .venv/test.stamp   ## cost of tracking processes, on Linux in the RTL: a table, build/bench/linux_overhead.json
	python -m bench.linux_overhead

bench-linux-ranks: linux-numa $(TEST_TOOLS)   ## 10,000 evacuations of ranks under load, every page checked, in qemu (5 min)
	python -m bench.linux_ranks

bench-linux-tail: linux-ready $(TEST_TOOLS)   ## misses predicted beyond memory, on a real kernel in qemu: docs/evicted.md (2 min)
	python -m bench.linux_tail

bench-linux-tracker: linux-ready $(TEST_TOOLS)   ## the tracker without hardware on a real kernel in qemu: docs/os-tracker.md (3 min)
	python -m bench.linux_tracker
	python -m bench.linux_tracker_instructions

damon-truth: linux-damon $(TEST_TOOLS)   ## which hot pages Linux's DAMON finds, beside all accesses and the monitor's units: docs/damon-truth.md (20 min)
	python -m scripts.damon.damon_truth

damon-rtl: linux-damon-ready $(LINUX_SIM)   ## DAMON on the SoC in the RTL, with accessed bits from the page bitmap: docs/damon-truth.md (15 min)
	python -m scripts.damon.damon_rtl

bench-linux-tracker-cost: linux-ready .venv/test.stamp   ## its cycles in the RTL, and its curves beside the monitor's: docs/os-tracker.md (70 min)
	python -m bench.linux_tracker_cost

bench-linux-accessed: linux-ready $(TEST_TOOLS)   ## accessed bits from the page bitmap: refaults and cycles on Linux in the RTL: docs/accessed.md (20 min)
	python -m bench.linux_accessed_instructions
	python -m bench.linux_accessed

bench-replacement: $(HOST)   ## references per second through each replacement policy: a table
	python -m litemrc_studies.glass1997.bench.replacement

bench-allocation: $(HOST)   ## milliseconds to divide a memory among processes: a table, build/bench/allocation.json
	python -m bench.allocation

bench-multiprogram: $(HOST)   ## references per second through the machine of several processes: build/bench/multiprogram.json
	python -m litemrc_studies.zhou2004.bench.multiprogram

bench-energy: $(HOST)   ## references per second through chips that sleep: a table, build/bench/energy.json
	python -m litemrc_studies.zhou2004.bench.energy

bench-live: $(HOST) .venv/test.stamp   ## latency, processor time and output of litemrc live: the table of docs/live.md
	python -m bench.live

bench-history: $(HOST) .venv/test.stamp   ## cost of a history's checksums; queries over 8,000 small files, before and after merging
	python -m bench.history

bench-serve: $(HOST) .venv/test.stamp   ## 100 readers of litemrc serve: processor time, losses, latency; build/bench/serve.json
	python -m bench.serve

bench-serve-page: $(HOST) .venv/test.stamp   ## from an epoch's arrival to its values in the page: a table, build/bench/serve_page.json
	python -m bench.serve_page

bench-serve-history: $(HOST) .venv/test.stamp   ## latency of /metrics and live events while histories are read; build/bench/serve_history.json
	python -m bench.serve_history

bench-placement: $(HOST)   ## ns and list work of allocations and frees: table 5 of host/litemrc_studies/panwar2015/page.md, build/bench/placement.json
	python -m litemrc_studies.panwar2015.bench.placement --page host/litemrc_studies/panwar2015/page.md

bench-numa: $(HOST)   ## references per second through processors that share pages: a table, build/bench/numa.json
	python -m litemrc_studies.reference_counters.bench.numa

bench-govern: $(HOST) $(SIM) $(FIRMWARE)   ## the closed loop in the RTL beside its prediction: host/litemrc_studies/zhou2004/page.md
	$(RESULTS) litemrc_studies.zhou2004.results.loop

bench-ranks: $(HOST) $(SIM_TOOLS) $(TEST_TOOLS)   ## rank power over 10 million accesses at each of 3 rates: docs/results/rank_power.md
	python -m tests.cosim.rank_results

bench-replication: sim-refs   ## pages copied by reference counters, in the RTL beside the prediction: docs/remote_pages.md
	python -m litemrc_studies.reference_counters.results.replication_on_soc

bench-qemu: $(HOST) $(TEST_TOOLS)   ## the plugin for QEMU: speed, traces beside Lackey's, memory, error of samples: docs/qemu.md (10 min)
	python -m bench.qemu.measure

bench-models: models $(HOST)   ## accesses per second through the model: a table, build/bench/models.json
	python -m bench.models

renode-bench: renode-there models $(FIRMWARE)   ## monitored accesses per second, and MIPS without the monitor: a table
	python -m bench.renode_speed

# DEVICE=45F: another FPGA of the board; BOARD_OPTIONS: see litex-soc/board.py --help
BOARD_OUT   = build/$@$(if $(HLS),-hls)
BUILD_BOARD = echo "building for $@ ($(BOARD_OUT)/build.log)"; mkdir -p $(BOARD_OUT); python litex-soc/board.py $(@:-linux=) $(if $(filter %-linux,$@),--boot linux) \
	--output $(BOARD_OUT) --log $(BOARD_OUT)/build.log $(if $(DEVICE),--device $(DEVICE)) \
	$(if $(HLS),--engine $(ENGINE) $(HLS_OPTIONS)) $(BOARD_OPTIONS)

# Kernel, initramfs, device tree and shim of a board, where `litemrc sdcard` and litex_term look for them.
BOOT_FILES = mkdir -p $(BOARD_OUT)/boot $(BOARD_OUT)/shim && cp build/linux/Image build/linux/initramfs.cpio $(BOARD_OUT)/boot && \
	{ $(MAKE) --no-print-directory -f firmware/boot/Makefile PLATFORM=litex CODE=dram SOC=$(CURDIR)/$(BOARD_OUT) \
	OUT=$(CURDIR)/$(BOARD_OUT)/shim >$(BOARD_OUT)/shim/build.log 2>&1 || { tail -40 $(BOARD_OUT)/shim/build.log; exit 1; }; } && \
	cp $(BOARD_OUT)/shim/shim.bin $(BOARD_OUT)/boot && \
	python firmware/linux/devicetree/generate.py --csr $(BOARD_OUT)/csr.json --image $(BOARD_OUT)/boot/Image \
	--initramfs $(BOARD_OUT)/boot/initramfs.cpio --shim $(BOARD_OUT)/boot/shim.bin --out $(BOARD_OUT)/boot

build/bambu/soc/%/origin.txt: $(wildcard hls/*/*.?pp scripts/hls/*.py) | $(HOST)
	@echo "making $* with Bambu ($(@D)/bambu.log)"
	@python -m scripts.hls.make_units $*
	@touch $@

# Groups of pyproject.toml.
PYTHON_GROUPS := soc targets test pnr bench linux boards docs mutants
$(PYTHON_GROUPS:%=.venv/%.stamp): .venv/%.stamp: .venv/installed.stamp
	scripts/setup/install_requirements.sh $*
	@touch $@

$(foreach group,base sim linux test guests programs,build/packages/$(group).stamp): build/packages/%.stamp: scripts/setup/apt/%.txt
	@scripts/setup/install_packages.sh $*
	@mkdir -p $(@D) && touch $@

.venv/installed.stamp: pyproject.toml scripts/setup/constraints.txt | build/packages/base.stamp
	@PYTHON=$(PYTHON) scripts/setup/make_venv.sh
	@touch $@

build/ap_types: | .venv/installed.stamp
	python -m scripts.setup.fetch_ap_types

build/native.stamp: $(NATIVE_SOURCES) .venv/installed.stamp host/pyproject.toml litex-soc/pyproject.toml
	@scripts/setup/build_native.sh
	@touch $@

# Made once for all clones; what only its making needed is left out.
KEPT  := python -m scripts.setup.kept
LEAVE := --leave 'training/*' '*.o' '*.d' '*.gcda' '*/obj_dir/*.cpp' '*/obj_dir/*.h'

# The queue is deep because positions wait while hit_counters copies an epoch: hls/README.md.
$(SIM): SIM_OPTIONS := --engine $(ENGINE) --page-bitmap --hot-pages 64 $(HLS_OPTIONS) $(if $(HLS),--queue-depth 8192)
$(SIM): $(HLS_VERILOG)
$(LINUX_SIM): SIM_OPTIONS := --variant linux --page-bitmap --hot-pages 64
# The rank meter needs the engine that reports the moves of pages.
$(RANKS_SIM): SIM_OPTIONS := --ranks 4 --engine group_stack --groups 256
$(LINUX_RANKS_SIM): SIM_OPTIONS = --variant linux --ranks $(RANKS) --engine group_stack --groups 256
$(REFS_SIM): SIM_OPTIONS := --refs
$(SMP_SIM): SIM_OPTIONS := --variant smp
$(SIM) $(LINUX_SIM) $(LINUX_RANKS_SIM) $(RANKS_SIM) $(REFS_SIM) $(SMP_SIM): build/%/gateware/obj_dir/Vsim: $(GATEWARE_SOURCES) | $(HOST) $(SIM_TOOLS)
	@$(KEPT) build/$* --groups soc --from $^ $(LEAVE) -- python litex-soc/sim.py --output build/$* $(SIM_OPTIONS)

build/sim-bridge/gateware/obj_dir/Vsim: SIM_OPTIONS := --page-bitmap --hot-pages 64
build/sim-bridge-ranks/gateware/obj_dir/Vsim: SIM_OPTIONS := --ranks 4 --engine group_stack --groups 256
build/sim-etherbone/gateware/obj_dir/Vsim: SIM_OPTIONS := --etherbone
$(BRIDGE_SIMS): build/%/gateware/obj_dir/Vsim: $(GATEWARE_SOURCES) | $(HOST) $(SIM_TOOLS) .venv/boards.stamp
	@$(KEPT) build/$* --groups soc boards --from $^ $(LEAVE) -- python litex-soc/sim_bridge.py --output build/$* $(SIM_OPTIONS)

$(SHIM) $(LINUX_RANKS_SHIM): build/boot%/shim.bin: $(wildcard firmware/boot/*.* firmware/boot/litex/*) firmware/boot/Makefile \
	build/sim-linux%/gateware/obj_dir/Vsim
	@echo "building the shim ($(@D)/build.log)"
	@mkdir -p $(@D)
	@$(MAKE) -f firmware/boot/Makefile PLATFORM=litex SOC=$(CURDIR)/build/sim-linux$* OUT=$(CURDIR)/$(@D) \
		>$(@D)/build.log 2>&1 || { tail -40 $(@D)/build.log; exit 1; }

$(SMP_FIRMWARE): FIRMWARE_FOLDER := /smp
$(FIRMWARE) $(RANKS_FIRMWARE) $(REFS_FIRMWARE) $(SMP_FIRMWARE): build/firmware%/firmware.bin: $(FIRMWARE_SOURCES) build/sim%/gateware/obj_dir/Vsim
	@echo "building the firmware ($(@D)/build.log)"
	@mkdir -p $(@D)
	@$(MAKE) -f firmware/baremetal$(FIRMWARE_FOLDER)/Makefile SOC=$(CURDIR)/build/sim$* OUT=$(CURDIR)/$(@D) PYTHON=$(CURDIR)/$(VENV)/python \
		>$(@D)/build.log 2>&1 || { tail -40 $(@D)/build.log; exit 1; }
