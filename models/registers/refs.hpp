// SPDX-License-Identifier: BSD-2-Clause
// The registers and the window of the reference counters: litex-soc/litemrc_gateware/refs/registers.py and refs/control.py.
#pragma once

#include <litemrc_regs.h>

#include "../pages.hpp"
#include "words.hpp"

namespace monitor_model {

// They count if they are `enabled`, whether the monitor does or not.
class RefRegisters {
  public:
    RefRegisters(Pages &pages, uint32_t frames, uint32_t page_shift) : pages_(pages), frames_(frames), sizes_(pages.ref_sizes()) {
        capabilities_ = with_field(LITEMRC_REFS_CAPABILITIES_PAGE_SHIFT, page_shift) |
                        with_field(LITEMRC_REFS_CAPABILITIES_PAGES_LOG2, log2_of(frames)) |
                        with_field(LITEMRC_REFS_CAPABILITIES_WIDTH, sizes_.width) |
                        with_field(LITEMRC_REFS_CAPABILITIES_MASTERS, sizes_.masters) |
                        with_field(LITEMRC_REFS_CAPABILITIES_CONTEXTS, sizes_.contexts) |
                        with_field(LITEMRC_REFS_CAPABILITIES_QUEUE_LOG2, log2_of(sizes_.queue));
        words_.define(LITEMRC_REFS_CONTROL, LITEMRC_REFS_CONTROL_ENABLE);
        words_.define(LITEMRC_REFS_COMMAND, LITEMRC_REFS_COMMAND_RESET | LITEMRC_REFS_COMMAND_NEXT);
        words_.define(LITEMRC_REFS_EV_ENABLE, LITEMRC_REFS_EV_ENABLE_EVENT);
        for (uint32_t first : {LITEMRC_REFS_DELAY_INITIAL, LITEMRC_REFS_UPDATE_INITIAL}) {
            words_.define(first, (1u << sizes_.width) - 1);
            words_.define(first + SELECT, up_to(LITEMRC_REFS_DELAY_SELECT_CONTEXTS));
            words_.define(first + LOWER, frames - 1);
            words_.define(first + UPPER, frames - 1, frames - 1);
        }
        set();
    }

    bool enabled() const { return words_[LITEMRC_REFS_CONTROL]; }

    uint32_t read(uint32_t offset) const {
        const RefEvent event = pages_.ref_event();
        switch (offset) {
        case LITEMRC_REFS_VERSION:
            return LITEMRC_REFS_REGS_VERSION;
        case LITEMRC_REFS_CAPABILITIES:
            return capabilities_;
        case LITEMRC_REFS_EVENT:
            return with_field(LITEMRC_REFS_EVENT_PAGE, event.page) | with_field(LITEMRC_REFS_EVENT_COUNTER, event.counter) |
                   with_field(LITEMRC_REFS_EVENT_VALID, event.valid);
        case LITEMRC_REFS_STATUS:
            return with_field(LITEMRC_REFS_STATUS_EVENT, event.valid);
        case LITEMRC_REFS_EV_STATUS:
        case LITEMRC_REFS_EV_PENDING:
            return with_field(LITEMRC_REFS_EV_PENDING_EVENT, event.valid);
        case LITEMRC_REFS_FIRED:
            return pages_.refs_fired();
        case LITEMRC_REFS_LOST:
            return pages_.refs_lost();
        }
        return words_.has(offset) ? words_[offset] : 0;
    }

    void write(uint32_t offset, uint32_t value) {
        if (!words_.has(offset))
            return;
        words_.set(offset, value);
        set();
        if (offset == LITEMRC_REFS_COMMAND) {
            if (value & LITEMRC_REFS_COMMAND_RESET)
                pages_.reset_refs();
            if (value & LITEMRC_REFS_COMMAND_NEXT)
                pages_.take_ref_event();
        }
    }

    uint32_t window_words() const { return frames_ * LITEMRC_REFS_COUNTERS; }
    uint32_t window(uint32_t word) const { return pages_.ref(word / LITEMRC_REFS_COUNTERS, word % LITEMRC_REFS_COUNTERS); }
    void write_window(uint32_t word, uint32_t value) {
        const uint32_t counter = word % LITEMRC_REFS_COUNTERS;
        const uint32_t initial = words_[first_of(counter)];
        pages_.load_ref(word / LITEMRC_REFS_COUNTERS, counter,
                        value & LITEMRC_REFS_LOAD_INITIAL ? initial : value & ((1u << sizes_.width) - 1));
    }

  private:
    // From the first register of a counter.
    static constexpr uint32_t SELECT = LITEMRC_REFS_DELAY_SELECT - LITEMRC_REFS_DELAY_INITIAL,
                              LOWER = LITEMRC_REFS_DELAY_LOWER - LITEMRC_REFS_DELAY_INITIAL,
                              UPPER = LITEMRC_REFS_DELAY_UPPER - LITEMRC_REFS_DELAY_INITIAL;
    static uint32_t first_of(uint32_t counter) {
        return counter == LITEMRC_COUNTER_DELAY ? LITEMRC_REFS_DELAY_INITIAL : LITEMRC_REFS_UPDATE_INITIAL;
    }

    void set() {
        for (uint32_t counter = 0; counter < LITEMRC_REFS_COUNTERS; ++counter) {
            const uint32_t first = first_of(counter), select = words_[first + SELECT];
            pages_.set_refs(counter, {(select & LITEMRC_REFS_DELAY_SELECT_READS) != 0,
                                      (select & LITEMRC_REFS_DELAY_SELECT_WRITES) != 0,
                                      field(select, LITEMRC_REFS_DELAY_SELECT_MASTERS),
                                      field(select, LITEMRC_REFS_DELAY_SELECT_CONTEXTS), words_[first + LOWER],
                                      words_[first + UPPER], words_[first]});
        }
    }

    Pages &pages_;
    uint32_t frames_;
    RefSizes sizes_;
    uint32_t capabilities_;
    Words words_;
};

} // namespace monitor_model
