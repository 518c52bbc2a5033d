// SPDX-License-Identifier: BSD-2-Clause
// How a simulation module in C++ finds its pads.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "error.h"
#include "modules.h"
}

// Makes `pad` point to a signal of the list; without one of this name the simulation ends.
template <class Pad> void take(Pad &pad, struct pad_list_s *list, const char *name) {
    for (struct pad_s *p = list->pads; p->name; p++)
        if (!std::strcmp(p->name, name)) {
            pad = static_cast<Pad>(p->signal);
            return;
        }
    std::fprintf(stderr, "%s: no pad %s\n", list->name, name);
    std::exit(1);
}
