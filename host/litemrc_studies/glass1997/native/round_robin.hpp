// SPDX-License-Identifier: BSD-2-Clause
// Several programs in one memory, round robin, with a context switch at page faults (Glass and Cao 1997, section 5).
// What the paper leaves open is decided in golden/round_robin.py.
#pragma once

#include "address_book.hpp"
#include "memory.hpp"

#include <deque>
#include <vector>

namespace litemrc_native {

class RoundRobin {
  public:
    struct Program {
        uint64_t clock = 0; // progress, in its own time
        uint64_t references = 0, faults = 0, cold_faults = 0;
        uint64_t end = 0; // when it ended

        std::vector<uint32_t> numbers; // references at hand
        std::vector<uint64_t> times;
        size_t next = 0;
        bool last_fed = false; // no more will come
        bool begun = false;
    };
    static constexpr int DONE = -1, PAUSE = -2;

    // One program for each space of the book.
    RoundRobin(AddressBook &book, Memory &memory, uint64_t quantum, uint64_t service,
                 uint64_t cold_service);

    // References of a program, which has none left; times never fall. None at all: it has come to its end.
    void feed(uint32_t program, std::vector<uint32_t> numbers, std::vector<uint64_t> times);

    // Runs until a program needs references and returns its number; returns DONE at the end, PAUSE after many turns.
    int run();

    uint64_t now() const { return now_; }
    const Program &program(uint32_t number) const { return programs_[number]; }

  private:
    struct Waiting {
        uint64_t until;
        uint32_t program;
    };
    enum class Turn { preempted, blocked, ended, starved };

    Turn turn(Program &program);
    void end_turn(Turn turn);
    void wait(uint64_t until);
    void wake();

    AddressBook &book_;
    Memory &memory_;
    const uint64_t quantum_, service_, cold_service_;
    std::vector<Program> programs_;
    std::deque<uint32_t> ready_;
    std::deque<Waiting> waiting_; // sorted
    std::vector<bool> seen_;      // pages that faulted
    uint64_t now_ = 0, turn_end_ = 0;
    uint32_t running_ = 0;
    bool in_turn_ = false;
};

} // namespace litemrc_native
