// SPDX-License-Identifier: BSD-2-Clause
// Replays vectors of the golden model through the C++ rank meter.
//
//   meter_replay VECTORS
//
// VECTORS, plain numbers: first the sizes, "frames groups contexts domains"; then events, each a number and its
// arguments: 0 a cycle, "access domain write activate domain refresh waking wakes" and the state of each domain; 1 a move,
// "page context was_valid from is_valid to"; 2 all pages leave; 3 N_mrc, "context size"; 4 an epoch, "epsilon" and for
// each context accesses and the hits of each group; 5 a snapshot, "overflow working" and the words of the window.
// Returns 1 at the first difference.
#include "rank_meter/rank_meter.hpp"
#include "vectors.hpp"

#include <iostream>

using namespace litemrc;

namespace {

MeterClock read_clock(Vectors &vectors) {
    int access, access_domain, write, activate, activate_domain, refresh, waking, wakes;
    vectors >> access >> access_domain >> write >> activate >> activate_domain >> refresh >> waking >> wakes;
    MeterClock now{ap_uint<1>(access), domain_t(access_domain), ap_uint<1>(write), ap_uint<1>(activate),
                   domain_t(activate_domain), domains_t(refresh), 0, domains_t(waking), domains_t(wakes)};
    for (int domain = 0, state; domain < DOMAINS && vectors >> state; ++domain)
        now.state(STATE_BITS * domain + STATE_BITS - 1, STATE_BITS * domain) = state;
    return now;
}

void replay(int argc, char **argv) {
    Vectors vectors(argc, argv, {FRAMES, GROUPS, CONTEXTS, DOMAINS});
    static RankMeter meter;
    static counter_t window[METER_WINDOW_WORDS];
    meter.reset();
    unsigned events = 0, clocks = 0, moves = 0, words = 0;
    for (int kind; vectors >> kind; ++events) {
        if (kind == METER_CLOCK) {
            meter.clock(read_clock(vectors));
            ++clocks;
        } else if (kind == METER_MOVE) {
            int page, context, was_valid, from, is_valid, to;
            vectors >> page >> context >> was_valid >> from >> is_valid >> to;
            meter.move(Move{frame_t(page), context_t(context), ap_uint<1>(was_valid), group_t(from), ap_uint<1>(is_valid),
                            group_t(to)});
            ++moves;
        } else if (kind == METER_CLEAR_PAGES) {
            meter.clear_pages();
        } else if (kind == METER_SET_N_MRC) {
            int context, size;
            vectors >> context >> size;
            meter.set_n_mrc(context, size);
        } else if (kind == METER_FIND_N_MRC) {
            unsigned epsilon, accesses, hits;
            vectors >> epsilon;
            for (int context = 0; context < CONTEXTS && vectors >> accesses; ++context) {
                counter_t row[GROUPS];
                for (int group = 0; group < GROUPS && vectors >> hits; ++group)
                    row[group] = hits;
                if (accesses != 0)
                    meter.set_n_mrc(context, find_n_mrc(row, epsilon));
            }
        } else {
            unsigned overflow, working;
            vectors >> overflow >> working;
            const bool same = meter.working() == working;
            meter.snapshot(window);
            words += METER_WINDOW_WORDS;
            if (!(vectors.match(window) && same && meter.overflow() == bool(overflow)))
                throw Mismatch("snapshot " + std::to_string(unsigned(meter.snapshots())) + " behind event " +
                               std::to_string(events));
        }
    }
    vectors.check_end(events);
    std::cout << "clocks " << clocks << "\nmoves " << moves << "\nwindow_words_compared " << words << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] { replay(argc, argv); });
}
