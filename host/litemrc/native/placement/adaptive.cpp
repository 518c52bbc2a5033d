#include "adaptive.hpp"

namespace litemrc_native {

namespace {

// Blocks looked at for each one that may be moved: what a step costs is bounded even if there is little to move.
constexpr uint32_t VISITS_PER_MOVE = 8;

} // namespace

Adaptive::Adaptive(PhysicalMemory &memory, const AdaptiveParameters &parameters)
    : Allocator(memory), parameters_(parameters), segments_(memory),
      pool_of_block_(memory.frames() / LARGEST_BLOCK, NO_POOL), off_((segments_.count() + 63) / 64) {
    if (parameters_.moves_per_operation == 0)
        parameters_.moves_per_operation = UINT32_MAX / VISITS_PER_MOVE;
    for (size_t zone = 0; zone < memory.zones().size(); ++zone)
        for (unsigned kind = 0; kind < 2; ++kind)
            pools_.push_back({FreeLists(memory)});
    for (uint32_t index = 0; index < segments_.count(); ++index) {
        banks_.push_back({segments_[index].zone, segments_[index].frames()});
        enter(index, OFF);
        if (segments_[index].crossing) { // always in use: the kernel's
            banks_[index].kind = KERNEL;
            enter(index, POOLED);
            while (!advance(index, UINT32_MAX / VISITS_PER_MOVE))
                ;
        }
    }
    memory.list_work = moves_ = visits_ = 0;
}

// With each operation a part of what is on the way.
inline void Adaptive::help() {
    if (!on_the_way_.empty())
        help_first();
}

void Adaptive::help_first() {
    const uint32_t index = on_the_way_.front();
    if (banks_[index].state != OFF && !advance(index, parameters_.moves_per_operation))
        return;
    banks_[index].queued = false;
    on_the_way_.pop_front();
}

bool Adaptive::is_offline(uint32_t unit) const {
    return !memory_.unit(unit).crossing && banks_[of_unit(unit)].state == OFF;
}

bool Adaptive::is_isolated(uint32_t unit) const { return banks_[of_unit(unit)].state == ISOLATED; }

bool Adaptive::isolate(uint32_t unit) {
    const uint32_t index = of_unit(unit);
    Bank &bank = banks_[index];
    if (bank.state == POOLED)
        enter(index, ISOLATED);
    return bank.state != ISOLATED || advance(index, parameters_.moves_per_operation);
}

bool Adaptive::rejoin(uint32_t unit) {
    const uint32_t index = of_unit(unit);
    Bank &bank = banks_[index];
    if (bank.state == ISOLATED)
        enter(index, POOLED);
    return bank.state != POOLED || advance(index, parameters_.moves_per_operation);
}

uint64_t Adaptive::free_for_movable(uint32_t node) const {
    uint64_t free = 0;
    for (uint32_t zone = 0; zone < memory_.zones().size(); ++zone)
        if (memory_.zones()[zone].node == node)
            free += pools_[2 * zone + USER].free;
    return free;
}

uint64_t Adaptive::metadata_bytes() const {
    return pools_.size() * (sizeof(Pool) + FreeLists::bytes()) + banks_.size() * sizeof(Bank) +
           off_.size() * sizeof(uint64_t) + pool_of_block_.size() * 2 * sizeof(uint32_t);
}

uint32_t Adaptive::take(const Request &request) {
    const Kind kind = request.movable ? USER : KERNEL;
    help();
    uint32_t frame = take_without_waking(request, kind);
    if (frame == NO_FRAME && request.wake)
        frame = take_by_waking(request, kind);
    if (frame == NO_FRAME && request.wake)
        frame = take_anything(request, kind);
    return frame;
}

inline uint32_t Adaptive::take_without_waking(const Request &request, Kind kind) {
    for (const uint32_t zone : memory_.zone_order(request.node, request.kind)) {
        Pool &from = pool(zone, kind);
        const uint32_t frame = from.lists.take(request.order);
        if (frame == NO_FRAME)
            continue;
        taken(from, frame, request.order);
        if (from.free < parameters_.reserve_frames && on_the_way_.empty() && request.wake)
            bring(zone, kind); // ahead of need
        return frame;
    }
    return NO_FRAME;
}

// Banks on their way first, then one that is off.
uint32_t Adaptive::take_by_waking(const Request &request, Kind kind) {
    for (const uint32_t zone : memory_.zone_order(request.node, request.kind)) {
        Pool &to = pool(zone, kind);
        for (size_t at = 0; at < on_the_way_.size(); ++at) {
            const Bank &bank = banks_[on_the_way_[at]];
            if (bank.state != POOLED || bank.zone != zone || bank.kind != kind)
                continue;
            advance(on_the_way_[at], parameters_.moves_per_operation);
            if (const uint32_t frame = to.lists.take(request.order); frame != NO_FRAME)
                return taken(to, frame, request.order);
            break;
        }
        const uint32_t brought = bring(zone, kind);
        if (brought == NO_BANK)
            continue;
        advance(brought, parameters_.moves_per_operation);
        if (const uint32_t frame = to.lists.take(request.order); frame != NO_FRAME)
            return taken(to, frame, request.order);
    }
    return NO_FRAME;
}

// No bank is off any more: those that are isolated come back, step by step until there is a block; then the other pool.
uint32_t Adaptive::take_anything(const Request &request, Kind kind) {
    for (const uint32_t zone : memory_.zone_order(request.node, request.kind)) {
        for (uint32_t index = segments_.begin(zone); index < segments_.end(zone); ++index) {
            Bank &bank = banks_[index];
            if (bank.state == ISOLATED || bank.state == LEAVING)
                enter(index, POOLED);
            for (bool settled = false; bank.state == POOLED && bank.cursor < bank.frames && !settled;) {
                settled = advance(index, parameters_.moves_per_operation);
                const uint32_t frame = pool(zone, kind).lists.take(request.order);
                if (frame == NO_FRAME)
                    continue;
                queue(index);
                return taken(pool(zone, kind), frame, request.order);
            }
        }
    }
    for (const Kind from : {kind, kind == USER ? KERNEL : USER})
        for (const uint32_t zone : memory_.zone_order(request.node, request.kind))
            if (const uint32_t frame = pool(zone, from).lists.take(request.order); frame != NO_FRAME)
                return taken(pool(zone, from), frame, request.order);
    return NO_FRAME;
}

inline uint32_t Adaptive::taken(Pool &pool, uint32_t frame, unsigned order) {
    if (pool_of_block_[frame >> MAX_ORDER] != NO_POOL)
        pool.free -= block_frames(order);
    else
        taken_from_leaving(frame, order);
    return frame;
}

// Of a bank whose blocks are not all off the lists yet: if it leaves because it was empty, it stays.
void Adaptive::taken_from_leaving(uint32_t frame, unsigned order) {
    const uint32_t index = segments_.of(frame);
    if (banks_[index].state != LEAVING)
        return;
    enter(index, POOLED);
    queue(index);
    pool_of(banks_[index]).free -= block_frames(order); // not counted as used yet
}

void Adaptive::give(uint32_t frame, unsigned order) {
    const uint32_t to = pool_of_block_[frame >> MAX_ORDER];
    if (to == NO_POOL)
        return gave_to_absent(frame, order);
    pools_[to].free += block_frames(order);
    const uint32_t merged = coalesce(memory_, frame, order);
    pools_[to].lists.add(merged, order);
    if (order == MAX_ORDER && is_empty(segments_.of(frame)))
        leave_if_spare(segments_.of(frame));
    help();
}

void Adaptive::gave_to_absent(uint32_t frame, unsigned order) {
    const uint32_t index = segments_.of(frame);
    frame = coalesce(memory_, frame, order);
    memory_.set_state(frame, FREE_HELD, order);
    if (banks_[index].state == ISOLATED && banks_[index].cursor == banks_[index].frames && is_empty(index))
        enter(index, OFF);
    help();
}

bool Adaptive::tidy() {
    help();
    if (!on_the_way_.empty())
        return false;
    for (uint32_t visits = 0; tidied_ < banks_.size(); ++tidied_, ++visits) {
        if (visits == VISITS_PER_MOVE)
            return false;
        if (is_empty(tidied_))
            leave_if_spare(tidied_);
    }
    tidied_ = 0;
    return on_the_way_.empty();
}

// A bank that is off and lies nearest to the end of its zone that this kind grows from, or NO_BANK.
uint32_t Adaptive::off_bank(uint32_t zone, Kind kind) const {
    const uint32_t begin = segments_.begin(zone), end = segments_.end(zone);
    const uint32_t first = begin / 64, words = (end + 63) / 64 - first;
    for (uint32_t at = 0; at < words; ++at) {
        const uint32_t word = kind == KERNEL ? first + at : first + words - 1 - at;
        uint64_t bits = off_[word];
        if (word == begin / 64)
            bits &= ~uint64_t(0) << begin % 64;
        if (word == end / 64)
            bits &= ~(~uint64_t(0) << end % 64);
        if (bits)
            return word * 64 + uint32_t(kind == KERNEL ? __builtin_ctzll(bits) : 63 - __builtin_clzll(bits));
    }
    return NO_BANK;
}

uint32_t Adaptive::bring(uint32_t zone, Kind kind) {
    const uint32_t index = off_bank(zone, kind);
    if (index != NO_BANK) {
        banks_[index].kind = kind;
        enter(index, POOLED);
        queue(index);
    }
    return index;
}

void Adaptive::enter(uint32_t index, State state) {
    Bank &bank = banks_[index];
    // Of a unit that crosses a border this is wrong when it is in use, but then it never leaves its pool.
    const uint32_t free = bank.frames - memory_.unit(segments_[index].unit).used;
    if (bank.state == POOLED)
        pool_of(bank).free -= free;
    bank.state = state;
    bank.cursor = 0;
    if (state == POOLED)
        pool_of(bank).free += free;
    for (const uint32_t block : segments_[index].blocks)
        pool_of_block_[block >> MAX_ORDER] = state == POOLED ? 2 * bank.zone + bank.kind : NO_POOL;
    const uint64_t bit = uint64_t(1) << index % 64;
    off_[index / 64] = state == OFF ? off_[index / 64] | bit : off_[index / 64] & ~bit;
}

void Adaptive::queue(uint32_t index) {
    if (!banks_[index].queued)
        on_the_way_.push_back(index);
    banks_[index].queued = true;
}

// Puts some more of a bank's free blocks onto its pool's lists, or takes them off; true: all are where they belong.
bool Adaptive::advance(uint32_t index, uint32_t moves) {
    Bank &bank = banks_[index];
    const Segment &segment = segments_[index];
    FreeLists &lists = pool_of(bank).lists;
    const bool listed = bank.state == POOLED;
    const uint8_t wrong = listed ? FREE_HELD : FREE_LISTED;
    for (uint32_t visits = moves * VISITS_PER_MOVE; bank.cursor < bank.frames; --visits) {
        if (moves == 0 || visits == 0)
            return false;
        ++visits_;
        const uint32_t frame = segment.blocks[bank.cursor >> MAX_ORDER] + bank.cursor % LARGEST_BLOCK;
        const uint8_t state = memory_.state(frame);
        const unsigned order = memory_.order(frame);
        if (state & wrong) {
            if (listed)
                lists.add_last(frame, order);
            else {
                memory_.unlink(frame);
                memory_.set_state(frame, FREE_HELD, order);
            }
            ++moves_;
            --moves;
        }
        bank.cursor += state == INSIDE ? 1 : block_frames(order);
    }
    if (!listed && is_empty(index))
        enter(index, OFF);
    return true;
}

// An empty bank leaves if that does not bring the next one soon.
void Adaptive::leave_if_spare(uint32_t index) {
    const Bank &bank = banks_[index];
    if (bank.state != POOLED || segments_[index].crossing ||
        pool_of(bank).free < uint64_t(bank.frames) + parameters_.reserve_frames + bank.frames / 4)
        return;
    enter(index, LEAVING);
    queue(index);
}

} // namespace litemrc_native
