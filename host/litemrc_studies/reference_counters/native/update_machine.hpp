// SPDX-License-Identifier: BSD-2-Clause
// Processors that share memory through copies of pages, kept up to date by messages: protocol UPD.
//
// The model is litemrc_studies.reference_counters.golden.UpdateMachine. A write costs a constant however many copies it updates: a copy's
// UPDATE counter is the number of writes of others to the page, at which it is due, and a page knows the least number
// of writes at which one of its copies can be due.
#pragma once

#include "costs.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace litemrc_native {

template <typename Policy> class UpdateMachine {
  public:
    static constexpr uint32_t FIRST_TOUCH = UINT32_MAX;

    // `home`: the processor at which all pages are, or FIRST_TOUCH. `local_pages`: copies a processor can hold; 0: any.
    UpdateMachine(const NumaCosts &costs, const Policy &policy, uint32_t processors, uint32_t home,
                  uint64_t local_pages)
        : costs_(costs), policy_(policy), processors_(processors), home_(home),
          room_(processors, local_pages ? local_pages : UINT64_MAX) {}

    // References in the order of time. `pages` are numbered densely, from 0.
    void run(const uint32_t *pages, const uint16_t *processors, const uint8_t *writes, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            if (pages[i] >= pages_.size())
                grow(pages[i]);
            writes[i] ? write(pages[i], processors[i]) : read(pages[i], processors[i]);
        }
    }

    const NumaCounts &counts() const { return counts_; }

    // The counters of one processor, and what the policy knows of its pages.
    struct Window {
        UpdateMachine &machine;
        const uint32_t processor;

        typename Policy::Pair &state(uint32_t page) { return machine.pair(page, processor).policy; }

        uint64_t local_reads(uint32_t page) {
            machine.counts_.cycles += machine.costs_.local_access;
            const Pair &own = machine.pair(page, processor);
            return own.copy ? own.local_reads : 0;
        }

        void raise_delays(uint32_t value) {
            for (uint32_t page = 0; page < machine.pages_.size(); ++page) {
                Pair &own = machine.pair(page, processor);
                if (own.copy || !own.left)
                    continue;
                machine.counts_.cycles += 2 * machine.costs_.local_access;
                const uint32_t more = value > own.delay ? value - own.delay : 0;
                own.left += more;
                own.delay += more;
            }
        }
    };

  private:
    struct Page {
        uint64_t writes = 0;
        uint64_t next_due = UINT64_MAX; // no copy's UPDATE fires before so many writes
        uint32_t home = FIRST_TOUCH;
        uint32_t copies = 0; // the home's included
    };
    struct Pair {
        uint64_t own_writes = 0;
        uint64_t since = 0; // writes of others when the counter was armed
        uint64_t due = 0;   // writes of others at which UPDATE fires; 0: never
        uint64_t local_reads = 0, local_writes = 0; // since UPDATE was armed
        uint32_t left = 0;                          // of DELAY
        uint32_t delay = 0;                         // its initial value
        bool copy = false, touched = false;
        typename Policy::Pair policy;
    };

    void grow(uint32_t page) {
        pages_.resize(std::max<size_t>(page + 1, pages_.size() * 2));
        pairs_.resize(pages_.size() * processors_);
        holders_.resize(pages_.size() * ProcessorSet::words(processors_));
    }

    Pair &pair(uint32_t page, uint32_t processor) { return pairs_[size_t(page) * processors_ + processor]; }
    ProcessorSet holders(uint32_t page) {
        return ProcessorSet(&holders_[size_t(page) * ProcessorSet::words(processors_)], processors_);
    }

    Page &placed(uint32_t page, uint32_t processor) {
        Page &it = pages_[page];
        if (it.home == FIRST_TOUCH) {
            it.home = home_ == FIRST_TOUCH ? processor : home_;
            it.copies = 1;
            pair(page, it.home).copy = true;
        }
        return it;
    }

    void read(uint32_t page, uint32_t processor) {
        Page &it = placed(page, processor);
        Pair &own = pair(page, processor);
        if (own.copy) {
            ++own.local_reads;
            ++counts_.local_reads;
            counts_.cycles += costs_.local_access;
            return;
        }
        if (!own.touched) {
            own.touched = true;
            arm_delay(it, own, policy_.first_delay(processor));
        }
        if (own.left && !--own.left && replicate(it, page, own, processor)) {
            ++own.local_reads;
            ++counts_.local_reads;
            counts_.cycles += costs_.local_access;
            return;
        }
        ++counts_.remote_reads;
        counts_.cycles += costs_.remote_read;
    }

    void write(uint32_t page, uint32_t processor) {
        Page &it = placed(page, processor);
        Pair &own = pair(page, processor);
        ++it.writes;
        ++own.own_writes;
        const uint64_t others = it.copies - 1; // but the writer's, or the home's, which a remote write goes to
        counts_.updates_sent += others;
        counts_.cycles += others * costs_.update + (own.copy ? costs_.local_access : costs_.remote_write);
        own.local_writes += own.copy;
        ++(own.copy ? counts_.local_writes : counts_.remote_writes);
        if (it.writes >= it.next_due)
            deliver(it, page);
    }

    // DELAY has fired: is the page here now?
    bool replicate(Page &it, uint32_t page, Pair &own, uint32_t processor) {
        const uint64_t foreign = it.writes - own.own_writes;
        const auto answer = policy_.on_delay(Window{*this, processor}, page, own.delay, foreign - own.since);
        counts_.cycles += answer.asks * costs_.remote_read;
        if (!answer.replicate || !room_[processor]) {
            counts_.refused += answer.replicate;
            ++counts_.interrupts;
            counts_.cycles += costs_.page_fault;
            arm_delay(it, own, answer.replicate ? own.delay : answer.value);
            return false;
        }
        ++counts_.replications;
        counts_.cycles += costs_.replication;
        --room_[processor];
        own.copy = true;
        ++it.copies;
        holders(page).add(processor);
        arm_update(it, own, answer.value);
        return true;
    }

    void arm_delay(const Page &it, Pair &own, uint32_t value) {
        own.left = own.delay = value;
        own.since = it.writes - own.own_writes;
    }

    void arm_update(Page &it, Pair &own, uint32_t value) {
        own.since = it.writes - own.own_writes;
        own.due = value ? own.since + value : 0;
        own.local_reads = own.local_writes = 0;
        if (value)
            it.next_due = std::min(it.next_due, it.writes + value);
    }

    // Serves the UPDATE counters that have reached 0, processor by processor.
    void deliver(Page &it, uint32_t page) {
        it.next_due = UINT64_MAX;
        holders(page).for_each([&](uint32_t processor) {
            Pair &own = pair(page, processor);
            if (!own.due)
                return;
            const uint64_t foreign = it.writes - own.own_writes;
            if (foreign < own.due) {
                it.next_due = std::min(it.next_due, it.writes + own.due - foreign);
                return;
            }
            ++counts_.interrupts;
            counts_.cycles += costs_.page_fault;
            const auto answer = policy_.on_update(Window{*this, processor}, page, foreign - own.since,
                                                  own.local_reads, own.local_writes);
            if (!answer.drop) {
                arm_update(it, own, answer.value);
                return;
            }
            ++counts_.invalidations;
            own.copy = false;
            own.due = 0;
            ++room_[processor];
            --it.copies;
            holders(page).remove(processor);
            arm_delay(it, own, answer.value);
        });
    }

    const NumaCosts costs_;
    Policy policy_;
    const uint32_t processors_, home_;
    std::vector<uint64_t> room_;
    std::vector<Page> pages_;
    std::vector<Pair> pairs_;
    std::vector<uint64_t> holders_; // of copies, but at home; a set a page
    NumaCounts counts_;
};

} // namespace litemrc_native
