// SPDX-License-Identifier: BSD-2-Clause
// Numbers for address spaces: of the roots of their page tables, in the order in which they are first used.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace litemrc_qemu {

class AddressSpaces {
  public:
    // `most`: numbers, from 0 on, which is that of all address spaces without one of their own.
    explicit AddressSpaces(uint32_t most) : most_(most) { forget(); }

    // Numbers are given anew.
    void forget() {
        numbers_.clear();
        roots_.assign(1, 0);
    }

    uint32_t number(uint64_t root) {
        if (!root)
            return 0;
        const auto found = numbers_.find(root);
        if (found != numbers_.end())
            return found->second;
        if (roots_.size() == most_)
            return 0;
        roots_.push_back(root);
        return numbers_[root] = uint32_t(roots_.size() - 1);
    }

    // By number; 0 for number 0.
    const std::vector<uint64_t> &roots() const { return roots_; }

  private:
    uint32_t most_;
    std::unordered_map<uint64_t, uint32_t> numbers_;
    std::vector<uint64_t> roots_;
};

} // namespace litemrc_qemu
