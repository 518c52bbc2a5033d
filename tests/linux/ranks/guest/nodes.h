/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory on nodes, by the raw system calls: musl has no numa.h. */
#ifndef NODES_H
#define NODES_H

#include <stddef.h>

#define PAGE 4096
#define NODES 4

/* Ends the program with a message if `result` is negative. */
long must(long result, const char *what);

/* Maps anonymous pages; NODE: bound to it; -1: anywhere. Not touched yet. */
char *map_on(int node, size_t pages);

/* Prints "nodes A B C D": pages of the range on each node. */
void print_nodes(const char *begin, size_t pages);

int run_evacuees(long rounds, long pages);

#endif
