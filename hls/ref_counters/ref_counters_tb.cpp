// SPDX-License-Identifier: BSD-2-Clause
// C simulation of ref_counters: every answer against plain arrays and a std::deque. Returns 1 if they differ.
//
//   ref_counters_tb [OPERATIONS]
#include "../common/print.hpp"
#include "ref_counters.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <random>
#include <vector>

using namespace litemrc;

namespace {

constexpr int OPS = 300000; // by default; RTL co-simulation wants fewer

struct Event {
    int page, counter;
};

// The events of one request, which share a place in the queue.
using Entry = std::deque<Event>;

class Reference {
  public:
    bool request(const RefOp &op, const RefSettings &settings) {
        Entry entry;
        for (int counter = 0; counter < PAGE_COUNTERS; ++counter) {
            const RefSelector &s = settings.selectors[counter];
            const bool direction = (op.write && s.writes) || (!op.write && s.reads);
            const bool sender = (int(s.masters) >> int(op.master) & 1) && (int(s.contexts) >> int(op.context) & 1);
            int &count = counters_[counter][int(op.page)];
            if (direction && sender && s.lower <= op.page && op.page <= s.upper && count > 0 && --count == 0)
                entry.push_back({int(op.page), counter});
        }
        fired += entry.size();
        if (queue_.size() == std::size_t(EVENT_QUEUE))
            lost += entry.size();
        else if (!entry.empty())
            queue_.push_back(entry);
        return !entry.empty();
    }

    int &counter(int page, int counter) { return counters_[counter][page]; }

    void load_all(const RefSettings &settings) {
        for (int counter = 0; counter < PAGE_COUNTERS; ++counter)
            std::fill(counters_[counter].begin(), counters_[counter].end(), int(settings.initials[counter]));
    }

    RefEvent take() {
        if (queue_.empty())
            return RefEvent{0, 0, 0};
        const Event event = queue_.front().front();
        queue_.front().pop_front();
        if (queue_.front().empty())
            queue_.pop_front();
        return RefEvent{1, frame_t(event.page), ap_uint<1>(event.counter)};
    }

    unsigned fired = 0, lost = 0;

  private:
    std::vector<int> counters_[PAGE_COUNTERS] = {std::vector<int>(FRAMES), std::vector<int>(FRAMES)};
    std::deque<Entry> queue_;
};

bool same(const RefEvent &a, const RefEvent &b) {
    return a.valid == b.valid && (!a.valid || (a.page == b.page && a.counter == b.counter));
}

} // namespace

int main(int argc, char **argv) {
    const int ops_to_do = argc > 1 ? std::atoi(argv[1]) : OPS;
    std::mt19937 generator(1990);
    const auto random = [&](int n) { return int(generator() % unsigned(n)); };
    hls::stream<ref_op_word_t> ops;
    hls::stream<ref_answer_word_t> answers;
    Reference reference;
    RefSettings settings{};
    ap_uint<32> fired = 0, lost = 0;
    unsigned taken = 0;
    int pages = FRAMES, takes = 0, resets = 0;
    for (int i = 0; i < ops_to_do; ++i) {
        if (random(500) == 0) {
            pages = random(2) ? 1 + random(16) : FRAMES;
            takes = random(3) ? 20 + random(80) : 0;
            for (int counter = 0; counter < PAGE_COUNTERS; ++counter) {
                RefSelector &selector = settings.selectors[counter];
                selector.reads = random(4) != 0;
                selector.writes = random(4) != 0;
                selector.masters = ~random(1 << MASTERS) | 1;
                selector.contexts = ~random(1 << CONTEXTS) | 1;
                selector.lower = random(2) ? 0 : random(FRAMES);
                selector.upper = random(2) ? FRAMES - 1 : random(FRAMES);
                settings.initials[counter] = random(3) ? 1 + random(3) : random(1 << REFERENCE_BITS);
            }
        }
        RefOp op{REF_REQUEST,
                 frame_t(random(std::min(pages, FRAMES))),
                 ap_uint<1>(random(2)),
                 master_t(random(MASTERS)),
                 context_t(random(CONTEXTS)),
                 ap_uint<1>(random(2)),
                 reference_t(random(2) ? random(4) : random(1 << REFERENCE_BITS)),
                 ap_uint<1>(random(100) < takes)};
        const int dice = random(1000);
        if (dice < 50)
            op.kind = REF_READ;
        else if (dice < 120)
            op.kind = REF_LOAD;
        else if (dice < 130)
            op.kind = REF_NONE;
        else if (dice < 132 || (dice < 300 && resets % 7 != 0)) // several in a row
            op.kind = REF_RESET;
        ops.write(pack(op));
        while (answers.empty()) // the operation may wait for the sweep
            ref_counters(ops, pack(settings, COUNTER_DELAY), pack(settings, COUNTER_UPDATE), answers);
        const RefAnswer answer = unpack_ref_answer(answers.read());
        fired = answer.fired;
        lost = answer.lost;

        RefAnswer expected{0, {0, 0, 0}, 0, 0};
        if (op.kind == REF_REQUEST)
            reference.request(op, settings);
        if (op.kind == REF_LOAD)
            reference.counter(int(op.page), int(op.counter)) = int(op.value);
        if (op.kind == REF_LOAD || op.kind == REF_READ)
            expected.value = reference.counter(int(op.page), int(op.counter));
        if (op.kind == REF_RESET) {
            reference.load_all(settings);
            ++resets;
        }
        if (op.take)
            expected.event = reference.take();
        taken += expected.event.valid;
        if (answer.value != expected.value || !same(answer.event, expected.event) || fired != reference.fired ||
            lost != reference.lost) {
            std::cerr << "ref_counters_tb: operation " << i << ", kind " << int(op.kind) << " of page " << int(op.page)
                      << ": value " << int(answer.value) << ", expected " << int(expected.value) << "; event "
                      << int(answer.event.valid) << " of page " << int(answer.event.page) << ", expected "
                      << int(expected.event.valid) << " of page " << int(expected.event.page) << "; fired " << fired
                      << ", expected " << reference.fired << "; lost " << lost << ", expected " << reference.lost
                      << "\n";
            return 1;
        }
    }
    unsigned left = 0;
    while (reference.take().valid)
        ++left;
    if (fired != taken + left + lost) {
        std::cerr << "ref_counters_tb: " << fired << " events, but " << taken << " taken, " << left << " left, " << lost
                  << " lost\n";
        return 1;
    }
    std::cout << "ref_counters_tb: " << FRAMES << " pages: " << ops_to_do << " operations, " << resets << " resets, "
              << taken << " events taken, " << lost << " lost, as the reference (arrays)\n";
    return 0;
}
