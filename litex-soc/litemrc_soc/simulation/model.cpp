// SPDX-License-Identifier: BSD-2-Clause
// What LiteX's simulation core (litex/build/sim/core/veril.h) calls of the Verilated model. LiteX's own veril.cpp would have
// the model built for tracing, which is half of what there is to compile, and which no simulator here ever turns on.
#include "Vsim.h"
#include "verilated.h"

#include <cstdint>

static std::uint64_t time_ps;

// Saves or restores the model if that was asked for; NULL without snapshot.cpp.
__attribute__((weak)) void snapshot_progress(Vsim &model);
// Counts cycles if that was asked for; NULL without profile.cpp.
__attribute__((weak)) void profile_progress(Vsim &model);

extern "C" {

extern std::uint64_t sim_time_ps; // of LiteX's litex/build/sim/core/sim.c

void litex_sim_eval(void *model, std::uint64_t now_ps) {
    auto &sim = *static_cast<Vsim *>(model);
    if (snapshot_progress) {
        snapshot_progress(sim);
        now_ps = sim_time_ps;
    }
    sim.eval();
    if (profile_progress)
        profile_progress(sim);
    time_ps = now_ps;
}

void litex_sim_init_cmdargs(int argc, char *argv[]) { Verilated::commandArgs(argc, argv); }

void litex_sim_init_tracer(void *, long, long) {}

void litex_sim_tracer_dump() {}

int litex_sim_got_finish() { return Verilated::gotFinish(); }
}

double sc_time_stamp() { return double(time_ps); }
