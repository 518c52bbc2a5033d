// SPDX-License-Identifier: BSD-2-Clause
// An SD card in SPI mode, which reads an image file: Physical Layer Simplified Specification 6.00, chapter 7.
//
// High capacity, read only. CRCs are checked where SPI mode has them from the start: CMD0 and CMD8.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>

namespace sd_card {

constexpr unsigned BLOCK = 512;
constexpr std::uint64_t INITIAL_PERIOD_PS = 2'500'000, PERIOD_PS = 40'000; // 400 kHz, then 25 MHz
constexpr unsigned POWER_UP_CLOCKS = 74, BUSY_POLLS = 3; // ACMD41 that find the card not yet ready

class Card {
  public:
    explicit Card(const std::string &path) : image_(std::fopen(path.c_str(), "rb")) {
        if (!image_ || std::fseek(image_, 0, SEEK_END))
            throw std::runtime_error("sd_card: cannot read " + path);
        blocks_ = std::uint64_t(std::ftell(image_)) / BLOCK;
    }
    Card(const Card &) = delete;
    Card &operator=(const Card &) = delete;
    ~Card() { std::fclose(image_); }

    // The pins at a time; returns MISO. CS is looked at with the clock: LiteX's SPI raises it between bytes.
    bool pins(std::uint64_t ps, bool clock, bool cs_n, bool mosi) {
        if (clock != clock_)
            clock ? rise(ps, cs_n, mosi) : fall();
        clock_ = clock;
        return cs_n || miso_;
    }

    void write_report(std::ostream &out) const {
        out << "{\n\"blocks_read\": " << blocks_read_ << ",\n\"commands\": {";
        const char *comma = "";
        for (const auto &[command, count] : commands_) {
            out << comma << "\"CMD" << command << "\": " << count;
            comma = ", ";
        }
        out << "},\n\"broken\": {";
        comma = "";
        for (const auto &[rule, count] : broken_) {
            out << comma << '"' << rule << "\": " << count;
            comma = ", ";
        }
        out << "}\n}\n";
    }

  private:
    static constexpr std::uint8_t IDLE = 0x01, ILLEGAL = 0x04, CRC_ERROR = 0x08, OUT_OF_RANGE = 0x40;

    void broken(const char *rule) { ++broken_[rule]; }

    void rise(std::uint64_t ps, bool cs_n, bool mosi) {
        if (risen_ && ps - risen_ < (ready_ ? PERIOD_PS : INITIAL_PERIOD_PS))
            broken(ready_ ? "CLOCK_TOO_FAST" : "CLOCK_TOO_FAST_BEFORE_INIT");
        risen_ = ps;
        if (cs_n) {
            ++unselected_;
            deselect();
            return;
        }
        in_ = std::uint8_t(in_ << 1 | mosi);
        if (++bits_ == 8) {
            bits_ = 0;
            byte(in_);
        }
    }

    // The next bit for the host, which samples it at the rising edge.
    void fall() {
        if (bits_ == 0) {
            if (answer_.empty() && reading_)
                next_block();
            out_ = 0xff;
            if (!answer_.empty()) {
                out_ = answer_.front();
                answer_.pop_front();
            }
        }
        miso_ = out_ >> (7 - bits_) & 1;
    }

    void deselect() {
        bits_ = 0;
        length_ = 0;
        answer_.clear();
        reading_ = false;
    }

    void byte(std::uint8_t value) {
        if (!length_ && (value & 0xc0) != 0x40)
            return;
        frame_[length_++] = value;
        if (length_ < frame_.size())
            return;
        length_ = 0;
        execute();
    }

    // x^7 + x^3 + 1 over the first five bytes, and the end bit.
    std::uint8_t crc7() const {
        unsigned crc = 0;
        for (unsigned i = 0; i < 5; ++i)
            for (int bit = 7; bit >= 0; --bit) {
                crc <<= 1;
                if ((crc >> 7 ^ frame_[i] >> bit) & 1)
                    crc ^= 0x09;
                crc &= 0x7f;
            }
        return std::uint8_t(crc << 1 | 1);
    }

    void answer(std::uint8_t r1) {
        answer_.clear();
        answer_.push_back(0xff); // a byte passes before the answer
        answer_.push_back(r1);
    }

    void execute() {
        const unsigned command = frame_[0] & 0x3f;
        const std::uint32_t argument = std::uint32_t(frame_[1]) << 24 | frame_[2] << 16 | frame_[3] << 8 | frame_[4];
        const bool application = application_;
        application_ = false;
        ++commands_[command];
        if ((command == 0 || command == 8) && frame_[5] != crc7()) {
            broken("CRC");
            return answer(CRC_ERROR | IDLE);
        }
        if (!started_ && command != 0)
            return; // not in SPI mode: no answer
        const std::uint8_t idle = ready_ ? 0 : IDLE;
        reading_ = reading_ && command != 12;
        switch (command) {
        case 0: return reset();
        case 8: return more(idle, {0, 0, std::uint8_t(argument >> 8 & 0xf), std::uint8_t(argument)});
        case 12: return answer(idle);
        case 16: return answer(argument == BLOCK ? idle : idle | OUT_OF_RANGE);
        case 17:
        case 18: return read(argument, command == 18, idle);
        case 55: application_ = true; return answer(idle);
        case 58: return more(idle, {std::uint8_t(ready_ ? 0xc0 : 0x40), 0xff, 0x80, 0});
        case 41:
            if (application)
                return initialise();
        }
        answer(idle | ILLEGAL);
    }

    void more(std::uint8_t r1, std::array<std::uint8_t, 4> rest) {
        answer(r1);
        answer_.insert(answer_.end(), rest.begin(), rest.end());
    }

    void reset() {
        if (unselected_ < POWER_UP_CLOCKS)
            broken("POWER_UP_CLOCKS");
        started_ = true;
        ready_ = false;
        polls_ = 0;
        answer(IDLE);
    }

    void initialise() {
        ready_ = ++polls_ > BUSY_POLLS;
        answer(ready_ ? 0 : IDLE);
    }

    void read(std::uint32_t block, bool many, std::uint8_t idle) {
        if (!ready_)
            return answer(idle | ILLEGAL);
        if (block >= blocks_)
            return answer(OUT_OF_RANGE);
        answer(0);
        block_ = block;
        reading_ = true;
        single_ = !many;
    }

    // Some bytes of access time, the start token, the data, their CRC.
    void next_block() {
        if (block_ >= blocks_) {
            reading_ = false;
            return answer_.push_back(0x08); // data error token: out of range
        }
        std::array<std::uint8_t, BLOCK> data{};
        if (std::fseek(image_, long(block_ * BLOCK), SEEK_SET) || std::fread(data.data(), BLOCK, 1, image_) != 1)
            throw std::runtime_error("sd_card: the image cannot be read");
        answer_.insert(answer_.end(), {0xff, 0xff, 0xfe});
        answer_.insert(answer_.end(), data.begin(), data.end());
        unsigned crc = 0; // x^16 + x^12 + x^5 + 1
        for (const std::uint8_t byte : data)
            for (int bit = 7; bit >= 0; --bit)
                crc = (crc << 1 & 0xffff) ^ ((crc >> 15 ^ byte >> bit) & 1 ? 0x1021 : 0);
        answer_.push_back(std::uint8_t(crc >> 8));
        answer_.push_back(std::uint8_t(crc));
        ++blocks_read_;
        ++block_;
        reading_ = !single_;
    }

    std::FILE *image_;
    std::uint64_t blocks_ = 0, block_ = 0, blocks_read_ = 0, risen_ = 0;
    unsigned bits_ = 0, length_ = 0, polls_ = 0, unselected_ = 0;
    std::uint8_t in_ = 0, out_ = 0xff;
    bool clock_ = false, miso_ = true, started_ = false, ready_ = false, application_ = false;
    bool reading_ = false, single_ = false;
    std::array<std::uint8_t, 6> frame_{};
    std::deque<std::uint8_t> answer_;
    std::map<unsigned, std::uint64_t> commands_;
    std::map<std::string, std::uint64_t> broken_;
};

} // namespace sd_card
