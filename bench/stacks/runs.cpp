// SPDX-License-Identifier: BSD-2-Clause
// Runs of whole traces through the stacks of the native core, with those of its interfaces only that did not change since
// c46d3a6c. Each returns a digest of what it counted.
#include "stacks/byte_stack.hpp"
#include "stacks/exact_stack.hpp"
#include "stacks/shards_fixed_rate.hpp"
#include "stacks/shards_fixed_size.hpp"

#include <algorithm>
#include <cstring>

using namespace litemrc_native;

#define API extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t CHUNK = size_t(1) << 20;

template <typename Take> void in_chunks(size_t count, Take take) {
    for (size_t start = 0; start < count; start += CHUNK)
        take(start, std::min(CHUNK, count - start));
}

template <typename Counters> uint64_t digest(const Counters &counters, size_t size) {
    uint64_t sum = size;
    for (size_t i = 0; i < size; ++i) {
        uint64_t bits;
        std::memcpy(&bits, &counters[i], sizeof bits);
        sum = (sum ^ bits) * 0x9E3779B97F4A7C15u + (sum >> 31);
    }
    return sum;
}

} // namespace

API uint64_t exact(const uint64_t *pages, const uint32_t *, size_t count) {
    ExactStack stack;
    in_chunks(count, [&](size_t start, size_t length) { stack.access(pages + start, length); });
    return digest(stack.histogram(), size_t(stack.footprint()) + 1);
}

API uint64_t by_bytes(const uint64_t *objects, const uint32_t *sizes, size_t count) {
    ByteStack stack;
    in_chunks(count, [&](size_t start, size_t length) { stack.access(objects + start, sizes + start, length); });
    const auto counters = stack.histogram().counters();
    return digest(counters, counters.size());
}

// The curves of samples; `groups`: 8, with the band, or 0.
API uint64_t fixed_rate(const uint64_t *pages, size_t count, double rate, unsigned groups) {
    ShardsFixedRate shards(rate, groups);
    in_chunks(count, [&](size_t start, size_t length) { shards.access(pages + start, length); });
    return shards.accesses();
}

API uint64_t fixed_size(const uint64_t *pages, size_t count, size_t most_pages, unsigned groups) {
    ShardsFixedSize shards(most_pages, groups);
    in_chunks(count, [&](size_t start, size_t length) { shards.access(pages + start, length); });
    uint64_t sum = digest(shards.sample().weights(), shards.sample().weights().size());
    for (unsigned group = 0; group < groups; ++group)
        sum ^= digest(shards.sample_without(group).weights(), shards.sample_without(group).weights().size());
    return sum;
}
