# LiteMRC: thin rules; the logic lives in the scripts they name. Nothing up to date is done again.

PYTHON ?= python3
VENV   := .venv/bin
export PATH := $(CURDIR)/$(VENV):$(PATH)

# Stack engine of the simulated SoC; each but the default has folders of its own: make demo ENGINE=group_stack
ENGINE ?= bucket_stack
OTHER  := $(if $(filter-out bucket_stack,$(ENGINE)),-$(ENGINE))

SOC      := build/sim$(OTHER)
SIM      := $(SOC)/gateware/obj_dir/Vsim
FIRMWARE := build/firmware$(OTHER)/firmware.bin

GATEWARE_SOURCES := $(wildcard litex-soc/*.py litex-soc/simulation/* $(shell find litex-soc/litemrc_gateware -name "*.py") litex-soc/sim_modules/*/* litex-soc/ddr3_model/*)
NATIVE_SOURCES   := $(wildcard host/litemrc/native/*.?pp host/litemrc/native/*/*.?pp host/litemrc/native/*/*.in host/litemrc/native/CMakeLists.txt \
	hls/common/*.hpp hls/*_stack/*_stack.?pp)
FIRMWARE_SOURCES := $(wildcard firmware/include/* firmware/link/* firmware/baremetal/* firmware/baremetal/*/*) scenarios/baremetal_pair.toml \
	scenarios/numa/baremetal_replicate.toml host/litemrc/machines/numa/costs.toml host/litemrc/machines/numa/replicate_scenario.py

LINUX_SOC := build/sim-linux
LINUX_SIM := $(LINUX_SOC)/gateware/obj_dir/Vsim
SHIM      := build/boot/shim.bin

RANKS_SIM      := build/sim-ranks/gateware/obj_dir/Vsim
RANKS_FIRMWARE := build/firmware-ranks/firmware.bin

REFS_SIM      := build/sim-refs/gateware/obj_dir/Vsim
REFS_FIRMWARE := build/firmware-refs/firmware.bin

# Of Linux; firmware/linux/Makefile knows what it is made of.
LINUX := $(MAKE) --no-print-directory -f firmware/linux/Makefile

.PHONY: setup docs lint test stress-test test-ready demo ranks-demo sim sim-linux sim-ranks sim-refs firmware shim registers csim clean \
	linux linux-demo linux-ready linux-images linux-debug \
	renode-model renode renode-linux renode-there renode-bench bench-renode-model \
	ulx3s versa_ecp5 orangecrab arty boards-synthesis pnr pnr-units pnr-ci engine-results \
	bench bench-long bench-linux bench-ranks bench-replacement bench-allocation bench-multiprogram bench-energy \
	bench-govern bench-replication bench-numa bench-placement stress-placement \
	replacement results-zhou2004 results-reference-counters results-jantz2013 results-panwar2015
.DELETE_ON_ERROR:

demo: setup $(SIM) $(FIRMWARE)   ## boot the RTL, collect every workload's curve, check it, write a report
	litemrc demo --sim $(SOC) --firmware $(FIRMWARE) --out build/demo$(OTHER)

# make -j2 test-ready: two things at once; pip is kept to one.
test-ready: setup .venv/boards.stamp $(SIM) $(FIRMWARE) $(RANKS_SIM) $(RANKS_FIRMWARE) $(REFS_SIM) $(REFS_FIRMWARE) \
		linux-ready renode-model   ## all that the tests need

test: test-ready   ## everything that can be checked without a board
	python -m litemrc_gateware.export --check >build/export.log 2>&1 || { tail -1 build/export.log; exit 1; }
	python litex-soc/renode_export.py --check >build/export.log 2>&1 || { tail -1 build/export.log; exit 1; }
	@# In the order of their names: reordered by their number of tests, the longest files would come last.
	pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

stress-test: setup   ## repeat tests on a busy machine: SELECT="tests/host -k curve" RUNS=20 LOAD=8 LIMIT=60 (minutes)
	python tests/stress.py --runs $(or $(RUNS),20) --load $(or $(LOAD),8) --limit $(or $(LIMIT),60) $(SELECT)

lint: setup   ## style, of Python
	ruff format --check . && ruff check .

setup: build/packages.stamp .venv/installed.stamp build/ap_types build/native.stamp

ranks-demo: sim-ranks   ## four ranks of DDR3 that sleep when the working set is elsewhere: timeline, energy, checks
	litemrc ranks-demo --sim build/sim-ranks --firmware $(RANKS_FIRMWARE) --out build/ranks-demo

sim: setup $(SIM)   ## the Verilated SoC

sim-linux: setup $(LINUX_SIM)   ## the Verilated SoC that runs Linux

sim-ranks: setup $(RANKS_SIM) $(RANKS_FIRMWARE)   ## the Verilated SoC with four ranks of DDR3, and its firmware

sim-refs: setup $(REFS_SIM) $(REFS_FIRMWARE)   ## the Verilated SoC with reference counters, and its firmware

firmware: setup $(FIRMWARE)

shim: setup $(SHIM)   ## from reset to Linux

linux: linux-ready   ## boot Linux in the RTL, its console on this terminal; Ctrl-C or poweroff -f ends it
	@litemrc linux --sim $(LINUX_SOC) --shim $(SHIM) build/linux

linux-demo: linux-ready   ## boot Linux in the RTL, run programs side by side, check every counter, write a report
	litemrc linux-demo --sim $(LINUX_SOC) --shim $(SHIM) --images build/linux --out build/linux-demo

linux-ready: linux-images $(SHIM)   ## all that a boot needs; build/linux/images.json says what goes where
	@python firmware/linux/devicetree/generate.py --csr $(LINUX_SOC)/csr.json --image build/linux/Image \
		--initramfs build/linux/initramfs.cpio --out build/linux

linux-images: setup .venv/linux.stamp   ## kernel and initramfs: build/linux/Image, build/linux/initramfs.cpio
	+@$(LINUX)

linux-debug: setup .venv/linux.stamp   ## the same, for qemu, with the checks of the kernel on
	+@$(LINUX) debug

renode-model: setup   ## liblitemrc_model.so, the monitor for functional simulators: build/renode
	@$(MAKE) --no-print-directory -s -C renode/model

# Before anything is built: without Renode it would be for nothing.
renode: renode-there renode-model $(FIRMWARE)   ## the SoC in Renode, fast and without RTL; prints the URL of its link
	@python scripts/start_renode.py

renode-linux: renode-there renode-model linux-ready   ## the same, of Linux
	@python scripts/start_renode.py --linux

renode-there:
	@$(PYTHON) scripts/start_renode.py --check

csim: setup   ## the C simulation testbenches of hls/
	$(MAKE) --no-print-directory -C hls

registers: setup   ## export the register map from the gateware
	python -m litemrc_gateware.export
	python litex-soc/renode_export.py

bench: setup .venv/bench.stamp   ## the trace engines, plain trees and libcachesim: a table, build/bench/trace_engines.json
	python bench/trace_engines.py

bench-long: setup   ## memory and speed over 10^9 references: build/bench/long_trace.json
	python bench/long_trace.py

bench-linux: linux-ready   ## what following processes costs, on Linux in the RTL: a table, build/bench/linux_overhead.json
	PYTHONPATH=tests python bench/linux_overhead.py

bench-replacement: setup   ## references a second through each replacement policy: a table
	python bench/replacement.py

bench-allocation: setup   ## milliseconds to divide a memory among processes: a table, build/bench/allocation.json
	python bench/allocation.py

bench-multiprogram: setup   ## references a second through the machine of several processes: build/bench/multiprogram.json
	python bench/multiprogram.py

bench-energy: setup   ## references a second through chips that sleep: a table, build/bench/energy.json
	python bench/energy.py

bench-placement: setup   ## ns and list work of allocations and frees, mean and worst: tables, build/bench/placement.json
	PYTHONPATH=scripts/results python bench/placement.py

bench-govern: setup $(SIM) $(FIRMWARE)   ## the closed loop in the RTL beside what is predicted: docs/results/zhou2004.md
	python scripts/results/zhou2004_loop.py

bench-replication: sim-refs   ## pages copied as reference counters say, in the RTL beside what is predicted: docs/remote_pages.md
	python scripts/results/replication_on_soc.py

bench-renode-model: renode-model   ## accesses a second through it: a table, build/bench/renode_model.json
	python bench/renode_model.py

renode-bench: renode-there renode-model $(FIRMWARE)   ## monitored accesses a second, and MIPS without the monitor: a table
	PYTHONPATH=scripts python bench/renode_speed.py

replacement: setup   ## the figures and tables of docs/results/replacement.md
	python scripts/results/replacement_results.py

results-zhou2004: setup   ## tables and figures of docs/results/zhou2004.md
	python scripts/results/zhou2004_allocation.py
	python scripts/results/zhou2004_mm.py
	python scripts/results/zhou2004_energy.py

ulx3s versa_ecp5 orangecrab: setup .venv/boards.stamp .venv/pnr.stamp   ## firmware and bitstream, with the open tools: build/BOARD/litemrc.bit
	@$(BUILD_BOARD)

arty: setup .venv/boards.stamp   ## the same with Vivado; without it all that Vivado needs, and what to type where it is
	@$(BUILD_BOARD)

boards-synthesis: setup .venv/boards.stamp .venv/pnr.stamp   ## synthesis of every board's SoC, no place and route: a table, build/boards/synthesis.json
	python scripts/boards/synthesize_boards.py

bench-numa: setup   ## references a second through processors that share pages: a table, build/bench/numa.json
	python bench/numa.py

results-reference-counters: setup   ## tables and figures of docs/results/reference-counters.md
	python scripts/results/reference_counters.py

results-jantz2013: setup   ## tables and figures of docs/results/jantz2013.md
	python scripts/results/jantz2013_trays.py

results-panwar2015: setup   ## tables and figures of docs/results/panwar2015.md
	python scripts/results/panwar2015_placement.py
	PYTHONPATH=scripts/results python bench/placement.py --page docs/results/panwar2015.md

stress-placement: setup   ## 10 million random operations through each page allocator, invariants checked
	LITEMRC_STRESS_OPERATIONS=10000000 pytest -q tests/host/machines/placement/test_allocator_invariants.py \
		tests/host/machines/trays/test_tray_allocator.py

pnr: setup .venv/boards.stamp .venv/pnr.stamp   ## units, and the ULX3S with and without the monitor, placed and routed: build/pnr/summary.json, docs/engines.md
	python scripts/boards/pnr.py

pnr-units: setup .venv/pnr.stamp   ## the units alone: a table, build/pnr/units.json
	python scripts/boards/pnr_units.py

pnr-ci: setup .venv/pnr.stamp   ## the units of the default monitor, and group_stack, and their targets
	python scripts/boards/pnr_units.py --main

engine-results: setup   ## accuracy and rate of bucket_stack, and the units' table: docs/engines.md, docs/drops.svg
	PYTHONPATH=scripts/results:scripts/boards python tests/cosim/engine_results.py

bench-ranks: setup   ## rank power over 10 million accesses at each of 3 rates: docs/results/rank_power.md
	python tests/cosim/rank_results.py

# Its log is long: shown is what came of it. DEVICE=45F: another FPGA of the board; BOARD_OPTIONS: litex-soc/board.py --help
BUILD_BOARD = echo "building for $@ (build/$@/build.log)"; mkdir -p build/$@; python litex-soc/board.py $@ \
	--output build/$@ --log build/$@/build.log $(if $(DEVICE),--device $(DEVICE)) $(BOARD_OPTIONS)

PYTHON_EXTRAS := pnr bench linux boards docs
$(PYTHON_EXTRAS:%=.venv/%.stamp): .venv/%.stamp: .venv/installed.stamp
	scripts/setup/install_requirements.sh $*
	@touch $@

build/packages.stamp: scripts/setup/apt-packages.txt
	@scripts/setup/install_packages.sh
	@mkdir -p build && touch $@

.venv/installed.stamp: pyproject.toml | build/packages.stamp
	@PYTHON=$(PYTHON) scripts/setup/make_venv.sh
	@touch $@

build/ap_types: | .venv/installed.stamp
	python scripts/setup/fetch_ap_types.py

build/native.stamp: $(NATIVE_SOURCES) .venv/installed.stamp | build/ap_types
	@scripts/setup/build_native.sh
	@touch $@

$(SIM): SIM_OPTIONS := --engine $(ENGINE)
$(LINUX_SIM): SIM_OPTIONS := --variant linux
# The rank meter needs the engine that tells where pages go.
$(RANKS_SIM): SIM_OPTIONS := --ranks 4 --engine group_stack --groups 256
$(REFS_SIM): SIM_OPTIONS := --refs
$(SIM) $(LINUX_SIM) $(RANKS_SIM) $(REFS_SIM): build/%/gateware/obj_dir/Vsim: $(GATEWARE_SOURCES) | .venv/installed.stamp build/native.stamp
	@echo "building the Verilated SoC (build/$*/build.log)"
	@mkdir -p build/$*
	@python litex-soc/sim.py --output build/$* $(SIM_OPTIONS) >build/$*/build.log 2>&1 || { tail -40 build/$*/build.log; exit 1; }

$(SHIM): $(wildcard firmware/boot/*.* firmware/boot/litex/*) firmware/boot/Makefile $(LINUX_SIM)
	@echo "building the shim ($(@D)/build.log)"
	@mkdir -p $(@D)
	@$(MAKE) -f firmware/boot/Makefile PLATFORM=litex SOC=$(CURDIR)/$(LINUX_SOC) OUT=$(CURDIR)/$(@D) \
		>$(@D)/build.log 2>&1 || { tail -40 $(@D)/build.log; exit 1; }

$(FIRMWARE) $(RANKS_FIRMWARE) $(REFS_FIRMWARE): build/firmware%/firmware.bin: $(FIRMWARE_SOURCES) build/sim%/gateware/obj_dir/Vsim
	@echo "building the firmware ($(@D)/build.log)"
	@mkdir -p $(@D)
	@$(MAKE) -f firmware/baremetal/Makefile SOC=$(CURDIR)/build/sim$* OUT=$(CURDIR)/$(@D) PYTHON=$(CURDIR)/$(VENV)/python \
		>$(@D)/build.log 2>&1 || { tail -40 $(@D)/build.log; exit 1; }

docs: setup .venv/docs.stamp   ## the documentation site, links checked (10 s): build/docs/site/README.html
	sphinx-build -q -W --keep-going -c docs -d build/docs/doctrees . build/docs/site

clean:
	rm -rf build
