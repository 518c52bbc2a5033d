// SPDX-License-Identifier: BSD-2-Clause
#include "bindings.hpp"

#include <cstring>
#include <memory>

extern "C" {
#include "frame.h"
}

namespace litemrc_native {

namespace {

constexpr size_t OLD_FRAME = 1024;       // bytes of the longest hello of protocol 1.x, and more
constexpr uint8_t OLD_FIRST_BYTE = 0x80; // of its messages at least, and of none of 2.0

// Receives a stream of frames. A damaged one that is a frame of protocol 1.x (standard COBS) is given out too, as its
// hello tells which end is to be updated.
class FrameReceiver {
  public:
    explicit FrameReceiver(size_t most) : buffer(new uint8_t[most + LITEMRC_CRC_BYTES]) {
        litemrc_receiver_init(&rx, buffer.get(), most + LITEMRC_CRC_BYTES);
    }

    nb::list feed(const nb::bytes &received) {
        nb::list payloads;
        auto *byte = reinterpret_cast<const uint8_t *>(received.data());
        for (auto *end = byte + received.size(); byte < end; ++byte) {
            uint32_t damaged = rx.damaged;
            if (litemrc_receiver_push(&rx, *byte)) {
                payloads.append(nb::bytes(buffer.get(), rx.message_length));
                litemrc_receiver_release(&rx);
            } else if (rx.damaged != damaged) {
                if (from_old_version())
                    payloads.append(nb::bytes(old.data(), old.size() - LITEMRC_CRC_BYTES));
                else if (joined)
                    ++damaged_frames;
            }
            if (*byte == 0) {
                joined = true;
                raw.clear();
            } else if (raw.size() <= OLD_FRAME) {
                raw.push_back(*byte);
            }
        }
        return payloads;
    }

    uint64_t damaged() const { return damaged_frames; }
    uint32_t oversized() const { return rx.oversized; }

  private:
    bool from_old_version() {
        old.clear();
        for (size_t at = 0; at < raw.size() && raw.size() <= OLD_FRAME;) {
            size_t code = raw[at];
            if (at + code > raw.size())
                return false;
            old.insert(old.end(), raw.begin() + at + 1, raw.begin() + at + code);
            at += code;
            if (code < 255 && at < raw.size())
                old.push_back(0);
        }
        if (old.size() <= LITEMRC_CRC_BYTES || old[0] < OLD_FIRST_BYTE)
            return false;
        uint32_t crc = litemrc_crc32(0, old.data(), old.size() - LITEMRC_CRC_BYTES);
        const uint8_t *sent = old.data() + old.size() - LITEMRC_CRC_BYTES;
        return crc == (sent[0] | sent[1] << 8 | sent[2] << 16 | uint32_t(sent[3]) << 24);
    }

    std::unique_ptr<uint8_t[]> buffer; // not touched before it is used: it is large
    litemrc_receiver rx;
    std::vector<uint8_t> raw, old; // the present frame as it came, and as one of the old version
    bool joined = false;           // after the first delimiter
    uint64_t damaged_frames = 0;
};

nb::bytes frame(const nb::bytes &payload) {
    size_t most = LITEMRC_FRAME_BYTES(payload.size()), size = 1;
    while (size < most)
        size <<= 1;
    std::unique_ptr<uint8_t[]> ring(new uint8_t[size]);
    litemrc_writer writer{};
    writer.ring = ring.get();
    writer.mask = size - 1;
    litemrc_frame_begin(&writer);
    litemrc_frame_put(&writer, payload.data(), payload.size());
    litemrc_frame_end(&writer);
    return nb::bytes(ring.get(), writer.end);
}

} // namespace

void bind_frames(nb::module_ &module) {
    module.def("frame", &frame, nb::arg("payload"));
    nb::class_<FrameReceiver>(module, "FrameReceiver")
        .def(nb::init<size_t>(), nb::arg("most"))
        .def("feed", &FrameReceiver::feed, nb::arg("received"))
        .def_prop_ro("damaged", &FrameReceiver::damaged)
        .def_prop_ro("oversized", &FrameReceiver::oversized);
}

} // namespace litemrc_native
