// SPDX-License-Identifier: BSD-2-Clause
#include "hot_pages.hpp"

#include <cstdint>

namespace litemrc {

namespace {

constexpr std::uint32_t SEED = 2463534242u; // of Marsaglia, Xorshift RNGs, 2003

ap_uint<32> next_random(ap_uint<32> x) {
    x = x ^ (x << 13);
    x = x ^ (x >> 17);
    return x ^ (x << 5);
}

// Whether a random number admits a page into an entry with this count: with probability 2^-bits(count).
bool admits(const ap_uint<HOT_ADMISSION_BITS> &random, const hot_count_t &count) {
    for (int bit = 0; bit < HOT_ADMISSION_BITS; ++bit) {
        HLS_UNROLL
        if (random[bit])
            return (count >> bit) == 0;
    }
    return (count >> HOT_ADMISSION_BITS) == 0;
}

} // namespace

void HotPages::reset() {
    queued_ = 0;
    oldest_ = 0;
    queue_overflow_ = false;
    finished_ = HotEpoch{0, 0, 0, 0};
    begin_sweep(false);
}

void HotPages::begin_sweep(bool publishes) {
    sweeps_ = true;
    publishes_ = publishes;
    swept_ = 0;
    random_ = SEED;
    for (int i = 0; i < HOT_WINDOW; ++i) {
        HLS_UNROLL
        before_valid_[i] = false;
    }
    if (publishes) {
        finished_ = running_;
        finished_.listed = 0;
        finished_.more = 0;
    }
    running_ = HotEpoch{0, 0, 0, 0};
}

void HotPages::count(const Op &op, const HotSettings &settings) {
    const bool in_range = settings.lower <= op.frame && op.frame <= settings.upper;
    if (op.kind == OP_ACCESS && in_range && settings.kinds[int(op.write)]) {
        const ap_uint<32> random = random_;
        const ap_uint<32 - HOT_ADMISSION_BITS> unsampled = (1 << int(settings.sampling_log2)) - 1;
        random_ = next_random(random_);
        if (((random >> HOT_ADMISSION_BITS) & unsampled) == 0)
            count_page(op.frame, random, settings);
    }
    if (op.kind == OP_CLEAR || op.epoch_end)
        begin_sweep(op.kind != OP_CLEAR);
}

// Spreads the pages of a stride over the sets: the tag's bits, the lowest becomes the highest.
hot_set_t HotPages::mixed(const hot_tag_t &tag) {
    hot_set_t set = 0;
    for (int bit = 0; bit < HOT_TAG_BITS; ++bit) {
        HLS_UNROLL
        const int at = HOT_SET_BITS - 1 - bit % HOT_SET_BITS;
        set[at] = set[at] ^ tag[bit];
    }
    return set;
}

// Whether another page of the set was accessed just before; remembers this one.
bool HotPages::neighbour_before(const frame_t &frame, const hot_set_t &set) {
    bool neighbour = false;
    for (int i = HOT_WINDOW - 1; i >= 0; --i) {
        HLS_UNROLL
        const hot_set_t other = hot_set_t(before_[i]) ^ mixed(hot_tag_t(before_[i] >> HOT_SET_BITS));
        neighbour = neighbour || (before_valid_[i] && other == set && before_[i] != frame);
        before_[i] = i ? before_[i - 1] : frame;
        before_valid_[i] = i ? before_valid_[i - 1] : true;
    }
    return neighbour;
}

void HotPages::count_page(const frame_t &frame, const ap_uint<HOT_ADMISSION_BITS> &random, const HotSettings &settings) {
    const hot_tag_t tag = frame >> HOT_SET_BITS;
    const hot_set_t set = hot_set_t(frame) ^ mixed(tag);
    Entry entry, least{0, 0, 0};
    int way = -1, least_way = 0;
    for (int i = 0; i < HOT_WAYS; ++i) {
        HLS_UNROLL
        Entry other;
        unpack_into(entry_t(entries_[i][set]), other.tag, other.count, other.error);
        if (other.count != 0 && other.tag == tag) {
            way = i;
            entry = other;
        }
        if (i == 0 || other.count < least.count) {
            least_way = i;
            least = other;
        }
    }
    const bool neighbour = neighbour_before(frame, set);
    if (running_.accesses != ~ap_uint<32>(0))
        ++running_.accesses;
    if (way < 0) {
        if (neighbour || !admits(random, least.count))
            return;
        const hot_count_t most = (1 << HOT_ERROR_BITS) - 1;
        const hot_count_t inherited = least.count < most ? least.count : most;
        way = least_way;
        entry = Entry{tag, inherited, hot_error_t(inherited)};
    }
    if (entry.count == hot_count_t(~hot_count_t(0))) {
        running_.saturated = 1;
        return;
    }
    entry.count = entry.count + 1;
    entries_[way][set] = packed<entry_t>(entry.tag, entry.count, entry.error);
    written(frame, entry, settings);
}

void HotPages::written(const frame_t &frame, const Entry &entry, const HotSettings &settings) {
    const hot_count_t guaranteed = entry.count - entry.error;
    if (!settings.always_on || guaranteed != settings.threshold)
        return;
    if (queued_ == HOT_QUEUE) {
        queue_overflow_ = true;
        return;
    }
    queue_[(int(oldest_) + int(queued_)) % HOT_QUEUE] = pack(HotPage{frame, guaranteed});
    queued_ += 1;
}

HotPage HotPages::take() {
    const HotPage page = oldest();
    oldest_ += 1;
    queued_ -= 1;
    return page;
}

bool HotPages::take_overflow() {
    const bool overflow = queue_overflow_;
    queue_overflow_ = false;
    return overflow;
}

bool HotPages::sweep(const HotSettings &settings) {
    const ap_uint<32> share = finished_.accesses >> HOT_SHARE_LOG2;
    for (int way = 0; way < HOT_WAYS; ++way) {
        Entry entry;
        unpack_into(entry_t(entries_[way][swept_]), entry.tag, entry.count, entry.error);
        const hot_count_t guaranteed = entry.count - entry.error;
        if (publishes_ && entry.count != 0 && guaranteed >= settings.threshold && guaranteed >= share) {
            const hot_set_t low = swept_ ^ mixed(entry.tag);
            insert(HotPage{packed<frame_t>(low, entry.tag), guaranteed}, settings);
        }
        entries_[way][swept_] = 0;
    }
    sweeps_ = swept_ != HOT_SETS - 1;
    swept_ += 1;
    return publishes_ && !sweeps_;
}

// Insertion sort from the end of the list: smaller counts move back by one, and the last of a full list is lost.
void HotPages::insert(const HotPage &page, const HotSettings &settings) {
    int at = int(finished_.listed);
    if (finished_.listed == settings.wanted) {
        finished_.more = 1;
        if (page.count <= this->page(at - 1).count)
            return;
        --at;
    } else {
        finished_.listed += 1;
    }
    for (; at > 0 && page.count > this->page(at - 1).count; --at)
        list_[at] = list_[at - 1];
    list_[at] = pack(page);
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void hot_pages(hls::stream<litemrc::op_word_t> &ops, litemrc::frame_t lower, litemrc::frame_t upper, ap_uint<2> kinds,
               ap_uint<4> sampling_log2, litemrc::hot_count_t threshold, ap_uint<1> always_on,
               litemrc::hot_word_t list[litemrc::HOT_PAGES], hls::stream<litemrc::hot_epoch_word_t> &epochs,
               hls::stream<litemrc::hot_word_t> &hot HLS_RESTART) {
    HLS_STREAM(ops)
    HLS_VALUE(lower)
    HLS_VALUE(upper)
    HLS_VALUE(kinds)
    HLS_VALUE(sampling_log2)
    HLS_VALUE(threshold)
    HLS_VALUE(always_on)
    HLS_RAM(list) // software reads its other port
    HLS_STREAM(epochs)
    HLS_STREAM(hot)
    HLS_STARTED

    static litemrc::HotPages unit;
    static bool swept = false;
    HLS_RESET(swept) // memories keep their contents over a reset, so the sweep must run again

    const litemrc::HotSettings settings{lower, upper, kinds, sampling_log2, threshold, litemrc::HOT_PAGES, always_on};
    if (!swept) {
        unit.reset();
        swept = true;
    }
    if (!unit.sweeps()) {
        unit.count(litemrc::unpack_op(ops.read()), settings);
        if (unit.queued())
            hot.write(pack(unit.take()));
    } else if (unit.sweep(settings)) {
        for (int i = 0; i < litemrc::HOT_PAGES; ++i)
            list[i] = i < int(unit.epoch().listed) ? pack(unit.page(i)) : litemrc::hot_word_t(0);
        epochs.write(pack(unit.epoch()));
    }
}
#endif
