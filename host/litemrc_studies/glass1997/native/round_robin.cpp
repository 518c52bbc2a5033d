// SPDX-License-Identifier: BSD-2-Clause
#include "round_robin.hpp"

#include <algorithm>

namespace litemrc_native {

namespace {
constexpr unsigned TURNS = 1 << 16; // until a pause, in which Python may see a Ctrl-C
}

RoundRobin::RoundRobin(AddressBook &book, Memory &memory, uint64_t quantum, uint64_t service,
                           uint64_t cold_service)
    : book_(book), memory_(memory), quantum_(quantum), service_(service), cold_service_(cold_service),
      programs_(book.spaces()) {
    for (uint32_t program = 0; program < programs_.size(); ++program)
        ready_.push_back(program);
}

void RoundRobin::feed(uint32_t number, std::vector<uint32_t> numbers, std::vector<uint64_t> times) {
    Program &program = programs_[number];
    program.last_fed = numbers.empty();
    if (!program.begun && !times.empty()) {
        program.clock = times.front();
        program.begun = true;
    }
    program.numbers = std::move(numbers);
    program.times = std::move(times);
    program.next = 0;
    seen_.resize(book_.size());
}

int RoundRobin::run() {
    for (unsigned turns = 0; turns < TURNS; ++turns) {
        if (!in_turn_) {
            if (ready_.empty() && waiting_.empty())
                return DONE;
            if (ready_.empty()) {
                now_ = std::max(now_, waiting_.front().until);
                ready_.push_back(waiting_.front().program);
                waiting_.pop_front();
            }
            running_ = ready_.front();
            if (!programs_[running_].begun && !programs_[running_].last_fed)
                return int(running_);
            ready_.pop_front();
            turn_end_ = programs_[running_].clock + quantum_;
            in_turn_ = true;
        }
        const Turn result = turn(programs_[running_]);
        if (result == Turn::starved)
            return int(running_);
        in_turn_ = false;
        end_turn(result);
    }
    return PAUSE;
}

RoundRobin::Turn RoundRobin::turn(Program &program) {
    for (; program.next < program.numbers.size();) {
        const uint64_t time = program.times[program.next];
        if (time >= turn_end_) {
            now_ += turn_end_ - program.clock;
            program.clock = turn_end_;
            return Turn::preempted;
        }
        now_ += time - program.clock;
        program.clock = time;
        const uint32_t number = program.numbers[program.next++];
        ++program.references;
        if (!memory_.reference(number))
            continue;
        const bool cold = !seen_[number];
        seen_[number] = true;
        ++program.faults;
        program.cold_faults += cold;
        const uint64_t delay = cold ? cold_service_ : service_;
        if (delay) {
            wait(now_ + delay);
            return Turn::blocked;
        }
    }
    return program.last_fed ? Turn::ended : Turn::starved;
}

void RoundRobin::end_turn(Turn turn) {
    wake();
    if (turn == Turn::preempted) {
        ready_.push_back(running_);
    } else if (turn == Turn::ended) {
        programs_[running_].end = now_;
        for (uint32_t number = 0; number < book_.size(); ++number)
            if (book_[number].space == running_)
                memory_.release(number);
        memory_.forget(running_);
    }
}

void RoundRobin::wait(uint64_t until) {
    auto place = waiting_.end(); // nearly always the last
    while (place != waiting_.begin() && std::prev(place)->until > until)
        --place;
    waiting_.insert(place, Waiting{until, running_});
}

void RoundRobin::wake() {
    while (!waiting_.empty() && waiting_.front().until <= now_) {
        ready_.push_back(waiting_.front().program);
        waiting_.pop_front();
    }
}

} // namespace litemrc_native
