// SPDX-License-Identifier: BSD-2-Clause
/*
 * Translates virtual addresses as the hart does at the privilege of the code that trapped: Priv 4.3.2, step by step.
 * Sv32; on 64 bits Sv39 to Sv57.
 *
 * MPRV (Priv 3.1.6.3) cannot do this: a fault of such an access would trap in M mode, and VexRiscv does not check its
 * U bit, so a program could read and write the kernel's memory through misaligned accesses.
 */
#include <shim.h>

#define PAGE_SHIFT 12
#define PPN_SHIFT 10
#define PPN_LIMIT (1u << 20) /* no memory above 4 GiB: reported as a page fault */
#define ONE ((uintptr_t)1)

#if __riscv_xlen == 64
#define LEVEL_BITS 9
#define PPN_BITS 44
#define LEVELS(satp) ((satp) >> 60 ? (int)((satp) >> 60) - 5 : 0) /* Sv39 is mode 8 */
#else
#define LEVEL_BITS 10
#define PPN_BITS 22
#define LEVELS(satp) ((satp) >> 31 ? 2 : 0)
#endif
#define PPN_MASK ((ONE << PPN_BITS) - 1)

enum pte_bit { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, D = 128 };

static bool allowed(uintptr_t pte, enum access access)
{
	uintptr_t mstatus = csr_read(mstatus);
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

bool translate(uintptr_t address, enum access access, uintptr_t *physical)
{
	uintptr_t satp = csr_read(satp);
	uintptr_t ppn = satp & PPN_MASK;

	if (!LEVELS(satp)) {
		*physical = address;
		return true;
	}
	for (int level = LEVELS(satp) - 1; level >= 0; level--) {
		uint32_t shift = PAGE_SHIFT + level * LEVEL_BITS;
		uintptr_t index = address >> shift & ((1u << LEVEL_BITS) - 1);
		uintptr_t offset = address & ((ONE << shift) - 1);
		uintptr_t pte;

		if (ppn >= PPN_LIMIT)
			return false;
		pte = ((const uintptr_t *)(ppn << PAGE_SHIFT))[index];
		ppn = pte >> PPN_SHIFT & PPN_MASK;
		if (!(pte & V) || (pte & (R | W)) == W)
			return false;
		if (!(pte & (R | X)))
			continue;
		if (!allowed(pte, access) || ppn >= PPN_LIMIT || ppn << PAGE_SHIFT & ((ONE << shift) - 1))
			return false;
		*physical = ppn << PAGE_SHIFT | offset;
		return true;
	}
	return false;
}
