// What LiteX's simulation core (litex/build/sim/core/veril.h) calls of the Verilated model. LiteX's own veril.cpp would have
// the model built for tracing, which is half of what there is to compile, and which no simulator here ever turns on.
#include "Vsim.h"
#include "verilated.h"

#include <cstdint>

static std::uint64_t time_ps;

extern "C" {

void litex_sim_eval(void *model, std::uint64_t now_ps) {
    static_cast<Vsim *>(model)->eval();
    time_ps = now_ps;
}

void litex_sim_init_cmdargs(int argc, char *argv[]) { Verilated::commandArgs(argc, argv); }

void litex_sim_init_tracer(void *, long, long) {}

void litex_sim_tracer_dump() {}

int litex_sim_got_finish() { return Verilated::gotFinish(); }
}

double sc_time_stamp() { return double(time_ps); }
