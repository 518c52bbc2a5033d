// SPDX-License-Identifier: BSD-2-Clause
// hot_pages: the pages with the most accesses in an epoch, with counts.
//
// Source: Space-Saving (Metwally et al., ICDT 2005) in the sets of a cache, with randomized admission (Ben Basat et al.,
// INFOCOM 2017). The interface follows the hotness monitoring unit (CHMU) of CXL 3.2.
//
// Table: HOT_SETS sets of HOT_WAYS entries, one for each page counted. An access to a page of the table adds 1 to its count.
// Another page may replace the entry with the smallest count of its set, c, and then starts with a count of c + 1 and an error
// of c. The page is admitted with probability 2^-bits(c). So pages that come once leave the large counts alone.
// The *guaranteed* count, count - error, is the number of accesses since the page was admitted. It is never above the number
// in the epoch. It is the only count that leaves the unit.
//
// List: at the end of an epoch the pages with the largest guaranteed counts, largest first; pages with equal counts in the
// order of sets and ways. A page is hot from `threshold` accesses on, and from 1 / 4,096 of the epoch's accesses on. The
// table cannot tell pages below that apart. If no page is hot, the list is empty. The table begins the next epoch empty.
//
// Queue: with `always_on` a page is also put into a queue as soon as its guaranteed count reaches `threshold`; again if it
// was replaced or the epoch ended meanwhile. Pages that find the queue full are lost, and `queue_overflow` is set.
//
// Decided here, where the sources are silent:
// - A page is not admitted if one of the HOT_WINDOW accesses before was to another page of its set. (The RTL's pipeline
//   needs not forward whole sets.)
// - An entry inherits at most 2^HOT_ERROR_BITS - 1, so that count - error is exact.
// - Counts saturate and set `saturated`. Random numbers begin anew in each epoch: equal epochs have equal lists.
// - Sampling is random: a periodic choice of 1 access of 2^n would meet the same pages of a loop. Counts are those of the
//   sampled accesses.
// - Invalidations are ignored, because frames are counted, whatever they hold. A clear discards the running epoch.
// - `more` is set if more pages were hot than the list holds.
//
// While the list is made, operations wait. (The RTL has two tables instead and waits for cycles only.)
#pragma once

#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

constexpr int HOT_PAGES = LITEMRC_HOT_PAGES;
constexpr int HOT_SETS = LITEMRC_HOT_SETS;
constexpr int HOT_WAYS = 4;
constexpr int HOT_QUEUE = 16;
constexpr int HOT_WINDOW = 5;       // counters/hot_table.py: from the read of a set to the write of an entry
constexpr int HOT_SHARE_LOG2 = 12;  // a hot page has at least 1 / 2^12 of the accesses
constexpr int HOT_ADMISSION_BITS = 16; // of a random number, to admit pages; as many above them to sample accesses
constexpr int HOT_SET_BITS = width_of(HOT_SETS);
constexpr int HOT_TAG_BITS = width_of(FRAMES) - HOT_SET_BITS;
constexpr int HOT_COUNT_BITS = LITEMRC_HOT_COUNT_BITS, HOT_ERROR_BITS = LITEMRC_HOT_ERROR_BITS;

static_assert(is_power_of_two(HOT_SETS) && HOT_SETS >= 2 && HOT_SETS * 2 <= FRAMES,
              "LITEMRC_HOT_SETS must be a power of two, 2 to LITEMRC_FRAMES / 2");
static_assert(HOT_ERROR_BITS < HOT_COUNT_BITS && HOT_COUNT_BITS <= 20, "counts have up to 20 bits, errors fewer");

using hot_set_t = ap_uint<HOT_SET_BITS>;
using hot_tag_t = ap_uint<HOT_TAG_BITS>;
using hot_count_t = ap_uint<HOT_COUNT_BITS>;
using hot_error_t = ap_uint<HOT_ERROR_BITS>;

struct HotSettings {
    frame_t lower, upper;      // frames that are counted, both included
    ap_uint<2> kinds;          // bit 0: reads are counted; bit 1: writes
    ap_uint<4> sampling_log2;  // 1 access of 2^n is counted
    hot_count_t threshold;     // guaranteed count of a hot page
    ap_uint<width_of(HOT_PAGES) + 1> wanted; // pages on the list at most, 1 to HOT_PAGES
    ap_uint<1> always_on;
};

struct HotPage {
    frame_t frame;
    hot_count_t count; // guaranteed
};

using hot_word_t = ap_uint<whole_bytes(width_of(FRAMES) + HOT_COUNT_BITS)>;

inline hot_word_t pack(const HotPage &page) { return packed<hot_word_t>(page.count, page.frame); }

inline HotPage unpack_hot_page(hot_word_t word) {
    HotPage page;
    unpack_into(word, page.count, page.frame);
    return page;
}

// An epoch's list.
struct HotEpoch {
    ap_uint<32> accesses;                    // counted in the epoch
    ap_uint<width_of(HOT_PAGES) + 1> listed; // pages
    ap_uint<1> more, saturated;
};

using hot_epoch_word_t = ap_uint<whole_bytes(32 + width_of(HOT_PAGES) + 1 + 2)>;

inline hot_epoch_word_t pack(const HotEpoch &epoch) {
    return packed<hot_epoch_word_t>(epoch.accesses, epoch.listed, epoch.more, epoch.saturated);
}

class HotPages {
  public:
    // Starts the first epoch; the next step begins with an empty table. Call once before it.
    void reset();

    // Returns true if the epoch ended: then `epoch` and `list` are its.
    bool step(const Op &op, const HotSettings &settings) {
        while (sweeps_) // that of a reset
            sweep(settings);
        count(op, settings);
        while (sweeps_)
            sweep(settings);
        return op.epoch_end && op.kind != OP_CLEAR;
    }

    // The parts of `step`: while it `sweeps`, operations wait. `sweep` empties the next set, and lists its hot pages before
    // if an epoch ended; it returns true when the list is complete.
    void count(const Op &op, const HotSettings &settings);
    bool sweeps() const { return sweeps_; }
    bool sweep(const HotSettings &settings);

    // The last epoch that ended, and its list: page 0 has the largest count.
    const HotEpoch &epoch() const { return finished_; }
    HotPage page(int number) const { return unpack_hot_page(list_[number]); }

    // The queue: its pages, oldest first, and whether one was lost since `take_overflow`.
    int queued() const { return int(queued_); }
    HotPage oldest() const { return unpack_hot_page(queue_[oldest_]); }
    HotPage take();
    bool take_overflow();

  private:
    struct Entry {
        hot_tag_t tag;
        hot_count_t count; // 0: no page
        hot_error_t error;
    };
    using entry_t = ap_uint<HOT_TAG_BITS + HOT_COUNT_BITS + HOT_ERROR_BITS>;

    static hot_set_t mixed(const hot_tag_t &tag);
    bool neighbour_before(const frame_t &frame, const hot_set_t &set);
    void count_page(const frame_t &frame, const ap_uint<HOT_ADMISSION_BITS> &random, const HotSettings &settings);
    void written(const frame_t &frame, const Entry &entry, const HotSettings &settings);
    void insert(const HotPage &page, const HotSettings &settings);
    void begin_sweep(bool publishes);

    HLS_STATE Stored<entry_t> entries_[HOT_WAYS][HOT_SETS];
    HLS_STATE Stored<hot_word_t> list_[HOT_PAGES];
    HLS_STATE Stored<hot_word_t> queue_[HOT_QUEUE];
    HLS_STATE ap_uint<width_of(HOT_QUEUE)> oldest_;
    HLS_STATE ap_uint<width_of(HOT_QUEUE) + 1> queued_;
    HLS_STATE bool queue_overflow_;
    HLS_STATE frame_t before_[HOT_WINDOW]; // the frames counted last; valid ones of this epoch
    HLS_STATE bool before_valid_[HOT_WINDOW];
    HLS_STATE ap_uint<32> random_;
    HLS_STATE HotEpoch running_, finished_;
    HLS_STATE bool sweeps_, publishes_;
    HLS_STATE hot_set_t swept_;
};

} // namespace litemrc

// Top function for synthesis: takes one operation, or sweeps one set. A word of `epochs` follows the last word that is written
// to `list`. Pages of `always_on` go to `hot`, which is the queue.
void hot_pages(hls::stream<litemrc::op_word_t> &ops, litemrc::frame_t lower, litemrc::frame_t upper, ap_uint<2> kinds,
               ap_uint<4> sampling_log2, litemrc::hot_count_t threshold, ap_uint<1> always_on,
               litemrc::hot_word_t list[litemrc::HOT_PAGES], hls::stream<litemrc::hot_epoch_word_t> &epochs,
               hls::stream<litemrc::hot_word_t> &hot HLS_RESTART);
