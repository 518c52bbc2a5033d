// SPDX-License-Identifier: BSD-2-Clause
#include "rank_meter.hpp"

namespace litemrc {

namespace {

// The slice of the memory in which a page lies: its top bits.
int domain_of(frame_t page) { return int(page) / (FRAMES / DOMAINS); }

} // namespace

groups_t find_n_mrc(const counter_t hits[GROUPS], ap_uint<16> epsilon) {
    using sum_t = ap_uint<COUNTER_BITS + width_of(GROUPS)>;
    using product_t = ap_uint<COUNTER_BITS + width_of(GROUPS) + 16>;
    sum_t all = 0;
    for (int group = 0; group < GROUPS; ++group) {
        HLS_PIPELINE
        all += hits[group];
    }
    const sum_t allowed = product_t(product_t(all) * epsilon) >> 16;
    groups_t size = GROUPS;
    sum_t beyond = 0;
    for (int group = GROUPS - 1; group > 0; --group) {
        HLS_PIPELINE
        beyond += hits[group];
        if (beyond > allowed)
            break;
        size = group;
    }
    return size;
}

void RankMeter::reset() {
    for (int domain = 0; domain < DOMAINS; ++domain) {
        states_[domain] = STATE_PRECHARGE_STANDBY;
        for (int word = 0; word < METER_WORDS; ++word)
            counters_[domain][word] = 0;
    }
    for (int context = 0; context < CONTEXTS; ++context)
        n_mrc_[context] = GROUPS;
    overflow_ = window_overflow_ = false;
    snapshots_ = 0;
    clear_pages();
}

void RankMeter::add(int domain, int word, bool increment) {
    const counter_t limit = ~counter_t(0);
    counter_t &counter = counters_[domain][word];
    if (increment && counter == limit)
        overflow_ |= word != WORD_IDLE;
    else
        counter += increment;
}

void RankMeter::clock(const MeterClock &now) {
    for (int domain = 0; domain < DOMAINS; ++domain) {
        HLS_UNROLL // all domains in one cycle
        const bool accessed = now.access && now.access_domain == domain;
        const ap_uint<STATE_BITS> state = now.state >> (STATE_BITS * domain);
        const bool entered = state != states_[domain];
        states_[domain] = state;
        add(domain, WORD_READS, accessed && !now.write);
        add(domain, WORD_WRITES, accessed && now.write);
        add(domain, WORD_ACTIVATES, now.activate && now.activate_domain == domain);
        add(domain, WORD_REFRESHES, now.refresh[domain]);
        for (int s = 0; s < POWER_STATES; ++s)
            add(domain, WORD_RESIDENCY + s, state == s);
        for (int s = STATE_POWER_DOWN; s < POWER_STATES; ++s)
            add(domain, WORD_ENTERED + s - STATE_POWER_DOWN, entered && state == s);
        add(domain, WORD_WAKE_UPS, now.wakes[domain]);
        add(domain, WORD_WAKING, now.waking[domain]);
        if (accessed)
            counters_[domain][WORD_IDLE] = 0;
        else
            add(domain, WORD_IDLE, true);
    }
}

bool RankMeter::in_top(const Move &move, bool valid, group_t group) const {
    return valid && group < n_mrc_[move.context];
}

void RankMeter::move(const Move &move) {
    const int domain = domain_of(move.page);
    if (move.was_valid)
        counts_[move.context][move.from_group][domain] -= 1;
    if (move.is_valid)
        counts_[move.context][move.to_group][domain] += 1;
    const bool was = in_top(move, move.was_valid, move.from_group), is = in_top(move, move.is_valid, move.to_group);
    if (was && !is)
        top_[domain] -= 1;
    else if (is && !was)
        top_[domain] += 1;
}

void RankMeter::clear_pages() {
    for (int context = 0; context < CONTEXTS; ++context)
        for (int group = 0; group < GROUPS; ++group)
            for (int domain = 0; domain < DOMAINS; ++domain) {
                HLS_PIPELINE // one count per cycle: the array has one write port
                counts_[context][group][domain] = 0;
            }
    for (int domain = 0; domain < DOMAINS; ++domain)
        top_[domain] = 0;
}

void RankMeter::set_n_mrc(context_t context, groups_t size) {
    const groups_t target = size > GROUPS ? groups_t(GROUPS) : size, old = n_mrc_[context];
    for (int group = 0; group < GROUPS; ++group) {
        const bool joins = group >= old && group < target, leaves = group >= target && group < old;
        for (int domain = 0; domain < DOMAINS; ++domain) {
            HLS_PIPELINE // one count per cycle: the array has one read port
            const pages_t pages = counts_[context][group][domain];
            if (joins)
                top_[domain] += pages;
            if (leaves)
                top_[domain] -= pages;
        }
    }
    n_mrc_[context] = target;
}

domains_t RankMeter::working() const {
    domains_t working = 0;
    for (int domain = 0; domain < DOMAINS; ++domain)
        working[domain] = top_[domain] != 0;
    return working;
}

void RankMeter::snapshot(counter_t window[METER_WINDOW_WORDS]) {
    for (int domain = 0; domain < DOMAINS; ++domain)
        for (int word = 0; word < METER_WORDS; ++word) {
            HLS_PIPELINE // one word per cycle: the window has one write port
            window[domain * METER_WORDS + word] =
                word == WORD_TOP_PAGES ? counter_t(top_[domain]) : counters_[domain][word];
            if (word != WORD_IDLE)
                counters_[domain][word] = 0;
        }
    for (int context = 0; context < CONTEXTS; ++context)
        window[DOMAINS * METER_WORDS + context] = n_mrc_[context];
    window_overflow_ = overflow_;
    overflow_ = false;
    ++snapshots_;
}

meter_event_word_t pack(const MeterEvent &event) {
    const MeterClock &now = event.clock;
    const Move &move = event.move;
    switch (int(event.kind)) {
    case METER_CLOCK:
        return packed<meter_event_word_t>(event.kind, now.access, now.access_domain, now.write, now.activate,
                                          now.activate_domain, now.refresh, now.state, now.waking, now.wakes);
    case METER_MOVE:
        return packed<meter_event_word_t>(event.kind, move.page, move.context, move.was_valid, move.from_group,
                                          move.is_valid, move.to_group);
    default:
        return packed<meter_event_word_t>(event.kind, event.context, event.size, event.epsilon);
    }
}

MeterEvent unpack_meter_event(meter_event_word_t word) {
    MeterEvent event;
    MeterClock &now = event.clock;
    Move &move = event.move;
    unpack_into(word, event.kind, now.access, now.access_domain, now.write, now.activate, now.activate_domain,
                now.refresh, now.state, now.waking, now.wakes);
    unpack_into(word, event.kind, move.page, move.context, move.was_valid, move.from_group, move.is_valid,
                move.to_group);
    unpack_into(word, event.kind, event.context, event.size, event.epsilon);
    return event;
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void rank_meter(hls::stream<litemrc::meter_event_word_t> &events,
                const litemrc::counter_t hits[litemrc::CONTEXTS * 2 * litemrc::GROUPS],
                litemrc::counter_t window[litemrc::METER_WINDOW_WORDS],
                hls::stream<litemrc::meter_answer_word_t> &answers HLS_RESTART) {
    HLS_STREAM(events)
    HLS_RAM(hits)   // the finished epoch's window, outside
    HLS_RAM(window) // software reads its other port
    HLS_STREAM(answers)
    HLS_STARTED

    using namespace litemrc;
    static RankMeter meter;
    static bool swept = false;
    HLS_RESET(swept) // memories keep their contents over a reset, so they must be zeroed again

    if (!swept) {
        meter.reset();
        swept = true;
    }
    const MeterEvent event = unpack_meter_event(events.read());
    switch (int(event.kind)) {
    case METER_CLOCK:
        meter.clock(event.clock);
        break;
    case METER_MOVE:
        meter.move(event.move);
        break;
    case METER_CLEAR_PAGES:
        meter.clear_pages();
        break;
    case METER_SET_N_MRC:
        meter.set_n_mrc(event.context, event.size);
        break;
    case METER_FIND_N_MRC:
        for (int context = 0; context < CONTEXTS; ++context) {
            const counter_t *row = hits + context * 2 * GROUPS;
            if (row[GROUPS + 1] != 0)
                meter.set_n_mrc(context, find_n_mrc(row, event.epsilon));
        }
        break;
    default: // METER_SNAPSHOT
        meter.snapshot(window);
        break;
    }
    const ap_uint<1> published = event.kind == METER_SNAPSHOT;
    answers.write(pack(MeterAnswer{meter.working(), published, meter.overflow(), meter.snapshots()}));
}
#endif
