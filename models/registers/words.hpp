// SPDX-License-Identifier: BSD-2-Clause
// Words of registers and their fields.
#pragma once

#include <cstdint>
#include <map>

namespace monitor_model {

constexpr uint32_t log2_of(uint32_t power_of_two) { return uint32_t(__builtin_ctz(power_of_two)); }

constexpr uint32_t field(uint32_t word, uint32_t mask) { return (word & mask) >> __builtin_ctz(mask); }
constexpr uint32_t with_field(uint32_t mask, uint32_t value) { return (value << __builtin_ctz(mask)) & mask; }

// The bits of a register whose uppermost field this is: it keeps those between its fields, too.
constexpr uint32_t up_to(uint32_t mask) { return mask | ((mask & -mask) - 1); }

// Registers that read as they were written.
class Words {
  public:
    void define(uint32_t offset, uint32_t mask, uint32_t reset = 0) { words_[offset] = {mask, reset}; }
    bool has(uint32_t offset) const { return words_.count(offset); }
    uint32_t operator[](uint32_t offset) const { return words_.at(offset).value; }
    uint32_t set(uint32_t offset, uint32_t value) {
        Word &word = words_.at(offset);
        return word.value = value & word.mask;
    }

  private:
    struct Word {
        uint32_t mask, value;
    };
    std::map<uint32_t, Word> words_;
};

} // namespace monitor_model
