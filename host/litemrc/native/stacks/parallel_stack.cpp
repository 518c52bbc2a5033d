// SPDX-License-Identifier: BSD-2-Clause
#include "parallel_stack.hpp"

#include <algorithm>
#include <future>

namespace litemrc_native {

ParallelStack::ParallelStack(unsigned threads, size_t window) : window_(window), parts_(threads - 1) {}

void ParallelStack::access(const uint64_t *pages, size_t count) {
    while (count) {
        if (gathered_.empty() && count >= window_) {
            run(pages, count);
            return;
        }
        const size_t taken = std::min(count, window_ - gathered_.size());
        gathered_.insert(gathered_.end(), pages, pages + taken);
        if (gathered_.size() == window_)
            finished();
        pages += taken;
        count -= taken;
    }
}

const ExactStack &ParallelStack::finished() {
    run(gathered_.data(), gathered_.size());
    gathered_.clear();
    return stack_;
}

void ParallelStack::run(const uint64_t *pages, size_t count) {
    // The first part is longer by an eighth: nothing needs to be prepared for its being appended.
    const size_t length = 8 * count / (8 * (parts_.size() + 1) + 1);
    std::vector<std::future<void>> others;
    for (size_t i = 0; i < parts_.size(); ++i) {
        const uint64_t *begin = pages + count - (parts_.size() - i) * length;
        others.push_back(std::async(std::launch::async, [&part = parts_[i], begin, length] {
            part.stack.clear();
            part.cold.clear();
            part.cold.reserve(length / 16); // of address space; growing would touch, and copy, as much memory again
            part.stack.access(begin, length, &part.cold);
            part.ranks.resize(part.cold.size());
            part.stack.ranks(part.cold.data(), part.cold.size(), part.ranks.data());
        }));
    }
    stack_.access(pages, count - parts_.size() * length);
    for (size_t i = 0; i < parts_.size(); ++i) {
        others[i].get();
        stack_.append(parts_[i].stack, parts_[i].cold, parts_[i].ranks);
    }
}

} // namespace litemrc_native
