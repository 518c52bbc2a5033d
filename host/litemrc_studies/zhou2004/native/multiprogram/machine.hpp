// SPDX-License-Identifier: BSD-2-Clause
// Several processes on one CPU, with one paging disk, in one memory. Equal to golden/multiprogram.py, which says
// what happens when; here is only what makes it fast.
#pragma once

#include "frame_policy.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace litemrc_native {

// The paging disk: one transfer at a time in request order, so the end of a request is known immediately.
class Disk {
  public:
    // Requests work of `time`; it begins when all earlier requests are done.
    void ask(uint64_t now, uint64_t time) {
        free_at_ = std::max(free_at_, now) + time;
        busy_ += time;
    }

    uint64_t free_at() const { return free_at_; } // when all is done
    uint64_t busy() const { return busy_; }

  private:
    uint64_t free_at_ = 0, busy_ = 0;
};

// A process of the machine: its settings, progress and results. Times in ticks.
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

struct MachineSettings {
    uint64_t time_slice, page_read, write_out, fault, zero_fill;
    uint64_t duration, measure_from, sample; // 0: no limit; from the beginning; none
};

class Machine {
  public:
    static constexpr int DONE = -1, PAUSE = -2;

    // A process for each space of the book.
    Machine(AddressBook &book, FramePolicy &policy, const MachineSettings &settings,
            std::vector<ProcessSettings> processes);

    // References of a process that has none left, and the counts of the epochs that end in them. None at all: its last.
    // `writes` and `tracking`: of each reference, or empty.
    void feed(uint32_t process, std::vector<uint32_t> pages, std::vector<uint8_t> writes,
              std::vector<std::vector<double>> epochs, std::vector<uint64_t> tracking, bool release_behind);

    // Runs until a process needs references and returns its number; DONE: at the end; PAUSE: after many turns or touches.
    int run();

    uint64_t now() const { return now_; }
    const Disk &disk() const { return disk_; }
    const Process &process(uint32_t number) const { return processes_[number]; }
    uint64_t touches() const;

    // Of each sample: its time, and the pages in memory of each process.
    const std::vector<uint64_t> &samples() const { return samples_; }

  private:
    enum class Turn { blocked, preempted, starved };
    struct Event {
        uint64_t time, order;
        uint32_t process;
        bool arrival; // of a request; else the disk is done
        bool operator>(const Event &other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };

    bool over() const;
    void take_sample();
    void post(uint64_t time, uint32_t process, bool arrival);
    void ask(uint32_t number, uint64_t begin);
    void deliver();
    Turn turn(uint32_t number);
    bool miss(uint32_t number, uint32_t page, bool write);
    uint64_t frame_ready();
    uint64_t evict(uint32_t victim, bool measured);
    void count(uint32_t number);
    void complete(uint32_t number);
    void release(uint32_t number);

    static constexpr uint8_t RESIDENT = 1, DIRTY = 2, ON_DISK = 4;
    static constexpr uint64_t AT_ONCE = UINT64_MAX; // no need to write out

    AddressBook &book_;
    FramePolicy &policy_;
    const MachineSettings settings_;
    std::vector<Process> processes_;
    std::vector<uint8_t> pages_; // state, by number
    Disk disk_;
    std::deque<uint32_t> ready_;
    std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
    std::vector<uint64_t> samples_;
    std::vector<uint32_t> reclaimed_;
    std::deque<uint64_t> written_at_; // when frames of reclaimed pages are free
    uint64_t now_ = 0, order_ = 0, next_sample_ = 0, turn_end_ = 0;
    uint32_t running_ = 0;
    bool in_turn_ = false;
};

} // namespace litemrc_native
