// SPDX-License-Identifier: BSD-2-Clause
// The model of Memory (forwarding.hpp) for C simulation: a word is written CYCLES cycles late, through one port.
#pragma once

#include <cstdlib>
#include <deque>
#include <iostream>

namespace litemrc {

// The cycle of all memories.
class LateCycle {
  public:
    static void next() { ++now_; }
    static long now() { return now_; }

  private:
    inline static long now_ = 0;
};

template <typename Word, int SIZE, int CYCLES> class LateMemory {
  public:
    // `memory[address]`, to be read or assigned.
    class Entry {
      public:
        Entry(LateMemory &memory, int address) : memory_(memory), address_(address) {}
        operator Word() const { return memory_.read(address_); }
        void operator=(const Word &word) { memory_.write(address_, word); }

      private:
        LateMemory &memory_;
        int address_;
    };

    Entry operator[](int address) { return Entry(*this, address); }
    Word operator[](int address) const { return read(address); }

  private:
    struct Write {
        long cycle;
        int address;
        Word word;
    };

    // Sees the writes of CYCLES + 1 cycles ago and earlier.
    Word read(int address) const {
        use(last_read_, "read");
        while (!late_.empty() && late_.front().cycle + CYCLES < LateCycle::now()) {
            words_[late_.front().address] = late_.front().word;
            late_.pop_front();
        }
        return words_[address];
    }

    void write(int address, const Word &word) {
        use(last_write_, "written");
        late_.push_back({LateCycle::now(), address, word});
    }

    static void use(long &last, const char *what) {
        if (last == LateCycle::now()) {
            std::cerr << "late_memory: a memory of " << SIZE << " words is " << what << " twice in cycle " << last << "\n";
            std::exit(1);
        }
        last = LateCycle::now();
    }

    mutable Word words_[SIZE];
    mutable std::deque<Write> late_;
    mutable long last_read_ = -1;
    long last_write_ = -1;
};

} // namespace litemrc
