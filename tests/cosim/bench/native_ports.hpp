// SPDX-License-Identifier: BSD-2-Clause
// Random traffic on LiteDRAM's native ports: every read must return what was written last.
#pragma once

#include "rtl.hpp"

#include <array>
#include <cstring>
#include <deque>
#include <unordered_map>

// The signals of a Verilated native port with 128 data bits.
struct NativePort {
    static constexpr unsigned BYTES = 16;
    CData *cmd_valid, *cmd_ready, *cmd_we, *wdata_valid, *wdata_ready, *rdata_valid, *rdata_ready;
    IData *cmd_addr;
    SData *wdata_we;
    std::uint8_t *wdata, *rdata;
};

using Word = std::array<std::uint8_t, NativePort::BYTES>;

// One master: issues commands and knows the expected contents. Masters use separate words, so their order does not
// matter; memory is initially zero.
class Master {
  public:
    // Words `number` modulo `masters` of the first `words`.
    Master(NativePort port, unsigned number, unsigned masters, std::uint64_t words, unsigned seed)
        : port_(port), number_(number), masters_(masters), words_(words / masters), dice_(seed) {}

    // Called twice before the rising edge: first drives the port, then reads what it takes.
    void offer(bool may_start) {
        *port_.rdata_ready = 1;
        if (!have_command_ && may_start)
            have_command_ = next_command();
        *port_.cmd_valid = have_command_;
        *port_.cmd_we = write_;
        *port_.cmd_addr = IData(word_);
        *port_.wdata_valid = !data_.empty();
        if (!data_.empty()) {
            std::memcpy(port_.wdata, data_.front().bytes.data(), NativePort::BYTES);
            *port_.wdata_we = data_.front().enable;
        }
    }

    void take() {
        if (*port_.rdata_valid)
            check();
        if (*port_.wdata_ready && !data_.empty())
            data_.pop_front();
        if (have_command_ && *port_.cmd_ready)
            accepted();
    }

    bool idle() const { return !have_command_ && data_.empty() && expected_.empty(); }
    std::uint64_t reads = 0, writes = 0;

  private:
    struct Data {
        Word bytes;
        SData enable;
    };

    // Runs in one row, jumps to a near or any other place, and pauses.
    bool next_command() {
        if (pause_ > 0) {
            --pause_;
            return false;
        }
        if (dice_.percent(2))
            pause_ = dice_.below(dice_.percent(5) ? 2000 : 50);
        if (dice_.percent(60))
            ++index_;
        else if (dice_.percent(50))
            index_ ^= std::uint64_t(dice_.below(1 << 12));
        else
            index_ = std::uint64_t(dice_.below(1 << 30));
        index_ %= words_;
        word_ = index_ * masters_ + number_;
        write_ = dice_.percent(45);
        if (write_) {
            Data data;
            for (std::uint8_t &byte : data.bytes)
                byte = std::uint8_t(dice_.below(256));
            data.enable = dice_.percent(70) ? SData(0xffff) : SData(dice_.below(1 << 16));
            next_data_ = data;
        }
        return true;
    }

    void accepted() {
        have_command_ = false;
        Word &now = memory_.try_emplace(word_, Word{}).first->second;
        if (!write_) {
            ++reads;
            expected_.push_back(now);
            return;
        }
        ++writes;
        for (unsigned i = 0; i < NativePort::BYTES; ++i)
            if (next_data_.enable >> i & 1)
                now[i] = next_data_.bytes[i];
        data_.push_back(next_data_);
    }

    void check() {
        if (expected_.empty())
            throw Mismatch("port " + std::to_string(number_) + ": data that nobody asked for");
        if (std::memcmp(port_.rdata, expected_.front().data(), NativePort::BYTES))
            throw Mismatch("port " + std::to_string(number_) + ": not what was written, read " + std::to_string(reads));
        expected_.pop_front();
    }

    NativePort port_;
    unsigned number_, masters_;
    std::uint64_t words_, index_ = 0, word_ = 0;
    Dice dice_;
    bool have_command_ = false, write_ = false;
    int pause_ = 0;
    Data next_data_{};
    std::deque<Data> data_;
    std::deque<Word> expected_;
    std::unordered_map<std::uint64_t, Word> memory_;
};
