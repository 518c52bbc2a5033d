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
    const size_t length = count / (parts_.size() + 1);
    std::vector<std::future<void>> others;
    for (size_t i = 0; i < parts_.size(); ++i) {
        others.push_back(std::async(std::launch::async, [this, i, pages, count, length] {
            Part &part = parts_[i];
            const size_t begin = (i + 1) * length;
            const size_t end = i + 1 == parts_.size() ? count : begin + length;
            part.stack.clear();
            part.cold.clear();
            part.stack.access(pages + begin, end - begin, &part.cold);
        }));
    }
    stack_.access(pages, parts_.empty() ? count : length);
    for (size_t i = 0; i < parts_.size(); ++i) {
        others[i].get();
        stack_.append(parts_[i].stack, parts_[i].cold);
    }
}

} // namespace litemrc_native
