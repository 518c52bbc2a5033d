// SPDX-License-Identifier: BSD-2-Clause
// The registers and the window of the monitor: litex-soc/litemrc_gateware/monitor/registers.py and monitor/hot.py.
#pragma once

#include <litemrc_regs.h>

#include "../monitor.hpp"
#include "words.hpp"

namespace monitor_model {

// Writes take effect at once: no command waits, and no access is dropped.
class MonitorRegisters {
  public:
    // `queue`: accesses that may wait before the monitor; `ranks`: of the DRAM, whose accesses move `access_bytes`,
    // a power of two; 0: not known, and they are not shown by bank.
    MonitorRegisters(Monitor &monitor, const Size &size, uint32_t page_shift, uint32_t queue, uint32_t ranks,
                     uint32_t access_bytes)
        : monitor_(monitor), size_(size) {
        const Pages *pages = monitor.pages();
        capabilities_ = with_field(LITEMRC_CAPABILITIES_PAGE_SHIFT, page_shift) |
                        with_field(LITEMRC_CAPABILITIES_FRAMES_LOG2, log2_of(size.frames)) |
                        with_field(LITEMRC_CAPABILITIES_GROUPS_LOG2, log2_of(size.groups)) |
                        with_field(LITEMRC_CAPABILITIES_CONTEXTS_LOG2, log2_of(size.contexts)) |
                        with_field(LITEMRC_CAPABILITIES_QUEUE_LOG2, log2_of(queue)) |
                        with_field(LITEMRC_CAPABILITIES_ENGINE, size.engine) |
                        with_field(LITEMRC_CAPABILITIES_RANKS, ranks);
        stack_capabilities_ = with_field(LITEMRC_STACK_CAPABILITIES_PAGES_LOG2, log2_of(size.pages)) |
                              with_field(LITEMRC_STACK_CAPABILITIES_RECENT_PAGES, size.recent_pages) |
                              with_field(LITEMRC_STACK_CAPABILITIES_COMMANDS_LOG2, COMMANDS_LOG2) |
                              with_field(LITEMRC_STACK_CAPABILITIES_PAGE_BITMAP, pages != nullptr) |
                              with_field(LITEMRC_STACK_CAPABILITIES_HOT_PAGES_LOG2, pages ? log2_of(pages->hot_pages()) : 0) |
                              LITEMRC_STACK_CAPABILITIES_CLAIMS;
        // All reads and writes as of one bank; rows, refreshes and cycles are not modelled.
        if (access_bytes)
            dram_capabilities_ = with_field(LITEMRC_DRAM_CAPABILITIES_BANKS, 1) |
                                 with_field(LITEMRC_DRAM_CAPABILITIES_ACCESS_BYTES_LOG2, log2_of(access_bytes));
        const uint32_t last = size.frames - 1;
        words_.define(LITEMRC_CONTROL,
                      LITEMRC_CONTROL_ENABLE | LITEMRC_CONTROL_HOLD | LITEMRC_CONTROL_EPOCH_UNIT | LITEMRC_CONTROL_FREEZE |
                          LITEMRC_CONTROL_SINGLE_SHOT | LITEMRC_CONTROL_SPLIT,
                      LITEMRC_CONTROL_HOLD);
        words_.define(LITEMRC_COMMAND, LITEMRC_COMMAND_CLEAR | LITEMRC_COMMAND_END_EPOCH | LITEMRC_COMMAND_RELEASE |
                                           LITEMRC_COMMAND_ARM | LITEMRC_COMMAND_ACKNOWLEDGE);
        words_.define(LITEMRC_CONTEXT, size.contexts - 1);
        words_.define(LITEMRC_INVALIDATE, last);
        words_.define(LITEMRC_CLAIM, LITEMRC_CLAIM_FRAME | LITEMRC_CLAIM_CONTEXT | LITEMRC_CLAIM_ORDER);
        words_.define(LITEMRC_EPOCH_LENGTH, ~0u);
        words_.define(LITEMRC_RANGE_LOWER, last);
        words_.define(LITEMRC_RANGE_UPPER, last, last);
        words_.define(LITEMRC_SAMPLING, 15);
        words_.define(LITEMRC_EV_ENABLE, LITEMRC_EV_ENABLE_EPOCH | LITEMRC_EV_ENABLE_HOT);
        if (!pages)
            return;
        words_.define(LITEMRC_HOT_CONTROL,
                      LITEMRC_HOT_CONTROL_ENABLE | LITEMRC_HOT_CONTROL_READS | LITEMRC_HOT_CONTROL_WRITES |
                          LITEMRC_HOT_CONTROL_ALWAYS_ON | LITEMRC_HOT_CONTROL_SAMPLING_LOG2 | LITEMRC_HOT_CONTROL_ROWS,
                      LITEMRC_HOT_CONTROL_READS | LITEMRC_HOT_CONTROL_WRITES);
        words_.define(LITEMRC_HOT_THRESHOLD, (1u << pages->hot_count_bits()) - 1, 2);
        words_.define(LITEMRC_HOT_WANTED, 2 * pages->hot_pages() - 1, pages->hot_pages());
        words_.define(LITEMRC_HOT_LOWER, last);
        words_.define(LITEMRC_HOT_UPPER, last, last);
        words_.define(LITEMRC_HOT_COMMAND, LITEMRC_HOT_COMMAND_TAKE | LITEMRC_HOT_COMMAND_ACKNOWLEDGE);
        words_.define(LITEMRC_HOT_WATERMARK, 2 * LITEMRC_HOT_QUEUED_MAX - 1, 1);
        set_hot();
    }

    uint32_t read(uint32_t offset) const {
        const bool ready = monitor_.epoch_ready(), waiting = hot_waiting();
        switch (offset) {
        case LITEMRC_VERSION:
            return LITEMRC_REGS_VERSION;
        case LITEMRC_CAPABILITIES:
            return capabilities_;
        case LITEMRC_STACK_CAPABILITIES:
            return stack_capabilities_;
        case LITEMRC_DRAM_CAPABILITIES:
            return dram_capabilities_;
        case LITEMRC_SCALE:
            return with_field(LITEMRC_SCALE_SCALE_LOG2, monitor_.scale_log2());
        case LITEMRC_STATUS: // commands take effect at once: none waits or is lost
            return LITEMRC_STATUS_IDLE | with_field(LITEMRC_STATUS_EPOCH_READY, ready) |
                   with_field(LITEMRC_STATUS_EPOCH_DUE, monitor_.epoch_due()) |
                   with_field(LITEMRC_STATUS_OVERFLOW, monitor_.stack().overflow()) |
                   with_field(LITEMRC_STATUS_FROZEN, monitor_.frozen());
        case LITEMRC_EPOCH:
            return monitor_.stack().epoch();
        case LITEMRC_EPOCH_OUTSIDE:
            return monitor_.stack().outside();
        case LITEMRC_EPOCH_UNSAMPLED:
            return monitor_.stack().unsampled();
        case LITEMRC_EV_STATUS:
        case LITEMRC_EV_PENDING: // levels
            return with_field(LITEMRC_EV_PENDING_EPOCH, ready) | with_field(LITEMRC_EV_PENDING_HOT, waiting);
        }
        if (words_.has(offset))
            return words_[offset];
        return monitor_.pages() ? read_hot(offset) : 0; // dropped and queue_peak: there is no queue
    }

    void write(uint32_t offset, uint32_t value) {
        if (words_.has(offset))
            value = words_.set(offset, value);
        switch (offset) {
        case LITEMRC_CONTROL:
            set_filter();
            monitor_.control({(value & LITEMRC_CONTROL_ENABLE) != 0, (value & LITEMRC_CONTROL_HOLD) != 0,
                              (value & LITEMRC_CONTROL_EPOCH_UNIT) != 0, (value & LITEMRC_CONTROL_FREEZE) != 0,
                              (value & LITEMRC_CONTROL_SINGLE_SHOT) != 0});
            return;
        case LITEMRC_COMMAND:
            return command(value);
        case LITEMRC_CONTEXT:
            return monitor_.set_context(value);
        case LITEMRC_INVALIDATE:
            return monitor_.invalidate(value);
        case LITEMRC_CLAIM:
            return monitor_.claim(field(value, LITEMRC_CLAIM_FRAME), field(value, LITEMRC_CLAIM_CONTEXT) % size_.contexts,
                                  field(value, LITEMRC_CLAIM_ORDER));
        case LITEMRC_EPOCH_LENGTH:
            return monitor_.set_epoch_length(value);
        case LITEMRC_RANGE_LOWER:
        case LITEMRC_RANGE_UPPER:
        case LITEMRC_SAMPLING:
            return set_filter();
        }
        if (monitor_.pages())
            write_hot(offset, value);
    }

    bool interrupt() const { return read(LITEMRC_EV_PENDING) & words_[LITEMRC_EV_ENABLE]; }

    uint32_t window_words() const {
        return counter_words() + page_words() +
               (dram_capabilities_ ? LITEMRC_DRAM_HEAD_WORDS + LITEMRC_DRAM_BANK_WORDS : 0);
    }

    uint32_t window(uint32_t word) const {
        if (word < counter_words())
            return monitor_.stack().window(word);
        word -= counter_words();
        if (word >= page_words())
            return dram_word(word - page_words());
        const Pages &pages = *monitor_.pages();
        if (word < pages.bitmap_words())
            return pages.bitmap(word);
        word -= pages.bitmap_words();
        const HotPage page = pages.hot_page(word / LITEMRC_HOT_PAGE_WORDS);
        return word % LITEMRC_HOT_PAGE_WORDS ? page.count : page.frame;
    }

  private:
    static constexpr uint32_t COMMANDS_LOG2 = 4; // places for commands, of which one is used

    uint32_t counter_words() const { return size_.contexts * LITEMRC_WINDOW_ROW(size_.groups); }

    uint32_t page_words() const {
        const Pages *pages = monitor_.pages();
        return pages ? pages->bitmap_words() + LITEMRC_HOT_PAGE_WORDS * pages->hot_pages() : 0;
    }

    // The counts of the one bank begin as struct litemrc_bank does.
    uint32_t dram_word(uint32_t word) const {
        const DRAMCounts &counts = monitor_.dram_counts();
        return word == LITEMRC_DRAM_HEAD_WORDS       ? counts.reads
               : word == LITEMRC_DRAM_HEAD_WORDS + 1 ? counts.writes
                                                     : 0;
    }

    void set_filter() {
        monitor_.set_filter({words_[LITEMRC_RANGE_LOWER], words_[LITEMRC_RANGE_UPPER], words_[LITEMRC_SAMPLING],
                             (words_[LITEMRC_CONTROL] & LITEMRC_CONTROL_SPLIT) != 0});
    }

    void command(uint32_t value) {
        if (value & LITEMRC_COMMAND_CLEAR)
            monitor_.clear();
        if (value & LITEMRC_COMMAND_ARM)
            monitor_.arm();
        if (value & LITEMRC_COMMAND_RELEASE)
            monitor_.release();
        if (value & LITEMRC_COMMAND_END_EPOCH)
            monitor_.end_epoch();
    }

    bool hot_waiting() const {
        const Pages *pages = monitor_.pages();
        return pages && pages->hot_queued() && pages->hot_queued() >= words_[LITEMRC_HOT_WATERMARK];
    }

    uint32_t read_hot(uint32_t offset) const {
        const Pages &pages = *monitor_.pages();
        const HotList list = pages.hot_list();
        switch (offset) {
        case LITEMRC_HOT_STATUS:
            return with_field(LITEMRC_HOT_STATUS_LISTED, list.listed) | with_field(LITEMRC_HOT_STATUS_MORE, list.more) |
                   with_field(LITEMRC_HOT_STATUS_SATURATED, list.saturated) |
                   with_field(LITEMRC_HOT_STATUS_QUEUE_OVERFLOW, pages.hot_overflow()) |
                   with_field(LITEMRC_HOT_STATUS_WAITING, hot_waiting());
        case LITEMRC_HOT_ACCESSES:
            return list.accesses;
        case LITEMRC_HOT_QUEUE: {
            const HotPage oldest = pages.hot_oldest();
            return with_field(LITEMRC_HOT_QUEUE_FRAME, oldest.frame) | with_field(LITEMRC_HOT_QUEUE_VALID, oldest.valid);
        }
        }
        return 0;
    }

    void write_hot(uint32_t offset, uint32_t value) {
        if (offset >= LITEMRC_HOT_CONTROL && offset <= LITEMRC_HOT_UPPER)
            return set_hot();
        if (offset != LITEMRC_HOT_COMMAND)
            return;
        if (value & LITEMRC_HOT_COMMAND_TAKE)
            monitor_.pages()->take_hot();
        if (value & LITEMRC_HOT_COMMAND_ACKNOWLEDGE)
            monitor_.pages()->acknowledge_hot();
    }

    void set_hot() {
        const uint32_t control = words_[LITEMRC_HOT_CONTROL];
        monitor_.pages()->set_hot(
            {(control & LITEMRC_HOT_CONTROL_ENABLE) != 0, (control & LITEMRC_HOT_CONTROL_READS) != 0,
             (control & LITEMRC_HOT_CONTROL_WRITES) != 0, (control & LITEMRC_HOT_CONTROL_ALWAYS_ON) != 0,
             field(control, LITEMRC_HOT_CONTROL_SAMPLING_LOG2), words_[LITEMRC_HOT_THRESHOLD], words_[LITEMRC_HOT_WANTED],
             words_[LITEMRC_HOT_LOWER], words_[LITEMRC_HOT_UPPER]});
    }

    Monitor &monitor_;
    Size size_;
    uint32_t capabilities_, stack_capabilities_, dram_capabilities_ = 0;
    Words words_;
};

} // namespace monitor_model
