/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory policies of Linux (include/uapi/linux/mempolicy.h), which musl has no header for. */
#ifndef POLICIES_H
#define POLICIES_H

enum { MPOL_DEFAULT = 0, MPOL_PREFERRED = 1, MPOL_BIND = 2, MPOL_INTERLEAVE = 3 };
#define MPOL_MF_MOVE 2
#define MPOL_F_MEMS_ALLOWED 4
#define NODES_MAX (8 * sizeof(unsigned long)) /* bits of a mask of nodes */

#endif
