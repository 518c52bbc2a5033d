// SPDX-License-Identifier: BSD-2-Clause
// A top function of hls/ carried out by the Verilog that an HLS compiler made of it: words of its streams, values and RAMs, one
// cycle at a time until ap_done.
//
// Before the first call the unit works on random words and is reset in the middle of it, several times: what it does after
// the last reset must not depend on what was before. Valid and ready are withheld at random unless `stalls` is false.
#pragma once

#include "Vtop.h"
#include "verilated.h"

#include "common/config.hpp"
#include "common/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rtl {

struct Hang : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline bool happens(std::mt19937 &dice, int percent) { return percent && int(dice() % 100) < percent; }

// Ports of up to 64 bits are integers, wider ones arrays of 32 bits.
template <typename Port, int W> void set(Port &port, const ap_uint<W> &word) { port = word.to_uint64(); }

template <std::size_t N, int W> void set(VlWide<N> &port, const ap_uint<W> &word) {
    for (int part = 0; part < int(N); ++part)
        port[part] = ap_uint<W>(word >> (32 * part)).to_uint64() & 0xffffffffu;
}

template <typename Port, typename Word> void get(const Port &port, Word &word) { word = port; }

template <std::size_t N, typename Word> void get(const VlWide<N> &port, Word &word) {
    word = 0;
    for (int part = int(N) - 1; part >= 0; --part)
        word = (word << 32) | Word(port[part]);
}

class Unit {
  public:
    struct Port {
        virtual void drive(std::mt19937 &dice, int stall_percent) = 0; // sets the inputs of a cycle
        virtual void sample() = 0;                                     // the outputs of the cycle are settled
        virtual void restart(bool random_words) = 0;                   // nothing is under way
        virtual ~Port() = default;
    };

    Vtop *operator->() { return top_.get(); }

    bool stalls = true;
    unsigned seed = 1;

    void add(Port &port) { ports_.push_back(&port); }

    // One call of the function.
    void call() {
        if (!started_)
            start();
        if (calls_++ % 500 == 0)
            draw_stalls();
        const std::uint64_t begin = clocks_;
        while (!clock()) {
            if (clocks_ - begin > LIMIT)
                throw Hang("call " + std::to_string(calls_) + " did not end within " + std::to_string(LIMIT) + " cycles");
        }
        lengths_.push_back(clocks_ - begin);
    }

    void report() {
        std::sort(lengths_.begin(), lengths_.end());
        std::cout << "calls " << calls_ << "\nresets " << RESETS << "\nclocks_min " << lengths_.front() << "\nclocks_median "
                  << lengths_[lengths_.size() / 2] << "\nclocks_mean " << double(clocks_) / double(calls_)
                  << "\nclocks_max " << lengths_.back() << "\n";
    }

  private:
    static constexpr int RESETS = 6;
    static constexpr std::uint64_t LIMIT = 2000000;

    void start() {
        started_ = true;
        dice_.seed(seed);
        reset();
        for (int round = 0; round < RESETS; ++round) {
            restart_ports(true);
            draw_stalls();
            for (unsigned left = 1000 + dice_() % 100000; left > 0; --left)
                clock();
            reset();
        }
        restart_ports(false);
        clocks_ = 0;
    }

    void reset() {
        top_->ap_rst_n = 0;
        for (int i = 0; i < 3; ++i)
            edge();
        top_->ap_rst_n = 1;
    }

    void restart_ports(bool random_words) {
        for (Port *port : ports_)
            port->restart(random_words);
    }

    void draw_stalls() {
        static const int PERCENTS[] = {0, 0, 25, 75};
        stall_percent_ = stalls ? PERCENTS[dice_() % 4] : 0;
    }

    void edge() {
        top_->ap_clk = 0;
        top_->eval();
        top_->ap_clk = 1;
        top_->eval();
    }

    // Returns whether a call ended in this cycle.
    bool clock() {
        for (Port *port : ports_)
            port->drive(dice_, stall_percent_);
        top_->ap_clk = 0;
        top_->eval();
        const bool done = top_->ap_done;
        for (Port *port : ports_)
            port->sample();
        top_->ap_clk = 1;
        top_->eval();
        ++clocks_;
        return done;
    }

    std::unique_ptr<Vtop> top_ = std::make_unique<Vtop>();
    std::vector<Port *> ports_;
    std::mt19937 dice_;
    bool started_ = false;
    int stall_percent_ = 0;
    std::uint64_t calls_ = 0, clocks_ = 0;
    std::vector<std::uint64_t> lengths_;
};

inline Unit &unit() {
    static Unit unit;
    return unit;
}

// A stream into the function. A word that is offered stays until it is taken, as AXI4 asks for.
template <typename Data, int W> class Input : public Unit::Port {
  public:
    Input(Data &data, CData &valid, CData &ready, hls::stream<ap_uint<W>> &) : data_(data), valid_(valid), ready_(ready) {
        unit().add(*this);
    }

    void bind(hls::stream<ap_uint<W>> &words) { words_ = &words; }

    void drive(std::mt19937 &dice, int stall_percent) override {
        if (taken_)
            valid_ = 0;
        taken_ = false;
        if (valid_ || happens(dice, stall_percent) || (!random_words_ && words_->empty()))
            return;
        ap_uint<W> word = 0;
        for (int bit = 0; random_words_ && bit < W; ++bit)
            word[bit] = dice() & 1;
        set(data_, random_words_ ? word : first());
        valid_ = 1;
    }

    void sample() override {
        taken_ = valid_ && ready_;
        if (taken_ && !random_words_)
            words_->read();
    }

    void restart(bool random_words) override {
        random_words_ = random_words;
        valid_ = 0;
        taken_ = false;
    }

  private:
    // The oldest word, which stays in the stream until it is taken.
    ap_uint<W> first() {
        const ap_uint<W> word = words_->read();
        words_->write(word);
        for (auto others = words_->size() - 1; others > 0; --others)
            words_->write(words_->read());
        return word;
    }

    Data &data_;
    CData &valid_, &ready_;
    hls::stream<ap_uint<W>> *words_ = nullptr;
    bool random_words_ = false, taken_ = false;
};

// A stream out of the function.
template <typename Data, int W> class Output : public Unit::Port {
  public:
    Output(Data &data, CData &valid, CData &ready, hls::stream<ap_uint<W>> &) : data_(data), valid_(valid), ready_(ready) {
        unit().add(*this);
    }

    void bind(hls::stream<ap_uint<W>> &words) { words_ = &words; }

    void drive(std::mt19937 &dice, int stall_percent) override { ready_ = !happens(dice, stall_percent); }

    void sample() override {
        if (!valid_ || !ready_ || discards_)
            return;
        ap_uint<W> word;
        get(data_, word);
        words_->write(word);
    }

    void restart(bool random_words) override { discards_ = random_words; }

  private:
    Data &data_;
    CData &valid_, &ready_;
    hls::stream<ap_uint<W>> *words_ = nullptr;
    bool discards_ = false;
};

// A RAM that the function addresses by bytes; a word read comes a cycle after its address.
template <typename Word> class Ram : public Unit::Port {
  public:
    Ram(IData &address, CData &enable, const std::uint8_t *write, IData *data_in, IData *data_out)
        : address_(address), enable_(enable), write_(write), data_in_(data_in), data_out_(data_out) {
        unit().add(*this);
    }

    void bind(Word *words) { words_ = words; }

    void drive(std::mt19937 &, int) override {
        if (data_out_)
            *data_out_ = read_;
    }

    void sample() override {
        if (discards_ || !enable_)
            return;
        Word &word = words_[address_ / 4];
        read_ = word.to_uint64();
        if constexpr (!std::is_const_v<Word>) {
            if (*write_)
                word = *data_in_;
        }
    }

    void restart(bool random_words) override { discards_ = random_words; }

  private:
    IData &address_;
    CData &enable_;
    const std::uint8_t *write_;
    IData *data_in_, *data_out_;
    Word *words_ = nullptr;
    IData read_ = 0;
    bool discards_ = false;
};

} // namespace rtl
