// SPDX-License-Identifier: BSD-2-Clause
// Saves the whole state of a simulation in a file, and restores it: the Verilated model, the time, and the parts that
// simulation modules register (sim_modules/snapshot/snapshot.h).
//
// SIGUSR1 saves it as `snapshot.state` in the working directory; the file appears when it is complete. With the argument
// +restore=FILE the simulation continues from that file. Both are done at the same point of a cycle, just before the model is
// evaluated, so that a restored run is bit-identical to the run that was saved.
#include "../../sim_modules/snapshot/snapshot.h"
#include "Vsim.h"
#include "verilated_save.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" std::uint64_t sim_time_ps; // of LiteX's litex/build/sim/core/sim.c

namespace {

constexpr char saved_as[] = "snapshot.state", written_as[] = "snapshot.state.new";

struct Part {
    std::string name;
    snapshot_transfer transfer;
    void *session;
};

struct Saving : snapshot {
    VerilatedSave &file;
};

struct Restoring : snapshot {
    VerilatedRestore &file;
};

std::vector<Part> parts; // in the order of the modules in sim_config.js
volatile std::sig_atomic_t asked_to_save;
bool begun;

[[noreturn]] void give_up(const std::string &what) {
    std::fprintf(stderr, "snapshot: %s\n", what.c_str());
    std::exit(1);
}

void write_bytes(snapshot *to, void *data, std::size_t size) { static_cast<Saving *>(to)->file.write(data, size); }

void read_bytes(snapshot *from, void *data, std::size_t size) { static_cast<Restoring *>(from)->file.read(data, size); }

void save(Vsim &model) {
    VerilatedSave file;
    file.open(written_as);
    if (!file.isOpen())
        give_up(std::string("cannot write ") + written_as);
    file << sim_time_ps << model;
    Saving saving{{false, write_bytes}, file};
    for (const Part &part : parts) {
        file << part.name;
        part.transfer(&saving, part.session);
    }
    file << std::string(); // no further part
    file.close();
    if (std::rename(written_as, saved_as))
        give_up(std::string("cannot rename ") + written_as);
}

void restore(Vsim &model, const char *path) {
    VerilatedRestore file;
    file.open(path);
    if (!file.isOpen())
        give_up(std::string("cannot read ") + path);
    file >> sim_time_ps >> model;
    Restoring restoring{{true, read_bytes}, file};
    const auto check_next = [&](const std::string &wanted) {
        std::string name;
        file >> name;
        if (name != wanted)
            give_up(std::string(path) + " has the state of module '" + name + "' where that of '" + wanted + "' belongs");
    };
    for (const Part &part : parts) {
        check_next(part.name);
        part.transfer(&restoring, part.session);
    }
    check_next("");
    file.close();
}

void begin(Vsim &model) {
    std::signal(SIGUSR1, [](int) { asked_to_save = 1; });
    const char *const argument = Verilated::commandArgsPlusMatch("restore=");
    if (argument && *argument)
        restore(model, std::strchr(argument, '=') + 1);
}

} // namespace

extern "C" void snapshot_register(const char *name, snapshot_transfer transfer, void *session) {
    parts.push_back({name, transfer, session});
}

void snapshot_progress(Vsim &model) {
    if (!begun) {
        begun = true;
        begin(model);
    }
    if (asked_to_save) {
        asked_to_save = 0;
        save(model);
    }
}
