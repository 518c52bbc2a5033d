// SPDX-License-Identifier: BSD-2-Clause
// C simulation of rank_meter: every window against sums over the cycles of its snapshot and a recount of all pages.
// Returns 1 if they differ.
//
//   rank_meter_tb [EVENTS]
#include "../common/print.hpp"
#include "rank_meter.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

using namespace litemrc;

namespace {

constexpr int EVENTS = 200000; // by default; RTL co-simulation wants fewer
constexpr int HIT_WORDS = CONTEXTS * 2 * GROUPS;

std::mt19937 generator(2004);
int random(int n) { return int(generator() % unsigned(n)); }

// The counters by their definitions, from lists of all events.
struct Reference {
    std::vector<MeterClock> clocks; // since the last snapshot
    std::vector<int> last_state = std::vector<int>(DOMAINS, STATE_PRECHARGE_STANDBY);
    std::vector<long> idle = std::vector<long>(DOMAINS, 0);
    std::vector<int> owner = std::vector<int>(FRAMES, -1), group = std::vector<int>(FRAMES, 0);
    std::vector<int> n_mrc = std::vector<int>(CONTEXTS, GROUPS);

    std::vector<long> window() {
        std::vector<long> words(METER_WINDOW_WORDS, 0);
        for (int domain = 0; domain < DOMAINS; ++domain) {
            long *of = &words[domain * METER_WORDS];
            for (const MeterClock &now : clocks) {
                const int state = int(now.state >> (STATE_BITS * domain)) & 7;
                const bool accessed = now.access && now.access_domain == domain;
                of[now.write ? WORD_WRITES : WORD_READS] += accessed;
                of[WORD_ACTIVATES] += now.activate && now.activate_domain == domain;
                of[WORD_REFRESHES] += now.refresh[domain];
                of[WORD_RESIDENCY + state] += 1;
                if (state >= STATE_POWER_DOWN && state != last_state[domain])
                    of[WORD_ENTERED + state - STATE_POWER_DOWN] += 1;
                of[WORD_WAKE_UPS] += now.wakes[domain];
                of[WORD_WAKING] += now.waking[domain];
                last_state[domain] = state;
                idle[domain] = accessed ? 0 : idle[domain] + 1;
            }
            of[WORD_IDLE] = idle[domain];
        }
        for (int page = 0; page < FRAMES; ++page)
            if (owner[page] >= 0 && group[page] < n_mrc[owner[page]])
                words[page / (FRAMES / DOMAINS) * METER_WORDS + WORD_TOP_PAGES] += 1;
        std::copy(n_mrc.begin(), n_mrc.end(), words.end() - CONTEXTS);
        clocks.clear();
        return words;
    }
};

MeterClock random_clock(const MeterClock &last) {
    MeterClock now{ap_uint<1>(random(2)), domain_t(random(DOMAINS)), ap_uint<1>(random(2)), ap_uint<1>(random(4) == 0),
                   domain_t(random(DOMAINS)), 0, last.state, 0, 0};
    for (int domain = 0; domain < DOMAINS; ++domain) {
        now.refresh[domain] = random(8) == 0;
        now.waking[domain] = random(8) == 0;
        now.wakes[domain] = random(8) == 0;
        if (random(4) == 0)
            now.state(STATE_BITS * domain + 2, STATE_BITS * domain) = random(POWER_STATES);
    }
    return now;
}

Move random_move(Reference &reference) {
    const int page = random(FRAMES);
    int &owner = reference.owner[page], &group = reference.group[page];
    Move move{frame_t(page), context_t(owner >= 0 ? owner : random(CONTEXTS)), ap_uint<1>(owner >= 0), group_t(group), 1, 0};
    if (owner >= 0 && random(5) == 0)
        move.is_valid = 0;
    else
        move.to_group = random(2) ? random(GROUPS) : 0;
    owner = move.is_valid ? int(move.context) : -1;
    group = move.to_group;
    return move;
}

} // namespace

int main(int argc, char **argv) {
    const int events_to_do = argc > 1 ? std::atoi(argv[1]) : EVENTS;
    hls::stream<meter_event_word_t> events;
    hls::stream<meter_answer_word_t> answers;
    Reference reference;
    counter_t hits[HIT_WORDS], window[METER_WINDOW_WORDS];
    unsigned snapshots = 0;
    MeterEvent event{};
    for (int domain = 0; domain < DOMAINS; ++domain)
        event.clock.state(STATE_BITS * domain + 2, STATE_BITS * domain) = STATE_PRECHARGE_STANDBY;
    long words = 0, finds = 0;
    const long limit = (1L << COUNTER_BITS) - 1;
    for (int i = 0; i < events_to_do; ++i) {
        const int dice = random(1000);
        event.kind = dice < 600 ? METER_CLOCK : dice < 990 ? METER_MOVE : dice < 993 ? METER_SET_N_MRC
                   : dice < 995 ? METER_FIND_N_MRC : dice < 999 || random(20) ? METER_SNAPSHOT : METER_CLEAR_PAGES;
        if (event.kind == METER_CLOCK) {
            event.clock = random_clock(event.clock);
            reference.clocks.push_back(event.clock);
        } else if (event.kind == METER_MOVE) {
            event.move = random_move(reference);
        } else if (event.kind == METER_CLEAR_PAGES) {
            reference.owner.assign(FRAMES, -1);
            reference.group.assign(FRAMES, 0);
        } else if (event.kind == METER_SET_N_MRC) {
            event.context = random(CONTEXTS);
            event.size = random(2 * GROUPS);
            reference.n_mrc[int(event.context)] = std::min(int(event.size), GROUPS);
        } else if (event.kind == METER_FIND_N_MRC) {
            event.epsilon = random(3) ? random(1 << 16) : random(3);
            for (int context = 0; context < CONTEXTS; ++context) {
                long row[GROUPS], all = 0;
                for (int group = 0; group < GROUPS; ++group)
                    all += row[group] = long(hits[context * 2 * GROUPS + group] = random(3) ? 0 : random(1 << std::min(COUNTER_BITS, 30)));
                const bool accessed = all || random(2);
                hits[context * 2 * GROUPS + GROUPS + 1] = accessed;
                int size = GROUPS;
                while (size > 1 && std::accumulate(row + size - 1, row + GROUPS, 0L) <= (long(event.epsilon) * all) >> 16)
                    --size;
                if (accessed)
                    reference.n_mrc[context] = size;
                ++finds;
            }
        }
        events.write(pack(event));
        rank_meter(events, hits, window, answers);
        const MeterAnswer answer = unpack_meter_answer(answers.read());
        snapshots += event.kind == METER_SNAPSHOT;
        if (answer.published != (event.kind == METER_SNAPSHOT) || answer.snapshots != snapshots) {
            std::cerr << "rank_meter_tb: event " << i << ": " << answer.snapshots << " snapshots, expected " << snapshots
                      << "\n";
            return 1;
        }
        if (event.kind != METER_SNAPSHOT)
            continue;
        domains_t working = answer.working;
        bool expected_overflow = false;
        const std::vector<long> expected = reference.window();
        for (int word = 0; word < METER_WINDOW_WORDS; ++word, ++words) {
            const bool counter = word < DOMAINS * METER_WORDS;
            expected_overflow |= counter && word % METER_WORDS != WORD_IDLE && expected[word] > limit;
            if (long(window[word]) != std::min(expected[word], limit)) {
                std::cerr << "rank_meter_tb: event " << i << ": word " << word << " is " << window[word] << ", expected "
                          << expected[word] << "\n";
                return 1;
            }
        }
        for (int domain = 0; domain < DOMAINS; ++domain)
            working[domain] = working[domain] != (expected[domain * METER_WORDS + WORD_TOP_PAGES] != 0);
        if (working != 0 || answer.overflow != expected_overflow) {
            std::cerr << "rank_meter_tb: event " << i << ": working domains or overflow differ\n";
            return 1;
        }
    }
    std::cout << "rank_meter_tb: " << DOMAINS << " domains: " << events_to_do << " events, " << snapshots << " snapshots, "
              << finds << " N_mrc found, " << words << " words as the reference (recount)\n";
    return 0;
}
