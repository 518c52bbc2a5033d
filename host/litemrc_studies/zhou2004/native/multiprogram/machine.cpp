// SPDX-License-Identifier: BSD-2-Clause
#include "machine.hpp"

#include <algorithm>

namespace litemrc_native {

namespace {
constexpr unsigned TURNS = 1 << 16; // until a pause, in which Python may see a Ctrl-C
}

Machine::Machine(AddressBook &book, FramePolicy &policy, const MachineSettings &settings,
                 std::vector<ProcessSettings> processes)
    : book_(book), policy_(policy), settings_(settings), processes_(processes.size()) {
    for (uint32_t number = 0; number < processes_.size(); ++number) {
        Process &process = processes_[number];
        process.settings = std::move(processes[number]);
        process.epoch_left = process.settings.epoch;
        for (uint32_t client = 0; client < std::max(process.settings.clients, 1u); ++client)
            ask(number, process.settings.start);
    }
}

void Machine::feed(uint32_t number, std::vector<uint32_t> pages, std::vector<uint8_t> writes,
                   std::vector<std::vector<double>> epochs, std::vector<uint64_t> tracking, bool release_behind) {
    Process &process = processes_[number];
    process.last_fed = pages.empty() && !release_behind;
    process.pages = std::move(pages);
    process.writes = std::move(writes);
    process.tracking = std::move(tracking);
    process.next = 0;
    process.release_behind = release_behind;
    for (auto &counts : epochs)
        process.epochs.push_back(std::move(counts));
    pages_.resize(book_.size());
    policy_.make_room(book_.size());
}

int Machine::run() {
    for (unsigned turns = 0; turns < TURNS; ++turns) {
        if (!in_turn_) {
            if (over())
                return DONE;
            deliver();
            take_sample();
            if (ready_.empty()) {
                if (events_.empty())
                    return DONE;
                now_ = events_.top().time;
                continue;
            }
            running_ = ready_.front();
            ready_.pop_front();
            turn_end_ = now_ + settings_.time_slice;
            in_turn_ = true;
        }
        const Turn result = turn(running_);
        if (result == Turn::starved)
            return int(running_);
        in_turn_ = false;
        if (result == Turn::preempted) {
            deliver();
            ready_.push_back(running_);
        }
    }
    return PAUSE;
}

uint64_t Machine::touches() const {
    uint64_t sum = 0;
    for (const Process &process : processes_)
        sum += process.touches;
    return sum;
}

bool Machine::over() const {
    if (settings_.duration && now_ >= settings_.duration)
        return true;
    return std::all_of(processes_.begin(), processes_.end(), [](const Process &process) {
        return !process.settings.requests || process.ended != Process::NONE;
    });
}

void Machine::take_sample() {
    if (!settings_.sample || now_ < next_sample_)
        return;
    samples_.push_back(now_);
    for (const Process &process : processes_)
        samples_.push_back(process.resident);
    next_sample_ = (now_ / settings_.sample + 1) * settings_.sample;
}

void Machine::post(uint64_t time, uint32_t process, bool arrival) {
    events_.push({time, order_++, process, arrival});
}

// The next request arrives a pause behind `begin`.
void Machine::ask(uint32_t number, uint64_t begin) {
    Process &process = processes_[number];
    if (process.settings.requests && process.asked == process.settings.requests)
        return;
    ++process.asked;
    const auto &pauses = process.settings.pauses;
    post(begin + pauses[process.pauses_taken++ % pauses.size()], number, true);
}

// Totals so far.
void Machine::deliver() {
    while (!events_.empty() && events_.top().time <= now_) {
        const Event event = events_.top();
        events_.pop();
        Process &process = processes_[event.process];
        if (!event.arrival) {
            ready_.push_back(event.process);
            continue;
        }
        if (process.ended != Process::NONE)
            continue;
        process.arrivals.push_back(event.time);
        if (!process.settings.clients)
            ask(event.process, event.time);
        if (process.idle) {
            process.idle = false;
            ready_.push_back(event.process);
        }
    }
}

Machine::Turn Machine::turn(uint32_t number) {
    Process &process = processes_[number];
    for (;;) {
        if (process.serving == Process::NONE) {
            if (process.arrivals.empty()) {
                process.idle = true;
                return Turn::blocked;
            }
            process.serving = process.arrivals.front();
            process.arrivals.pop_front();
            process.left = process.settings.request_touches ? process.settings.request_touches : Process::NONE;
        }
        const bool at_end = process.next == process.pages.size() && !process.release_behind;
        // A request for all remaining references, and one that ends with the last reference, end at once.
        if (at_end && !process.last_fed)
            return Turn::starved;
        if (process.left == 0 || at_end) {
            complete(number);
            if (process.ended != Process::NONE)
                return Turn::blocked;
            continue;
        }
        if (now_ >= turn_end_)
            return Turn::preempted;
        if (process.next == process.pages.size()) {
            release(number);
            process.release_behind = false;
            continue;
        }
        const size_t stop = process.next + std::min<uint64_t>(process.pages.size() - process.next, process.left);
        const size_t begin = process.next;
        const bool writes = !process.writes.empty(), tracked = !process.tracking.empty();
        bool blocked = false;
        while (process.next < stop && now_ < turn_end_ && !blocked) {
            const uint32_t page = process.pages[process.next];
            const bool write = writes && process.writes[process.next];
            now_ += process.settings.touch + (tracked ? process.tracking[process.next] : 0);
            ++process.next;
            if (pages_[page] & RESIDENT) {
                if (write)
                    pages_[page] |= DIRTY;
                policy_.touch(number, page);
            } else {
                blocked = miss(number, page, write);
            }
            if (process.epoch_left && --process.epoch_left == 0)
                count(number);
        }
        process.touches += process.next - begin;
        process.left -= process.next - begin;
        if (blocked)
            return Turn::blocked;
    }
}

// Returns whether the process must wait for the disk.
bool Machine::miss(uint32_t number, uint32_t page, bool write) {
    Process &process = processes_[number];
    const bool fault = process.settings.file || (pages_[page] & ON_DISK);
    now_ += fault ? settings_.fault : settings_.zero_fill;
    const bool measured = now_ >= settings_.measure_from;
    process.faults += fault && measured;
    process.zero_fills += !fault && measured;
    const uint32_t victim = policy_.admit(number, page);
    uint64_t ready = victim == FramePolicy::NONE ? frame_ready() : evict(victim, measured);
    if (fault) {
        disk_.ask(now_, settings_.page_read);
        ready = disk_.free_at();
    }
    ++process.resident;
    pages_[page] |= RESIDENT | (write || !fault ? DIRTY : 0);
    reclaimed_.clear();
    policy_.reclaim(reclaimed_);
    for (const uint32_t reclaimed : reclaimed_)
        if (const uint64_t written = evict(reclaimed, measured); written != AT_ONCE)
            written_at_.push_back(written);
    if (ready == AT_ONCE)
        return false;
    post(ready, number, false);
    return true;
}

// Returns when the free frame that was taken is written out.
uint64_t Machine::frame_ready() {
    while (!written_at_.empty() && written_at_.front() <= now_)
        written_at_.pop_front();
    if (written_at_.size() <= policy_.free_frames())
        return AT_ONCE;
    const uint64_t written = written_at_.front();
    written_at_.pop_front();
    return written;
}

// Returns when the page is written out.
uint64_t Machine::evict(uint32_t victim, bool measured) {
    Process &owner = processes_[book_[victim].space];
    --owner.resident;
    if (!(pages_[victim] & DIRTY)) {
        pages_[victim] &= uint8_t(~RESIDENT);
        return AT_ONCE;
    }
    owner.write_outs += measured;
    disk_.ask(now_, settings_.write_out);
    pages_[victim] = ON_DISK;
    return disk_.free_at();
}

// The end of an epoch: for decisions, the touch that ends it is complete.
void Machine::count(uint32_t number) {
    Process &process = processes_[number];
    process.epoch_left = process.settings.epoch;
    policy_.epoch(number, process.epochs.front().data(), now_);
    process.epochs.pop_front();
}

void Machine::complete(uint32_t number) {
    Process &process = processes_[number];
    process.arrived.push_back(process.serving);
    process.answered.push_back(now_);
    process.serving = Process::NONE;
    const bool at_end = process.next == process.pages.size() && !process.release_behind && process.last_fed;
    if (at_end || process.answered.size() == process.settings.requests) {
        process.ended = now_;
        release(number);
    } else if (process.settings.clients) {
        ask(number, now_);
    }
}

// All pages of a process are given back, in the order of their first touch.
void Machine::release(uint32_t number) {
    for (uint32_t page = 0; page < pages_.size(); ++page) {
        if (book_[page].space != number)
            continue;
        if (pages_[page] & RESIDENT)
            policy_.remove(number, page);
        pages_[page] = 0;
    }
    processes_[number].resident = 0;
}

} // namespace litemrc_native
