// SPDX-License-Identifier: BSD-2-Clause
#include "machine.hpp"

#include <chrono>
#include <sys/resource.h>

namespace litemrc_native {

namespace {

constexpr uint64_t SUSPICIOUS_NS = 1000;
constexpr uint64_t AHEAD = 8; // events from one fetch of what a free touches to the next

uint64_t now_ns() {
    return uint64_t(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

// Number of context switches and page faults of this thread.
long stops() {
    rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw + usage.ru_nvcsw + usage.ru_minflt + usage.ru_majflt;
}

} // namespace

PlacementMachine::PlacementMachine(Allocator &allocator) : allocator_(allocator), switches_(stops()) {
    clock_ns_ = UINT64_MAX;
    for (int round = 0; round < 1000; ++round) {
        const uint64_t begin = now_ns();
        clock_ns_ = std::min(clock_ns_, now_ns() - begin);
    }
}

Request PlacementMachine::request(uint8_t code, uint32_t node) const {
    Request request;
    request.order = code & EVENT_ORDER;
    request.movable = !(code & EVENT_UNMOVABLE);
    request.kind = 2 - (code >> 6);
    request.node = node;
    return request;
}

void PlacementMachine::make_room(uint32_t number) {
    if (number >= frame_of_.size())
        frame_of_.resize(std::max<size_t>(2 * frame_of_.size(), number + 1), NO_FRAME);
}

void PlacementMachine::record(uint32_t number, uint32_t frame, uint8_t code) {
    frame_of_[number] = frame;
    if (frame == NO_FRAME) {
        ++failed_;
        failed_frames_ += block_frames(code & EVENT_ORDER);
    } else
        allocator_.memory().set_owner(frame, number);
}

void PlacementMachine::run(const uint8_t *codes, const uint32_t *numbers, const uint8_t *nodes, uint64_t count) {
    const PhysicalMemory &memory = allocator_.memory();
    const auto freed = [&](uint64_t at) { return codes[at] & EVENT_FREE ? frame_of(numbers[at]) : NO_FRAME; };
    for (uint64_t at = 0; at < count; ++at) {
        const uint32_t number = numbers[at];
        // Pages freed at random lie in cold cache lines: the number's, the block's, its buddy's neighbours', each known
        // from the one before. Here and not in a function: GCC 12 drops calls of what only prefetches.
        if (at + 3 * AHEAD < count) {
            if (numbers[at + 3 * AHEAD] < frame_of_.size())
                __builtin_prefetch(&frame_of_[numbers[at + 3 * AHEAD]], 1);
            if (const uint32_t frame = freed(at + 2 * AHEAD); frame != NO_FRAME)
                memory.fetch_block(frame);
            if (const uint32_t frame = freed(at + AHEAD); frame != NO_FRAME)
                memory.fetch_buddy(frame);
        }
        make_room(number);
        if (!(codes[at] & EVENT_FREE)) {
            record(number, allocator_.allocate(request(codes[at], nodes ? nodes[at] : 0)), codes[at]);
        } else if (frame_of_[number] != NO_FRAME) {
            allocator_.free(frame_of_[number]);
            frame_of_[number] = NO_FRAME;
        }
    }
}

void PlacementMachine::run_recorded(const uint8_t *codes, const uint32_t *numbers, uint64_t count,
                                    uint32_t *least_ns) {
    for (uint64_t at = 0; at < count; ++at) {
        const uint32_t number = numbers[at];
        make_room(number);
        const Request wanted = request(codes[at], 0);
        const bool frees = codes[at] & EVENT_FREE;
        uint32_t frame = frame_of_[number];
        const uint64_t begin = now_ns();
        if (frees)
            allocator_.free(frame);
        else
            frame = allocator_.allocate(wanted);
        const uint64_t elapsed = now_ns() - begin, took = elapsed > clock_ns_ ? elapsed - clock_ns_ : 0;
        least_ns[at] = uint32_t(std::min<uint64_t>(least_ns[at], took));
        if (frees)
            frame_of_[number] = NO_FRAME;
        else
            record(number, frame, codes[at]);
    }
}

void PlacementMachine::run_timed(const uint8_t *codes, const uint32_t *numbers, const uint8_t *nodes,
                                 uint64_t count) {
    switches_ = stops(); // those before do not concern us
    for (uint64_t at = 0; at < count; ++at) {
        const uint32_t number = numbers[at];
        make_room(number);
        const bool frees = codes[at] & EVENT_FREE;
        uint32_t frame = frame_of_[number];
        if (frees && frame == NO_FRAME)
            continue;
        const Request wanted = request(codes[at], nodes ? nodes[at] : 0);
        const uint64_t begin = now_ns();
        if (frees)
            allocator_.free(frame);
        else
            frame = allocator_.allocate(wanted);
        const uint64_t elapsed = now_ns() - begin, took = elapsed > clock_ns_ ? elapsed - clock_ns_ : 0;
        if (frees)
            frame_of_[number] = NO_FRAME;
        else
            record(number, frame, codes[at]);
        ++(frees ? times_.frees : times_.allocations);
        if (took > SUSPICIOUS_NS) {
            const long switches = stops();
            if (switches != switches_) {
                switches_ = switches;
                ++times_.interrupted;
                continue;
            }
        }
        (frees ? times_.free_ns : times_.allocation_ns) += took;
        uint64_t &longest = frees ? times_.longest_free_ns : times_.longest_allocation_ns;
        longest = std::max(longest, took);
    }
}

} // namespace litemrc_native
