// SPDX-License-Identifier: BSD-2-Clause
// C simulation of hot_pages: every list and every queued page against a reference of pages in maps; guaranteed counts against exact
// ones. Returns 1 if they differ.
//
//   hot_pages_tb [OPERATIONS]
#include "../common/print.hpp"
#include "hot_pages.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <vector>

using namespace litemrc;

namespace {

constexpr int OPS = 200000; // by default; RTL co-simulation wants fewer

// The rules of the header, over plain numbers: a vector of pages for each set, in which a place is a way.
class Reference {
  public:
    struct Page {
        int frame = -1;
        long count = 0, error = 0;
    };

    struct Listed {
        int frame;
        long count;
    };

    // Returns a frame that is put into the queue, or -1.
    int access(int frame, std::uint32_t random, long threshold) {
        ++accesses;
        ++exact[frame];
        std::vector<Page> &pages = sets_[set_of(frame)];
        pages.resize(HOT_WAYS);
        const bool neighbour = std::any_of(before_.begin(), before_.end(), [&](int other) {
            return other != frame && set_of(other) == set_of(frame);
        });
        before_.push_back(frame);
        if (before_.size() > HOT_WINDOW)
            before_.erase(before_.begin());
        auto page = std::find_if(pages.begin(), pages.end(), [&](const Page &each) { return each.frame == frame; });
        if (page == pages.end()) {
            page = std::min_element(pages.begin(), pages.end(), [](const Page &a, const Page &b) { return a.count < b.count; });
            long chances = 1; // 1 of as many random numbers admits the page
            while (page->count >= chances)
                chances *= 2;
            if (neighbour || (random & 0xffff) % chances != 0 || chances > 0x10000)
                return -1;
            const long inherited = std::min(page->count, (1L << HOT_ERROR_BITS) - 1);
            *page = Page{frame, inherited, inherited};
        }
        if (page->count == (1L << HOT_COUNT_BITS) - 1) {
            saturated = true;
            return -1;
        }
        ++page->count;
        return page->count - page->error == threshold ? frame : -1;
    }

    std::vector<Listed> hot(long threshold) {
        std::vector<Listed> list;
        for (const auto &[set, pages] : sets_)
            for (const Page &page : pages)
                if (page.count && page.count - page.error >= std::max(threshold, accesses >> HOT_SHARE_LOG2))
                    list.push_back({page.frame, page.count - page.error});
        std::stable_sort(list.begin(), list.end(), [](const Listed &a, const Listed &b) { return a.count > b.count; });
        return list;
    }

    void clear() { *this = Reference(); }

    std::map<int, long> exact;
    long accesses = 0;
    bool saturated = false;

  private:
    static int set_of(int frame) {
        int set = frame % HOT_SETS;
        for (int bit = 0; bit < HOT_TAG_BITS; ++bit)
            if ((frame / HOT_SETS >> bit) & 1)
                set ^= HOT_SETS / 2 >> (bit % HOT_SET_BITS);
        return set;
    }

    std::map<int, std::vector<Page>> sets_;
    std::vector<int> before_;
};

class Bench {
  public:
    int run(int ops_to_do) {
        settings_ = random_settings();
        for (ops_ = 0; ops_ < ops_to_do; ++ops_) {
            const Op op = next();
            stream_.write(pack(op));
            while (!stream_.empty()) // it waits for a sweep
                call();
            expect(op);
            if (!failed_ && (op.kind == OP_CLEAR || op.epoch_end))
                end(op);
            if (failed_)
                return 1;
        }
        if (!listed_ || !queued_ || !empty_ || !more_ || (HOT_COUNT_BITS < 10 && !saturated_)) {
            std::cerr << "hot_pages_tb: a case did not occur\n";
            return 1;
        }
        std::cout << "hot_pages_tb: " << FRAMES << " pages: " << ops_ << " operations, " << listed_ << " listed and " << queued_
                  << " queued pages, " << empty_ << " epochs without, as the reference (pages in maps)\n";
        return 0;
    }

  private:
    int random(int n) { return int(generator_() % unsigned(n)); }

    HotSettings random_settings() {
        const int from = random(3) ? 0 : random(FRAMES), to = random(3) ? FRAMES - 1 : random(FRAMES);
        return {frame_t(std::min(from, to)), frame_t(std::max(from, to)), ap_uint<2>(random(4) ? 3 : 1 + random(2)),
                ap_uint<4>(random(3) ? 0 : random(4)), hot_count_t(1 + random(random(2) ? 4 : 30)), HOT_PAGES,
                ap_uint<1>(random(2))};
    }

    Op next() {
        if (random(1000) == 0) {
            pages_ = random(4) ? 1 + random(random(2) ? 2 * HOT_WAYS : FRAMES) : 1;
            epoch_ops_ = 1 + random(random(4) ? 200 : 20000);
            stride_ = random(2) ? 1 : HOT_SETS;
        }
        const int page = random(3) ? std::min(random(pages_), random(pages_)) : random(FRAMES);
        Op op{OP_ACCESS, frame_t(long(page) * stride_ % FRAMES), 0, ap_uint<1>(random(2)), ap_uint<1>(random(epoch_ops_) == 0)};
        const int dice = random(1000);
        op.kind = dice < 20 ? OP_INVALIDATE : dice < 30 ? OP_MARK : dice == 30 ? OP_CLEAR : OP_ACCESS;
        return op;
    }

    void expect(const Op &op) {
        const bool counts = op.kind == OP_ACCESS && settings_.lower <= op.frame && op.frame <= settings_.upper &&
                            (int(settings_.kinds) >> int(op.write) & 1);
        int queued = -1;
        if (counts) {
            if ((random_ >> 16) % (1u << int(settings_.sampling_log2)) == 0)
                queued = reference_.access(int(op.frame), random_, long(settings_.threshold));
            random_ ^= random_ << 13;
            random_ ^= random_ >> 17;
            random_ ^= random_ << 5;
        }
        queued = settings_.always_on ? queued : -1;
        const int seen = hot_.empty() ? -1 : int(unpack_hot_page(hot_.read()).frame);
        queued_ += queued >= 0;
        if (seen != queued)
            fail(op, "queued frame", seen, queued);
    }

    void end(const Op &op) {
        while (epochs_.empty() && op.kind != OP_CLEAR)
            call();
        if (op.kind != OP_CLEAR)
            compare(op);
        reference_.clear();
        random_ = 2463534242u;
        settings_ = random_settings();
    }

    void call() {
        hot_pages(stream_, settings_.lower, settings_.upper, settings_.kinds, settings_.sampling_log2, settings_.threshold,
                  settings_.always_on, list_, epochs_, hot_);
    }

    void compare(const Op &op) {
        HotEpoch epoch;
        unpack_into(epochs_.read(), epoch.accesses, epoch.listed, epoch.more, epoch.saturated);
        const auto hot = reference_.hot(long(settings_.threshold));
        const long listed = std::min(long(hot.size()), long(HOT_PAGES));
        more_ += hot.size() > HOT_PAGES;
        empty_ += hot.empty();
        saturated_ += reference_.saturated;
        if (long(epoch.accesses) != reference_.accesses || bool(epoch.saturated) != reference_.saturated ||
            bool(epoch.more) != (hot.size() > HOT_PAGES))
            fail(op, "accesses or flags of an epoch", long(epoch.accesses), reference_.accesses);
        if (long(epoch.listed) != listed)
            fail(op, "listed pages", long(epoch.listed), listed);
        for (int i = 0; i < listed && !failed_; ++i, ++listed_) {
            const HotPage page = unpack_hot_page(list_[i]);
            if (int(page.frame) != hot[i].frame)
                fail(op, "listed frame", int(page.frame), hot[i].frame);
            if (long(page.count) != hot[i].count)
                fail(op, "listed count", long(page.count), hot[i].count);
            if (long(page.count) > reference_.exact[int(page.frame)])
                fail(op, "count above the exact one", long(page.count), reference_.exact[int(page.frame)]);
        }
    }

    void fail(const Op &op, const char *what, long seen, long expected) {
        std::cerr << "hot_pages_tb: operation " << ops_ << ": " << op << ": " << what << " " << seen << ", expected "
                  << expected << "\n";
        failed_ = true;
    }

    std::mt19937 generator_{2025};
    hls::stream<op_word_t> stream_;
    hls::stream<hot_epoch_word_t> epochs_;
    hls::stream<hot_word_t> hot_;
    hot_word_t list_[HOT_PAGES];
    HotSettings settings_;
    Reference reference_;
    std::uint32_t random_ = 2463534242u;
    int pages_ = 1, epoch_ops_ = 100, stride_ = 1, ops_ = 0;
    long listed_ = 0, queued_ = 0, empty_ = 0, more_ = 0, saturated_ = 0;
    bool failed_ = false;
};

} // namespace

int main(int argc, char **argv) { return Bench().run(argc > 1 ? std::atoi(argv[1]) : OPS); }
