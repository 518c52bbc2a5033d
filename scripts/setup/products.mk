# SPDX-License-Identifier: BSD-2-Clause
# What the targets of the Makefile need: packages, native code, simulated SoCs and their firmware.

# A target installs what it needs and no more. HOST: the host packages and their native cores.
HOST       := .venv/installed.stamp build/native.stamp
SIM_TOOLS  := build/packages/sim.stamp .venv/soc.stamp
TEST_TOOLS := build/packages/test.stamp .venv/test.stamp .venv/release.stamp
LINUX_6_1   := $(or $(wildcard /usr/src/linux-source-6.1.tar.xz),$(CACHE)/debian12/linux-source-6.1.tar.xz)
LINUX_TOOLS := .venv/linux.stamp build/packages/linux.stamp $(LINUX_6_1)
ECP5_TOOLS := $(SIM_TOOLS) .venv/boards.stamp .venv/pnr.stamp

# The simulated SoCs: build/sim-NAME, with the firmware in build/firmware-NAME.
vsim     = build/$(1)/gateware/obj_dir/Vsim
SOC      := build/sim$(OTHER)
SIM      := $(call vsim,sim$(OTHER))
FIRMWARE := build/firmware$(OTHER)/firmware.bin
SHIM     := build/boot/shim.bin
LINUX_SIM       := $(call vsim,sim-linux)
LINUX_RANKS_SIM  = $(call vsim,sim-linux-$(LINUX_RANKS))
LINUX_RANKS_SHIM = build/boot-$(LINUX_RANKS)/shim.bin
ROCKET_SIM      := $(call vsim,sim-linux-rocket)
ROCKET_SHIM     := build/boot-rocket/shim.bin
LINUX_SMP_SIM   := $(call vsim,sim-linux-smp)
LINUX_SMP_SHIM  := build/boot-smp/shim.bin
BRIDGE_SIMS     := $(foreach soc,bridge bridge-ranks etherbone,$(call vsim,sim-$(soc)))
BOARD_SIM       := $(call vsim,sim-ulx3s)
BANDWIDTH       := build/bandwidth/bandwidth.bin
RANKS_SOC       := $(call vsim,sim-ranks) build/firmware-ranks/firmware.bin
REFS_SOC        := $(call vsim,sim-refs) build/firmware-refs/firmware.bin
SMP_SOC         := $(call vsim,sim-smp) build/firmware-smp/firmware.bin

# Linux for the simulated SoC and for QEMU; firmware/linux/Makefile knows what it is made of.
LINUX  := $(MAKE) --no-print-directory -f firmware/linux/Makefile
PLACES  = python firmware/linux/devicetree/generate.py
ECP5   := ulx3s versa_ecp5 orangecrab
BOARDS := $(ECP5) arty


# $(call files,PATTERNS): without pages, and the folders that Python makes beside its sources.
files = $(filter-out %/__pycache__ %.md,$(wildcard $(1)))
GATEWARE_SOURCES := $(call files,litex-soc/litemrc_soc/*.py litex-soc/litemrc_soc/simulation/* \
	$(shell find litex-soc/litemrc_gateware -name "*.py") litex-soc/sim_modules/*/* litex-soc/ddr3_model/*.hpp \
	litex-soc/ddr3_model/*/*.hpp) firmware/include/litemrc_regs.h
NATIVE_SOURCES   := $(wildcard host/litemrc/native/*/*.?pp host/litemrc/native/*/*.in host/litemrc/native/*.cmake \
	host/litemrc/native/CMakeLists.txt host/litemrc_studies/*/native/*.?pp host/litemrc_studies/*/native/*/*.?pp \
	host/litemrc_studies/shared/native/CMakeLists.txt \
	hls/*/*.?pp hls/small_int/*.h firmware/service/*.[ch] firmware/include/*)
STUDIES := host/litemrc_studies
FIRMWARE_SOURCES := $(call files,firmware/include/* firmware/service/* firmware/baremetal/* firmware/baremetal/*/*) \
	$(STUDIES)/zhou2004/scenarios/baremetal_pair.toml $(STUDIES)/reference_counters/scenarios/baremetal_replicate.toml \
	$(STUDIES)/reference_counters/machine/costs.toml $(STUDIES)/reference_counters/machine/replicate_scenario.py

build/bambu/soc/%/origin.txt: $(wildcard hls/*/*.?pp scripts/hls/*.py) | $(HOST)
	@echo "making $* with Bambu ($(@D)/bambu.log)"
	@python -m scripts.hls.make_units $*
	@touch $@

# Groups of pyproject.toml.
PYTHON_GROUPS := soc rocket targets test pnr bench linux boards docs paper mutants release
$(PYTHON_GROUPS:%=.venv/%.stamp): .venv/%.stamp: .venv/installed.stamp
	scripts/setup/install_requirements.sh $*
	@touch $@

PACKAGES := base sim linux test guests programs
$(PACKAGES:%=build/packages/%.stamp): build/packages/%.stamp: scripts/setup/apt/%.txt
	@scripts/setup/install_packages.sh $*
	@mkdir -p $(@D) && touch $@

$(CACHE)/debian12/linux-source-6.1.tar.xz: | build/packages/linux.stamp
	@echo "fetching the source of Linux 6.1 from Debian 12 ($(@D))"
	@scripts/setup/fetch_debian12.sh $(@D) linux-source-6.1

.venv/installed.stamp: pyproject.toml scripts/setup/constraints.txt | build/packages/base.stamp
	@PYTHON=$(PYTHON) scripts/setup/make_venv.sh
	@touch $@

build/ap_types: | .venv/installed.stamp
	python -m scripts.setup.fetch_ap_types

build/native.stamp: $(NATIVE_SOURCES) .venv/installed.stamp VERSION host/pyproject.toml litex-soc/pyproject.toml
	@scripts/setup/build_native.sh
	@touch $@

# Made once for all clones; what only its making needed is left out.
KEPT  := python -m scripts.setup.kept
LEAVE := --leave 'training/*' '*.o' '*.d' '*.gcda' '*/obj_dir/*.cpp' '*/obj_dir/*.h'

# The queue is deep because positions wait while hit_counters copies an epoch: hls/README.md.
$(SIM): OPTIONS := --engine $(ENGINE) --page-bitmap --hot-pages 64 $(HLS_OPTIONS) $(if $(HLS),--queue-depth 8192)
$(SIM): $(HLS_VERILOG)
$(LINUX_SIM): OPTIONS := --variant linux --page-bitmap --hot-pages 64
$(ROCKET_SIM): OPTIONS := --variant rocket --page-bitmap --hot-pages 64
$(LINUX_SMP_SIM): OPTIONS := --variant linux-smp --page-bitmap --hot-pages 64
# The rank meter needs the engine that reports the moves of pages.
OF_RANKS := --engine group_stack --groups 256
$(call vsim,sim-ranks): OPTIONS := --ranks 4 $(OF_RANKS)
$(LINUX_RANKS_SIM): OPTIONS = --variant linux --ranks $(RANKS) $(OF_RANKS)
$(call vsim,sim-refs): OPTIONS := --refs
$(call vsim,sim-smp): OPTIONS := --variant smp
$(call vsim,sim-bridge): OPTIONS := --page-bitmap --hot-pages 64
$(call vsim,sim-bridge-ranks): OPTIONS := --ranks 4 $(OF_RANKS)
$(call vsim,sim-etherbone): OPTIONS := --etherbone

SIMS := $(sort $(SIM) $(LINUX_SIM) $(ROCKET_SIM) $(LINUX_SMP_SIM) $(LINUX_RANKS_SIM) $(foreach soc,ranks refs smp,$(call vsim,sim-$(soc))))
$(SIMS): MODULE := sim
$(BRIDGE_SIMS): MODULE := sim_bridge
$(BOARD_SIM): MODULE := sim_board
$(BRIDGE_SIMS) $(BOARD_SIM): GROUPS := soc boards
$(ROCKET_SIM): GROUPS := soc rocket
$(ROCKET_SIM): | .venv/rocket.stamp
$(BOARD_SIM): $(wildcard litex-soc/litemrc_soc/boards/*.py litex-soc/sdr_model/*.hpp)
$(BRIDGE_SIMS) $(BOARD_SIM): | .venv/boards.stamp
$(SIMS) $(BRIDGE_SIMS) $(BOARD_SIM): build/%/gateware/obj_dir/Vsim: $(GATEWARE_SOURCES) | $(HOST) $(SIM_TOOLS)
	@$(KEPT) build/$* --groups $(or $(GROUPS),soc) --from $^ $(LEAVE) -- \
		python -m litemrc_soc.$(MODULE) --output build/$* $(OPTIONS)

$(SHIM) $(LINUX_RANKS_SHIM) $(ROCKET_SHIM) $(LINUX_SMP_SHIM): build/boot%/shim.bin: $(wildcard firmware/boot/*.* firmware/boot/litex/*) \
	firmware/boot/Makefile build/sim-linux%/gateware/obj_dir/Vsim
	@echo "building the shim ($(@D)/build.log)"
	@mkdir -p $(@D)
	@$(MAKE) -f firmware/boot/Makefile PLATFORM=litex SOC=$(CURDIR)/build/sim-linux$* OUT=$(CURDIR)/$(@D) \
		>$(@D)/build.log 2>&1 || { tail -40 $(@D)/build.log; exit 1; }

build/firmware-smp/firmware.bin: FIRMWARE_FOLDER := /smp
$(FIRMWARE) $(foreach soc,ranks refs smp,build/firmware-$(soc)/firmware.bin): build/firmware%/firmware.bin: \
		$(FIRMWARE_SOURCES) build/sim%/gateware/obj_dir/Vsim
	@echo "building the firmware ($(@D)/build.log)"
	@mkdir -p $(@D)
	@$(MAKE) -f firmware/baremetal$(FIRMWARE_FOLDER)/Makefile SOC=$(CURDIR)/build/sim$* OUT=$(CURDIR)/$(@D) \
		PYTHON=$(CURDIR)/$(VENV)/python >$(@D)/build.log 2>&1 || { tail -40 $(@D)/build.log; exit 1; }

# A program in place of the BIOS of the simulated ULX3S.
$(BANDWIDTH): $(call files,firmware/baremetal/bandwidth/* firmware/baremetal/*.h firmware/include/*) $(BOARD_SIM)
	@echo "building the kernels of docs/bandwidth.md ($(@D)/build.log)"
	@mkdir -p $(@D)
	@$(MAKE) -f firmware/baremetal/bandwidth/Makefile SOC=$(CURDIR)/build/sim-ulx3s OUT=$(CURDIR)/$(@D) \
		>$(@D)/build.log 2>&1 || { tail -40 $(@D)/build.log; exit 1; }
