# SPDX-License-Identifier: BSD-2-Clause
# The codec of the serial link, for firmware and host builds.
#
#   LINK_BUILD  := folder for the generated files (created)
#   LINK_PYTHON := a Python that has zcbor (default python3)
#   LINK_SCHEMA := another schema than litemrc.cddl (for tests of versions)
#   include firmware/link/generate.mk
#
# defines LINK_SOURCES, LINK_HEADERS (generated; order-only prerequisites of objects) and LINK_CFLAGS. The codec encodes
# and decodes the messages of both ends; -ffunction-sections -Wl,--gc-sections removes what is unused.

LINK_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
# schema.py is imported without its package, which needs more than zcbor.
LINK_READER := $(LINK_DIR)/../../host/litemrc/device/link
LINK_SCHEMA ?= $(LINK_DIR)/../include/litemrc.cddl
LINK_PYTHON ?= python3
LINK_PACKAGES := $(shell $(LINK_PYTHON) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
LINK_ZCBOR := $(LINK_PACKAGES)/zcbor

LINK_HEADERS := $(addprefix $(LINK_BUILD)/,litemrc_types.h litemrc_encode.h litemrc_decode.h litemrc_limits.h litemrc_options.h)
LINK_SOURCES := $(LINK_DIR)/cobs.c $(LINK_DIR)/frame.c \
	$(LINK_BUILD)/litemrc_encode.c $(LINK_BUILD)/litemrc_dispatch.c \
	$(addprefix $(LINK_ZCBOR)/src/,zcbor_common.c zcbor_encode.c zcbor_decode.c)

# Canonical: only definite lengths and shortest integers are written and accepted.
LINK_CFLAGS := -DZCBOR_CANONICAL -I$(LINK_BUILD) -I$(LINK_DIR) -I$(LINK_ZCBOR)/include

.DELETE_ON_ERROR:

$(addprefix $(LINK_BUILD)/litemrc_,limits.h options.h): $(LINK_BUILD)/litemrc_%.h: $(LINK_DIR)/%.py \
		$(LINK_SCHEMA) $(LINK_READER)/schema.py
	mkdir -p $(LINK_BUILD)
	PYTHONPATH=$(LINK_READER)$(PYTHONPATH:%=:%) $(LINK_PYTHON) $< $(LINK_SCHEMA) > $@.new
	mv $@.new $@

$(LINK_BUILD)/litemrc_types.h: $(LINK_SCHEMA)
	mkdir -p $(LINK_BUILD)
	$(LINK_PYTHON) -c 'import zcbor; zcbor.main()' code --cddl $< --encode --decode --short-names \
		--entry-types device_message host_request --output-c $(LINK_BUILD)/litemrc.c \
		--output-h $(LINK_BUILD)/litemrc.h --output-h-types $@ > $(LINK_BUILD)/zcbor.log
	touch $@

$(addprefix $(LINK_BUILD)/litemrc_,encode.c encode.h decode.c decode.h): $(LINK_BUILD)/litemrc_types.h ;

# Includes litemrc_decode.c, whose functions for single requests are static.
$(LINK_BUILD)/litemrc_dispatch.c: $(LINK_DIR)/dispatch.py $(LINK_BUILD)/litemrc_decode.c $(LINK_SCHEMA) \
		$(LINK_READER)/schema.py
	PYTHONPATH=$(LINK_READER)$(PYTHONPATH:%=:%) $(LINK_PYTHON) $< $(LINK_SCHEMA) $(LINK_BUILD)/litemrc_decode.c > $@.new
	mv $@.new $@
