// A process of the machine: its settings, progress and results. Times in ticks.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace litemrc_native {

struct ProcessSettings {
    uint64_t touch = 0;           // CPU time of a touch
    uint64_t request_touches = 0; // 0: as many as there are
    uint32_t clients = 1;         // with think times between requests; 0: open arrivals
    uint64_t requests = 1;        // number after which it ends; 0: never
    uint64_t start = 0;
    bool file = false;            // its pages are those of a file, and none is filled with zeros
    uint64_t epoch = 0;           // touches in an epoch; 0: no counting
    std::vector<uint64_t> pauses; // before requests, in turn
};

struct Process {
    static constexpr uint64_t NONE = UINT64_MAX;

    ProcessSettings settings;

    // References at hand.
    std::vector<uint32_t> pages;
    std::vector<uint8_t> writes;    // empty: no write at all
    std::vector<uint64_t> tracking; // CPU time that tracking adds to each touch; empty: none
    size_t next = 0;
    bool release_behind = false; // it gives back its pages when it has done them
    bool last_fed = false;       // no more will come
    std::deque<std::vector<double>> epochs; // counts of those that end in them

    // Requests.
    std::deque<uint64_t> arrivals;
    uint64_t serving = NONE; // arrival of the request
    uint64_t left = 0;       // touches of it
    uint64_t asked = 0, pauses_taken = 0;
    uint64_t epoch_left = 0; // touches
    bool idle = true;

    // Results.
    uint64_t touches = 0, faults = 0, zero_fills = 0, write_outs = 0, resident = 0;
    uint64_t ended = NONE;
    std::vector<uint64_t> arrived, answered; // of each request done
};

} // namespace litemrc_native
