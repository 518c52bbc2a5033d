// SPDX-License-Identifier: BSD-2-Clause
// The units of hls/ that follow single pages, for a memory of LITEMRC_FRAMES frames; compiled once for each memory.
#include "pages.hpp"

#include <ap_int.h>

// The namespace must differ from that of the other sizes: hls/ takes its sizes from macros.
#define LITEMRC_UNITS_ONLY
#define litemrc MODEL_NAMESPACE
#include "hot_pages/hot_pages.cpp"
#include "page_bitmap/page_bitmap.cpp"
#include "ref_counters/ref_counters.cpp"

namespace {

using namespace litemrc;

class Compiled : public monitor_model::Pages {
  public:
    Compiled() : bitmap_(new PageBitmap), hot_(new HotPages) { reset(); }

    void reset() override {
        bitmap_->reset();
        hot_->reset();
        refs_.reset();
        events_.reset();
        ref_settings_ = {};
        hot_enabled_ = overflow_ = false;
        listed_ = HotEpoch{};
    }

    void step(const monitor_model::Operation &operation, bool outside) override {
        const bool access = operation.kind == monitor_model::Kind::ACCESS;
        const Op nothing{OP_MARK, 0, 0, 0, operation.epoch_end};
        const Op op{unsigned(operation.kind), operation.frame, 0, operation.write, operation.epoch_end};
        bitmap_->step(access && (outside || operation.frozen) ? nothing : op);
        if (!hot_enabled_)
            return;
        if (hot_->step(access && operation.frozen ? nothing : op, hot_settings_))
            listed_ = hot_->epoch();
        overflow_ |= hot_->take_overflow();
    }

    uint32_t bitmap_words() const override { return 2 * BANK_WORDS; }
    uint32_t bitmap(uint32_t word) const override {
        const BitmapWord found = bitmap_->published(int(word % BANK_WORDS));
        return uint32_t(word < unsigned(BANK_WORDS) ? found.accessed : found.written);
    }

    uint32_t hot_pages() const override { return HOT_PAGES; }
    uint32_t hot_count_bits() const override { return HOT_COUNT_BITS; }
    void set_hot(const monitor_model::HotSettings &s) override {
        hot_enabled_ = s.enable;
        hot_settings_ = {s.lower,     s.upper,  unsigned(s.reads) + 2 * unsigned(s.writes), s.sampling_log2,
                         s.threshold, s.wanted, s.always_on};
    }
    monitor_model::HotList hot_list() const override {
        return {uint32_t(listed_.listed), uint32_t(listed_.accesses), listed_.more != 0, listed_.saturated != 0};
    }
    monitor_model::HotPage hot_page(uint32_t place) const override {
        const HotPage page = hot_->page(int(place));
        return {uint32_t(page.frame), uint32_t(page.count), place < uint32_t(listed_.listed)};
    }
    uint32_t hot_queued() const override { return uint32_t(hot_->queued()); }
    monitor_model::HotPage hot_oldest() const override {
        return {hot_->queued() ? uint32_t(hot_->oldest().frame) : 0, 0, hot_->queued() != 0};
    }
    void take_hot() override {
        if (hot_->queued())
            hot_->take();
    }
    bool hot_overflow() const override { return overflow_; }
    void acknowledge_hot() override { overflow_ = false; }

    monitor_model::RefSizes ref_sizes() const override {
        return {REFERENCE_BITS, MASTERS, CONTEXTS, EVENT_QUEUE, PAGE_COUNTERS};
    }
    void set_refs(uint32_t counter, const monitor_model::RefSettings &s) override {
        ref_settings_.selectors[counter] = {s.reads, s.writes, s.masters, s.contexts, s.lower, s.upper};
        ref_settings_.initials[counter] = s.initial;
    }
    void request(uint32_t page, bool write, uint32_t master, uint32_t context) override {
        operate({REF_REQUEST, page, write, master, context, 0, 0, 0});
    }
    void reset_refs() override { operate({REF_RESET, 0, 0, 0, 0, 0, 0, 0}); }
    uint32_t ref(uint32_t page, uint32_t counter) override {
        return refs_ ? operate({REF_READ, page, 0, 0, 0, counter, 0, 0}) : 0;
    }
    void load_ref(uint32_t page, uint32_t counter, uint32_t value) override {
        operate({REF_LOAD, page, 0, 0, 0, counter, value, 0});
    }
    monitor_model::RefEvent ref_event() const override {
        const RefEvent event = events_.front();
        return {event.valid != 0, uint32_t(event.page), uint32_t(event.counter)};
    }
    void take_ref_event() override { events_.take(); }
    uint32_t refs_fired() const override { return uint32_t(events_.fired()); }
    uint32_t refs_lost() const override { return uint32_t(events_.lost()); }

  private:
    uint32_t operate(const RefOp &op) {
        if (!refs_) {
            refs_.reset(new RefCounters);
            refs_->reset();
        }
        reference_t value = 0;
        events_.push(op.page, refs_->step(op, ref_settings_, value));
        return uint32_t(value);
    }

    std::unique_ptr<PageBitmap> bitmap_;
    std::unique_ptr<HotPages> hot_;
    std::unique_ptr<RefCounters> refs_;
    EventQueue events_;
    RefSettings ref_settings_{};
    ::litemrc::HotSettings hot_settings_{};
    HotEpoch listed_{};
    bool hot_enabled_ = false, overflow_ = false;
};

std::unique_ptr<monitor_model::Pages> make() { return std::make_unique<Compiled>(); }

const bool registered = [] {
    monitor_model::page_sizes().push_back({LITEMRC_FRAMES, &make});
    return true;
}();

} // namespace
