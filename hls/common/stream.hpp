// SPDX-License-Identifier: BSD-2-Clause
// hls::stream for compilers that lack it. Vitis brings its own <hls_stream.h>, which is not freely licensed; this shim
// has only the four calls that our units and testbenches use.
#pragma once

#if __has_include(<hls_stream.h>)
#include <hls_stream.h>
#else

#include <cassert>
#include <deque>

namespace hls {

template <typename T> class stream {
  public:
    bool empty() const { return fifo_.empty(); }

    void write(const T &value) { fifo_.push_back(value); }

    // In hardware a read of an empty stream blocks; here it is an error of the testbench.
    T read() {
        assert(!fifo_.empty() && "read of an empty hls::stream");
        T value = fifo_.front();
        fifo_.pop_front();
        return value;
    }

    typename std::deque<T>::size_type size() const { return fifo_.size(); }

  private:
    std::deque<T> fifo_;
};

} // namespace hls

#endif
