// SPDX-License-Identifier: BSD-2-Clause
#include "bucket_stack.hpp"

namespace litemrc {

namespace {

using node_t = ap_uint<width_of(CONTEXTS) + ID_BITS>;

// Index of the node on the path to `id`: the context, then the id's bits above this level.
node_t node_of(context_t owner, id_t id, int level) {
    return (node_t(owner) << level) | node_t(id >> (ID_BITS - level));
}

bool in_newer_half(id_t id, int level) { return id[ID_BITS - 1 - level]; }

} // namespace

void BucketStack::clear() {
    for (int frame = 0; frame < FRAMES; ++frame) {
        HLS_PIPELINE // one entry per cycle: the array has one write port
        pages_[frame] = 0;
    }
    for (int node = 0; node < CONTEXTS << (ID_BITS - 1); ++node) {
        HLS_PIPELINE // one node per level and cycle
        for (int level = 0; level < ID_BITS; ++level) {
            HLS_UNROLL // one memory per level
            nodes_[level][node] = 0;
        }
    }
    next_id_ = 1;
    for (int context = 0; context < CONTEXTS; ++context) {
        HLS_PIPELINE
        contexts_[context].front.clear();
        open(context, contexts_[context]);
    }
    generation_ = 0;
    delay_ = 0;
    renumbers_ = 0;
}

Position BucketStack::step(const Op &op) {
    const Position answer = operate(op);
    maintain(op);
    return answer;
}

// Constant work. If `needs_maintenance`, `maintain` must follow.
Position BucketStack::operate(const Op &op) {
    Position answer{POSITION_NONE, 0, 0, 0};
    switch (int(op.kind)) {
    case OP_ACCESS:
        answer = access(op.frame, op.context);
        break;
    case OP_INVALIDATE:
        invalidate(op);
        break;
    case OP_CLEAR:
        answer.kind = POSITION_CLEAR;
        break;
    default: // OP_MARK
        break;
    }
    if (op.kind != OP_CLEAR)
        count_down();
    answer.epoch_end = op.epoch_end;
    return answer;
}

bool BucketStack::needs_maintenance(const Op &op) const { return op.kind == OP_CLEAR || renumbers_; }

void BucketStack::maintain(const Op &op) {
    if (op.kind == OP_CLEAR)
        clear();
    else if (renumbers_)
        renumber();
}

Position BucketStack::access(frame_t frame, context_t running) {
    const bucket_t bucket = bucket_of(frame);
    const bool valid = is_valid(bucket);
    const id_t id = id_of(bucket);
    const context_t owner = valid ? owners_[id] : id != 0 ? context_t(id - FIRST_CLAIM) : running;
    Context context = contexts_[owner];
    Position answer{ap_uint<2>(valid ? POSITION_HIT : POSITION_MISS), 0, owner, 0};
    set_page(frame, context.open);
    if (bucket == context.open)
        return answer;

    if (valid && id == id_of(context.open)) {
        context.older_pages -= 1; // position 0
    } else if (valid) {
        const pages_t inside = context.front.hit(bucket, counts_[bucket]);
        const pages_t position = context.open_pages + context.older_pages + remove(owner, bucket) + inside;
        answer.group = position / GROUP_PAGES;
    }
    context.open_pages += 1;
    if (context.open_pages == CLOSING_PAGES) {
        if (is_newer(context.open)) {
            insert(owner, id_of(context.open), context.older_pages, CLOSING_PAGES);
            open(owner, context);
        } else {
            context.open[0] = 1;
            context.older_pages = CLOSING_PAGES;
            context.open_pages = 0;
        }
    }
    contexts_[owner] = context;
    return answer;
}

void BucketStack::invalidate(const Op &op) {
    const bucket_t bucket = bucket_of(op.frame);
    set_page(op.frame, op.write ? older_of(FIRST_CLAIM + op.context) : bucket_t(0));
    if (!is_valid(bucket))
        return;
    const context_t owner = owners_[id_of(bucket)];
    if (bucket == contexts_[owner].open)
        contexts_[owner].open_pages -= 1;
    else if (id_of(bucket) == id_of(contexts_[owner].open))
        contexts_[owner].older_pages -= 1;
    else
        remove(owner, bucket);
}

bucket_t BucketStack::bucket_of(frame_t frame) const {
    Page page;
    unpack_into(pages_[frame], page.bucket, page.generation);
    return !is_valid(page.bucket) || page.generation == generation_ ? page.bucket : map_[page.bucket];
}

void BucketStack::set_page(frame_t frame, bucket_t bucket) { pages_[frame] = packed<page_word_t>(bucket, generation_); }

// Removes a page from a closed bucket. Returns the number of pages in the closed buckets newer than it.
pages_t BucketStack::remove(context_t owner, bucket_t bucket) {
    const id_t id = id_of(bucket);
    pages_t newer = is_newer(bucket) ? pages_t(0) : counts_[bucket + 1];
    for (int level = 0; level < ID_BITS; ++level) {
        HLS_UNROLL // one memory per level, all in parallel
        pages_t &pages = nodes_[level][node_of(owner, id, level)];
        if (in_newer_half(id, level))
            pages -= 1;
        else
            newer += pages;
    }
    counts_[bucket] -= 1;
    return newer;
}

void BucketStack::insert(context_t owner, id_t id, pages_t older, pages_t newer) {
    for (int level = 0; level < ID_BITS; ++level) {
        HLS_UNROLL // as in remove
        if (in_newer_half(id, level))
            nodes_[level][node_of(owner, id, level)] += older + newer;
    }
    counts_[older_of(id)] = older;
    counts_[older_of(id) + 1] = newer;
}

void BucketStack::open(context_t owner, Context &context) {
    context.open = older_of(next_id_);
    context.open_pages = 0;
    context.older_pages = 0;
    owners_[next_id_] = owner;
    next_id_ += 1;
}

// Counts the operations from the shortage of ids to the renumbering.
void BucketStack::count_down() {
    if (delay_ == 0) {
        if (next_id_ >= FIRST_CLAIM - RENUMBER_DELAY)
            delay_ = RENUMBER_DELAY;
    } else {
        delay_ -= 1;
        renumbers_ = delay_ == 0;
    }
}

// Removes all ids from the tree, merges the two buckets of an id if they hold at most BUCKET_PAGES, then neighbouring ones
// of a context by the same rule, and inserts the result under new ids, which never exceed the old ones.
void BucketStack::renumber() {
    sweep();
    bucket_t merged[CONTEXTS]; // the newest new bucket
    pages_t merged_pages[CONTEXTS];
    pages_t new_counts[2 * IDS];
    HLS_REGISTERS(merged) // read and written in one cycle, as the open buckets are
    HLS_REGISTERS(merged_pages)
    for (int context = 0; context < CONTEXTS; ++context) {
        HLS_UNROLL
        merged[context] = 1; // no more room: the newer bucket of id 0, which has no pages
        merged_pages[context] = BUCKET_PAGES;
    }
    next_id_t new_id = 1;
    for (int id = 1; id < IDS; ++id) {
        HLS_PIPELINE                // one id per cycle: the input waits for it
        HLS_NOT_READ_LATER(owners_) // ids are read in ascending order, and new ones never exceed old ones
        if (id >= int(next_id_))
            break;
        const context_t owner = owners_[id];
        for (int level = 0; level < ID_BITS; ++level) {
            HLS_UNROLL // as in remove
            if (in_newer_half(id, level))
                nodes_[level][node_of(owner, id, level)] = 0;
        }
        const bucket_t older = older_of(id), newer = older + 1;
        if (id == int(id_of(contexts_[owner].open))) {
            contexts_[owner].open = older_of(new_id) + is_newer(contexts_[owner].open);
            contexts_[owner].front.forget();
            map_[older] = older_of(new_id);
            map_[newer] = older_of(new_id) + 1;
            owners_[new_id] = owner;
            new_counts[older_of(new_id)] = 0;
            new_counts[older_of(new_id) + 1] = 0;
            new_id += 1;
            continue;
        }
        const pages_t older_pages = counts_[older], newer_pages = counts_[newer];
        const bool as_one = older_pages + newer_pages <= BUCKET_PAGES;
        for (int last = as_one; last < 2; ++last) {
            HLS_UNROLL // both buckets at once, or one after the other
            const pages_t pages = as_one ? pages_t(older_pages + newer_pages) : last ? newer_pages : older_pages;
            if (merged_pages[owner] + pages <= BUCKET_PAGES) { // always, if there are none
                merged_pages[owner] += pages;
            } else {
                merged_pages[owner] = pages;
                if (!is_newer(merged[owner])) {
                    merged[owner] += 1;
                } else {
                    merged[owner] = older_of(new_id);
                    owners_[new_id] = owner;
                    new_counts[merged[owner] + 1] = 0;
                    new_id += 1;
                }
            }
            new_counts[merged[owner]] = merged_pages[owner];
            map_[older + last] = merged[owner];
            if (as_one)
                map_[older] = merged[owner];
        }
    }
    for (int id = 1; id < IDS; ++id) {
        HLS_PIPELINE // II = 3: read, add, write; neighbouring ids share nodes, such as the root
        if (id >= int(new_id))
            break;
        insert(owners_[id], id, new_counts[older_of(id)], new_counts[older_of(id) + 1]);
    }
    next_id_ = new_id;
    renumbers_ = 0;
    generation_ = !generation_;
    ++renumberings_;
}

// Updates the page array to this generation. The RTL does so concurrently, in the bank that operations do not use.
void BucketStack::sweep() {
    for (int frame = 0; frame < FRAMES; ++frame) {
        HLS_PIPELINE // one entry per cycle, read and written
        HLS_INDEPENDENT(pages_)
        set_page(frame, bucket_of(frame));
    }
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void bucket_stack(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::position_word_t> &positions HLS_RESTART) {
    HLS_STREAM(ops)
    HLS_STREAM(positions)
    HLS_FREE_RUNNING

    static litemrc::BucketStack stack;
    static bool swept = false;
    HLS_BANKS(stack.nodes_, 1)     // one memory per level
    HLS_REGISTERS(stack.contexts_) // a few
    HLS_RESET(swept)               // memories keep their contents over a reset, so the sweep must run again

    if (!swept) {
        stack.clear();
        swept = true;
    }
    const litemrc::Op op = litemrc::unpack_op(ops.read());
    positions.write(pack(stack.operate(op)));
    if (stack.needs_maintenance(op))
        stack.maintain(op);
}
#endif
