/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>

uint32_t csr_read_simple(unsigned long address);
void csr_write_simple(uint32_t value, unsigned long address);
