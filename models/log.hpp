// SPDX-License-Identifier: BSD-2-Clause
// The monitor's input, as a NumPy file in the format of litex-soc/sim_modules/recorder.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "stack.hpp"

namespace monitor_model {

class Log {
  public:
    ~Log() { close(); }

    bool open(const char *path) {
        file_ = std::fopen(path, "wb");
        events_ = 0;
        lower_ = upper_ = sampling_ = split_ = 0;
        return file_ && write_header();
    }

    // Completes the file. Returns false if it could not be written completely.
    bool close() {
        if (!file_)
            return true;
        const bool written = !std::ferror(file_) && write_header();
        const bool closed = std::fclose(file_) == 0;
        file_ = nullptr;
        return written && closed;
    }

    // An operation at the monitor's input; for an access `offset` is the byte offset in the DRAM.
    void operation(const Operation &op, uint64_t offset) {
        if (!file_)
            return;
        ++cycle_;
        if (op.kind == Kind::ACCESS)
            put(Record{cycle_, uint32_t(offset), 'D', 0, 0, op.write, 0, 0, 0});
        put(Record{cycle_, op.frame, 'Q', uint8_t(op.kind), uint8_t(op.context), op.write, 0, op.epoch_end, op.frozen});
    }

    void enable(bool on) { change('E', on); }

    void filter(const Filter &now) {
        change('L', now.lower, lower_);
        change('U', now.upper, upper_);
        change('S', now.sampling, sampling_);
        change('W', now.split, split_);
    }

  private:
    struct __attribute__((packed)) Record {
        uint64_t cycle;
        uint32_t value;
        char source;
        uint8_t kind, context, write, dropped, epoch_end, frozen;
    };

    static constexpr size_t HEADER_BYTES = 256;

    bool write_header() {
        char header[HEADER_BYTES];
        std::memset(header, ' ', sizeof(header));
        std::memcpy(header, "\x93NUMPY\x01\x00", 8);
        header[8] = char((HEADER_BYTES - 10) & 0xff);
        header[9] = char((HEADER_BYTES - 10) >> 8);
        const int length = std::snprintf(
            header + 10, sizeof(header) - 10,
            "{'descr': [('cycle','<u8'),('value','<u4'),('source','S1'),('kind','u1'),('context','u1'),"
            "('write','?'),('dropped','?'),('epoch_end','?'),('frozen','?')], 'fortran_order': False, "
            "'shape': (%llu,), }",
            static_cast<unsigned long long>(events_));
        header[10 + length] = ' ';
        header[HEADER_BYTES - 1] = '\n';
        return std::fseek(file_, 0, SEEK_SET) == 0 && std::fwrite(header, sizeof(header), 1, file_) == 1;
    }

    void change(char source, uint32_t value) {
        if (file_)
            put(Record{++cycle_, value, source, 0, 0, 0, 0, 0, 0});
    }

    void change(char source, uint32_t value, uint32_t &before) {
        if (!file_ || value == before)
            return;
        before = value;
        change(source, value);
    }

    void put(const Record &record) {
        events_ += std::fwrite(&record, sizeof(record), 1, file_);
    }

    std::FILE *file_ = nullptr;
    uint64_t cycle_ = 0, events_ = 0;
    uint32_t lower_ = 0, upper_ = 0, sampling_ = 0, split_ = 0;
};

} // namespace monitor_model
