// SPDX-License-Identifier: BSD-2-Clause
#include "stress.hpp"

namespace litemrc_native {

namespace {

class Random { // SplitMix64
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t below(uint64_t limit) {
        uint64_t bits = state_ += 0x9e3779b97f4a7c15;
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
        return (bits ^ bits >> 31) % limit;
    }

  private:
    uint64_t state_;
};

struct Held {
    uint32_t number, frame;
    uint8_t order;
    bool movable;
};

class Stress {
  public:
    Stress(Allocator &allocator, const StressOptions &options)
        : allocator_(allocator), memory_(allocator.memory()), options_(options), machine_(allocator),
          migration_(machine_, {UINT64_MAX, 0, 100}), random_(options.seed), holder_(memory_.frames(), NO_OWNER) {}

    StressReport run() {
        bool filling = true;
        uint64_t limit = uint64_t(memory_.frames()) * options_.fullest_percent / 100;
        for (at_ = 0; at_ < options_.operations && wrong_.empty(); ++at_) {
            // The load rises and falls between changing levels, so that banks fill, empty and are taken again.
            if (filling ? memory_.used() >= limit : memory_.used() <= limit) {
                filling = !filling;
                limit = uint64_t(memory_.frames()) * random_.below(options_.fullest_percent + 1) / 100;
            }
            if (held_.empty() || random_.below(100) < (filling ? 70u : 30u))
                allocate();
            else
                free(random_.below(held_.size()));
            if (random_.below(64) == 0)
                allocator_.tidy();
            if (options_.migrates)
                migrate();
            if (options_.checked_every && at_ % options_.checked_every == 0)
                look_at_all();
        }
        while (!held_.empty() && wrong_.empty())
            free(held_.size() - 1);
        if (wrong_.empty())
            finish();
        report_.wrong = wrong_.empty() ? "" : "operation " + std::to_string(at_) + ": " + wrong_;
        report_.copied_frames = migration_.copied_frames();
        report_.emptied_units = migration_.emptied_units();
        return report_;
    }

  private:
    void fail(const std::string &what) {
        if (wrong_.empty())
            wrong_ = what;
    }

    void allocate() {
        // Mostly single pages, as in Linux.
        unsigned order = 0;
        while (order < MAX_ORDER && random_.below(3) == 0)
            ++order;
        const bool movable = random_.below(100) >= options_.unmovable_percent;
        uint32_t number = numbers_;
        if (spare_numbers_.empty())
            ++numbers_;
        else {
            number = spare_numbers_.back();
            spare_numbers_.pop_back();
        }
        const uint8_t code = uint8_t(order | (movable ? 0 : EVENT_UNMOVABLE));
        const uint8_t node = uint8_t(random_.below(memory_.nodes()));
        machine_.run(&code, &number, &node, 1);
        const uint32_t frame = machine_.frame_of(number);
        ++(frame == NO_FRAME ? report_.refused : report_.allocations);
        if (frame == NO_FRAME) {
            spare_numbers_.push_back(number);
            if (random_.below(16) == 0 && !free_of(order).empty()) // it takes long
                fail("no block of order " + std::to_string(order) + ", but one is free at frame " + free_of(order));
            return;
        }
        if (frame % block_frames(order) || frame + block_frames(order) > memory_.frames())
            return fail("frame " + std::to_string(frame) + " begins no block of order " + std::to_string(order));
        if (allocator_.is_offline(memory_.unit_of(frame)))
            return fail("frame " + std::to_string(frame) + " is of a unit that is offline");
        for (uint32_t at = frame; at < frame + block_frames(order); ++at) {
            if (holder_[at] != NO_OWNER)
                return fail("frame " + std::to_string(at) + " is handed out twice");
            holder_[at] = number;
        }
        held_.push_back({number, frame, uint8_t(order), movable});
    }

    // Returns a free block of that size, in words; empty: none.
    std::string free_of(unsigned order) const {
        for (uint32_t frame = 0; frame < memory_.frames(); frame += block_frames(order)) {
            uint32_t at = frame;
            while (at < frame + block_frames(order) && holder_[at] == NO_OWNER)
                ++at;
            if (at == frame + block_frames(order))
                return std::to_string(frame);
        }
        return "";
    }

    void free(size_t index) {
        const Held held = held_[index];
        const uint8_t code = EVENT_FREE;
        machine_.run(&code, &held.number, nullptr, 1);
        for (uint32_t at = held.frame; at < held.frame + block_frames(held.order); ++at)
            holder_[at] = NO_OWNER;
        spare_numbers_.push_back(held.number);
        held_[index] = held_.back();
        held_.pop_back();
    }

    // A step now and then; the book follows what was copied, by what the machine says of each owner.
    void migrate() {
        if (migrating_) {
            if (random_.below(4))
                return;
            migrating_ = !migration_.step(uint32_t(random_.below(512)));
            if (migration_.copied_frames() == copied_)
                return;
            copied_ = migration_.copied_frames();
            follow();
        } else if (random_.below(memory_.frames() / 4) == 0) {
            migration_.begin();
            migrating_ = true;
        }
    }

    void follow() {
        std::vector<uint32_t> moved;
        for (uint32_t index = 0; index < held_.size(); ++index)
            if (machine_.frame_of(held_[index].number) != held_[index].frame)
                moved.push_back(index);
        for (const uint32_t index : moved)
            for (uint32_t at = 0; at < block_frames(held_[index].order); ++at)
                holder_[held_[index].frame + at] = NO_OWNER;
        for (const uint32_t index : moved) {
            Held &held = held_[index];
            if (!held.movable)
                return fail("an unmovable page was copied");
            held.frame = machine_.frame_of(held.number);
            if (memory_.owner(held.frame) != held.number)
                return fail("the copy at frame " + std::to_string(held.frame) + " has another owner");
            for (uint32_t at = held.frame; at < held.frame + block_frames(held.order); ++at) {
                if (holder_[at] != NO_OWNER)
                    return fail("frame " + std::to_string(at) + " is overwritten by a copy");
                holder_[at] = held.number;
            }
        }
    }

    // Compares the memory with the record.
    void look_at_all() {
        std::vector<uint32_t> used(memory_.units()), unmovable(memory_.units());
        for (const Held &held : held_) {
            if (memory_.owner(held.frame) != held.number || memory_.order(held.frame) != held.order ||
                memory_.is_movable(held.frame) != held.movable || !memory_.is_used(held.frame))
                return fail("the memory does not know the block at frame " + std::to_string(held.frame));
            for (uint32_t at = held.frame; at < held.frame + block_frames(held.order); ++at) {
                ++used[memory_.unit_of(at)];
                unmovable[memory_.unit_of(at)] += !held.movable;
            }
        }
        for (uint32_t unit = 0; unit < memory_.units(); ++unit) {
            if (used[unit] != memory_.unit(unit).used || unmovable[unit] != memory_.unit(unit).unmovable)
                fail("wrong counts of unit " + std::to_string(unit));
            report_.offline_seen += allocator_.is_offline(unit);
            if (used[unit] && allocator_.is_offline(unit))
                fail("unit " + std::to_string(unit) + " is offline and holds pages");
        }
        // Blocks tile memory, and free buddies are one block.
        for (uint32_t frame = 0; frame < memory_.frames();) {
            const unsigned order = memory_.order(frame);
            if (memory_.state(frame) == INSIDE || memory_.is_used(frame) != (holder_[frame] != NO_OWNER))
                return fail("frame " + std::to_string(frame) + " does not begin the block it should");
            const uint32_t buddy = frame ^ block_frames(order);
            if (order < MAX_ORDER && memory_.is_free(frame) && memory_.is_free_block(buddy, order))
                return fail("frames " + std::to_string(frame) + " and " + std::to_string(buddy) + " are not merged");
            frame += block_frames(order);
        }
    }

    // Everything is free again, as at the start, in largest blocks.
    void finish() {
        look_at_all();
        if (migrating_)
            while (!migration_.step(LARGEST_BLOCK))
                ;
        for (uint32_t rounds = 0; !allocator_.tidy() && rounds < memory_.frames(); ++rounds)
            ;
        for (uint32_t frame = 0; frame < memory_.frames(); frame += LARGEST_BLOCK)
            if (!memory_.is_free_block(frame, MAX_ORDER))
                return fail("frame " + std::to_string(frame) + " is not merged at the end");
        std::vector<bool> seen(memory_.frames() / LARGEST_BLOCK);
        Request request;
        request.order = MAX_ORDER;
        for (size_t block = 0; block < seen.size(); ++block) {
            const uint32_t frame = allocator_.allocate(request);
            if (frame == NO_FRAME || frame % LARGEST_BLOCK || seen[frame / LARGEST_BLOCK])
                return fail("not all of memory can be had again");
            seen[frame / LARGEST_BLOCK] = true;
        }
        if (allocator_.allocate(request) != NO_FRAME)
            return fail("more memory than there is");
        for (uint32_t frame = 0; frame < memory_.frames(); frame += LARGEST_BLOCK)
            allocator_.free(frame);
    }

    Allocator &allocator_;
    PhysicalMemory &memory_;
    StressOptions options_;
    PlacementMachine machine_;
    Migration migration_;
    Random random_;
    std::vector<uint32_t> holder_; // of each frame: a block's number
    std::vector<Held> held_;
    std::vector<uint32_t> spare_numbers_;
    uint32_t numbers_ = 0;
    uint64_t at_ = 0, copied_ = 0;
    bool migrating_ = false;
    StressReport report_;
    std::string wrong_;
};

} // namespace

StressReport stress(Allocator &allocator, const StressOptions &options) { return Stress(allocator, options).run(); }

} // namespace litemrc_native
