// SPDX-License-Identifier: BSD-2-Clause
/*
 * Translates virtual addresses as the hart does at the privilege of the code that trapped: Priv 4.3.2, step by step.
 *
 * MPRV (Priv 3.1.6.3) cannot do this: a fault of such an access would trap in M mode, and VexRiscv does not check its
 * U bit, so a program could read and write the kernel's memory through misaligned accesses.
 */
#include <shim.h>

#define SATP_MODE (1u << 31)
#define PAGE_SHIFT 12
#define LEVELS 2
#define LEVEL_BITS 10
#define PPN_SHIFT 10
#define PPN_LIMIT (1u << 20) /* no memory above 4 GiB: reported as a page fault */

enum pte_bit { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, D = 128 };

static bool allowed(uint32_t pte, enum access access)
{
	uint32_t mstatus = csr_read(mstatus);
	bool from_user = (mstatus & MSTATUS_MPP) == MSTATUS_MPP_U;
	uint32_t wanted = access == FETCH ? X : access == LOAD ? R : W;

	if (access == LOAD && mstatus & MSTATUS_MXR)
		wanted |= X;
	if (!(pte & wanted))
		return false;
	if (from_user != !!(pte & U) && (from_user || access == FETCH || !(mstatus & MSTATUS_SUM)))
		return false;
	/* The kernel sets A and D in its fault handler (4.3.1, the first of the two schemes). */
	return pte & A && (access != STORE || pte & D);
}

bool translate(uint32_t address, enum access access, uint32_t *physical)
{
	uint32_t satp = csr_read(satp);
	uint32_t ppn = satp & ((1u << 22) - 1);

	if (!(satp & SATP_MODE)) {
		*physical = address;
		return true;
	}
	for (int level = LEVELS - 1; level >= 0; level--) {
		uint32_t shift = PAGE_SHIFT + level * LEVEL_BITS;
		uint32_t index = address >> shift & ((1u << LEVEL_BITS) - 1);
		uint32_t offset = address & ((1u << shift) - 1);
		uint32_t pte;

		if (ppn >= PPN_LIMIT)
			return false;
		pte = ((const uint32_t *)(ppn << PAGE_SHIFT))[index];
		ppn = pte >> PPN_SHIFT;
		if (!(pte & V) || (pte & (R | W)) == W)
			return false;
		if (!(pte & (R | X)))
			continue;
		if (!allowed(pte, access) || ppn >= PPN_LIMIT || ppn << PAGE_SHIFT & ((1u << shift) - 1))
			return false;
		*physical = ppn << PAGE_SHIFT | offset;
		return true;
	}
	return false;
}
