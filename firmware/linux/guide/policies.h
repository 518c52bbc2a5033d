/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory policies of Linux (include/uapi/linux/mempolicy.h), which musl has no header for. */
#ifndef POLICIES_H
#define POLICIES_H

#include <sys/syscall.h>
#include <unistd.h>

enum { MPOL_DEFAULT = 0, MPOL_PREFERRED = 1, MPOL_BIND = 2, MPOL_INTERLEAVE = 3 };
#define MPOL_MF_MOVE 2
#define MPOL_F_MEMS_ALLOWED 4
#define NODES_MAX (8 * sizeof(unsigned long)) /* bits of a mask of nodes */

/* Returns the nodes that the process may use, or 0: it failed. The kernel writes 64 bits, also where a long has 32. */
static inline unsigned long allowed_nodes(void)
{
	unsigned long nodes[64 / NODES_MAX] = {0};

	return syscall(SYS_get_mempolicy, NULL, nodes, NODES_MAX, NULL, MPOL_F_MEMS_ALLOWED) ? 0 : nodes[0];
}

#endif
