// SPDX-License-Identifier: BSD-2-Clause
// Physical memory as page allocators see it: frames of 4 KB in nodes and zones, spread over power units (banks or
// ranks); blocks of 2^order frames, free or in use; the owner of each block. Every allocator works on one of these.
#pragma once

#include <cstdint>
#include <vector>

namespace litemrc_native {

constexpr unsigned MAX_ORDER = 10; // of a block: 4 MB, as in Linux
constexpr unsigned ORDERS = MAX_ORDER + 1;
constexpr uint32_t LARGEST_BLOCK = 1u << MAX_ORDER; // frames
constexpr uint32_t NO_FRAME = UINT32_MAX;
constexpr uint32_t NO_OWNER = UINT32_MAX;

constexpr uint32_t block_frames(unsigned order) { return 1u << order; }

// A run of frames of one node for one purpose. Kinds as in Linux, the most restricted first: 0 DMA, 1 DMA32, 2 normal.
struct Zone {
    uint32_t node, kind, first, frames;
    uint32_t end() const { return first + frames; }
};

struct MemoryShape {
    uint32_t frames;         // a multiple of LARGEST_BLOCK
    uint32_t unit_frames;    // of a power unit; sequential: a multiple of LARGEST_BLOCK
    uint32_t stripe_frames;  // 0: units lie one behind the other; else so many neighbouring frames (a power of two) lie
                             // on one unit, the next ones on the next unit, and so on
    std::vector<Zone> zones; // from frame 0 to the end, each a multiple of LARGEST_BLOCK
};

// What a frame is the first one of. The low four bits are the order; 0 alone: inside a block.
enum BlockState : uint8_t {
    INSIDE = 0,
    FREE_LISTED = 0x10,   // on a free list
    FREE_HELD = 0x20,     // free, on no list: cannot be allocated
    FREE_ISOLATED = 0x30, // on a list of isolated ones: to be had if there is nothing else
    USED_MOVABLE = 0x40,
    USED_UNMOVABLE = 0x80,
};
constexpr uint8_t FREE_BITS = FREE_LISTED | FREE_HELD | FREE_ISOLATED; // one at least in every free state, in no other

struct Unit {
    uint32_t frames = 0;
    uint32_t used = 0;      // frames in use
    uint32_t unmovable = 0; // of them
    uint32_t zone = 0;      // index of its zone; of one that crosses a boundary: of the first
    bool crossing = false;  // lies in several zones: always in use
};

class PhysicalMemory {
  public:
    // Initially all frames are free on no list (FREE_HELD, blocks of MAX_ORDER).
    explicit PhysicalMemory(MemoryShape shape);

    const MemoryShape &shape() const { return shape_; }
    uint32_t frames() const { return shape_.frames; }
    const std::vector<Zone> &zones() const { return shape_.zones; }
    uint32_t zone_of(uint32_t frame) const { return zone_of_[frame >> MAX_ORDER]; }
    uint32_t nodes() const { return nodes_; }
    // Zones to try for a request: of its node from `kind` downwards, then of the others.
    const std::vector<uint32_t> &zone_order(uint32_t node, uint32_t kind) const { return orders_[node * 3 + kind]; }

    uint32_t units() const { return uint32_t(units_.size()); }
    const Unit &unit(uint32_t index) const { return units_[index]; }
    uint32_t unit_of(uint32_t frame) const {
        return unit_of_.empty() ? (frame / shape_.stripe_frames) % units() : unit_of_[frame >> MAX_ORDER];
    }
    // Every block lies in one unit: what bank-aware allocators need.
    bool blocks_in_units() const { return !unit_of_.empty(); }
    // Blocks of MAX_ORDER that are a unit's, in order of address. Only if blocks_in_units().
    const std::vector<uint32_t> &unit_blocks(uint32_t index) const { return unit_blocks_[index]; }

    uint8_t state(uint32_t frame) const { return states_[frame]; }
    unsigned order(uint32_t frame) const { return states_[frame] & 0xf; }
    bool is_free(uint32_t frame) const { return states_[frame] & FREE_BITS; }
    bool is_used(uint32_t frame) const { return states_[frame] & (USED_MOVABLE | USED_UNMOVABLE); }
    bool is_movable(uint32_t frame) const { return states_[frame] & USED_MOVABLE; }
    bool is_free_block(uint32_t frame, unsigned order) const {
        return this->order(frame) == order && is_free(frame);
    }
    void set_state(uint32_t frame, BlockState kind, unsigned order) { states_[frame] = uint8_t(kind | order); }
    void set_inside(uint32_t frame) { states_[frame] = INSIDE; }

    // A block taken off its list begins or ends to be used: what is counted of its units.
    void use(uint32_t frame, unsigned order, bool movable) {
        set_state(frame, movable ? USED_MOVABLE : USED_UNMOVABLE, order);
        used_ += block_frames(order);
        count(frame, order, movable, 1);
    }
    // Returns the block's order. The caller sets its state.
    unsigned release(uint32_t frame) {
        const unsigned order = this->order(frame);
        used_ -= block_frames(order);
        count(frame, order, is_movable(frame), uint32_t(-1));
        return order;
    }
    uint32_t used() const { return used_; }

    // Owner of the block that begins at a frame: a number chosen by the user.
    uint32_t owner(uint32_t frame) const { return owners_[frame]; }
    void set_owner(uint32_t frame, uint32_t owner) { owners_[frame] = owner; }

    // Doubly linked rings through blocks and list heads; a head is a node behind the frames.
    struct Link {
        uint32_t next, previous;
    };
    uint32_t add_list();
    uint32_t next(uint32_t node) const { return links_[node].next; }
    void insert(uint32_t node, uint32_t behind) {
        const uint32_t next = links_[behind].next;
        links_[node] = {next, behind};
        links_[behind].next = node;
        links_[next].previous = node;
        ++list_work;
    }
    void unlink(uint32_t node) {
        const Link link = links_[node];
        links_[link.previous].next = link.next;
        links_[link.next].previous = link.previous;
        ++list_work;
    }
    uint32_t previous(uint32_t node) const { return links_[node].previous; }
    uint32_t lists() const { return uint32_t(links_.size()) - shape_.frames; }

    // Prefetches, ahead of a block's release, the state of the block; later, the state read when merging with its
    // first buddy touches.
    void fetch_block(uint32_t frame) const {
        __builtin_prefetch(&states_[frame], 1);
        __builtin_prefetch(&links_[frame], 1);
    }
    void fetch_buddy(uint32_t frame) const {
        const uint32_t buddy = frame ^ (block_frames(order(frame)) & (LARGEST_BLOCK - 1));
        if (!(states_[buddy] & FREE_LISTED))
            return;
        __builtin_prefetch(&links_[links_[buddy].next], 1);
        __builtin_prefetch(&links_[links_[buddy].previous], 1);
    }

    uint64_t list_work = 0; // insertions and removals, of all lists

  private:
    void count(uint32_t frame, unsigned order, bool movable, uint32_t sign) {
        if (!unit_of_.empty() || shape_.stripe_frames >> order) {
            count_in(unit_of(frame), block_frames(order) * sign, movable);
            return;
        }
        for (uint32_t at = 0; at < block_frames(order); at += shape_.stripe_frames)
            count_in(unit_of(frame + at), shape_.stripe_frames * sign, movable);
    }
    void count_in(uint32_t unit, uint32_t frames, bool movable) {
        units_[unit].used += frames;
        if (!movable)
            units_[unit].unmovable += frames;
    }

    MemoryShape shape_;
    std::vector<uint8_t> states_;
    std::vector<Link> links_;
    std::vector<uint32_t> owners_;
    std::vector<Unit> units_;
    std::vector<uint32_t> unit_of_; // of each block of MAX_ORDER; empty: stripes are smaller
    std::vector<std::vector<uint32_t>> unit_blocks_;
    std::vector<uint8_t> zone_of_; // of each block of MAX_ORDER
    std::vector<std::vector<uint32_t>> orders_;
    uint32_t nodes_ = 0, used_ = 0;
};

} // namespace litemrc_native
