// SPDX-License-Identifier: BSD-2-Clause
// The common ports of the page filter and of the whole monitor.
#pragma once

#include "page_filter/page_filter.hpp"
#include "rtl.hpp"

inline void drive(Rtl &rtl, const litemrc::FilterSettings &settings) {
    rtl->lower = settings.lower;
    rtl->upper = settings.upper;
    rtl->sampling = settings.sampling;
    rtl->split = settings.split;
}

inline void drive(Rtl &rtl, const litemrc::MemoryOp &op) {
    rtl->op_kind = op.kind;
    rtl->op_frame = op.frame;
    rtl->op_context = op.context;
    rtl->op_write = op.write;
    rtl->op_epoch_end = op.epoch_end;
    rtl->op_frozen = op.frozen;
}

inline litemrc::Counted counted_of(Rtl &rtl) {
    litemrc::Counted counted;
    counted.position.kind = rtl->position_kind;
    counted.position.group = rtl->position_group;
    counted.position.context = rtl->position_context;
    counted.position.epoch_end = rtl->position_epoch_end;
    counted.first_touch = rtl->position_first_touch;
    return counted;
}

// A cycle of reset, with nothing offered, and three more, in which the settings pass registers.
inline void reset(Rtl &rtl, const litemrc::FilterSettings &settings) {
    rtl->op_valid = 0;
    drive(rtl, settings);
    for (int clock = 0; clock < 4; ++clock) {
        rtl->rst = clock == 0;
        rtl.settle();
        rtl.rising_edge();
    }
}

inline void compare(Rtl &rtl, const litemrc::Uncounted &expected, std::uint64_t epoch) {
    const auto counts = [](std::uint64_t outside, std::uint64_t unsampled) {
        return std::to_string(outside) + " outside, " + std::to_string(unsampled) + " unsampled";
    };
    if (rtl->outside != expected.outside || rtl->unsampled != expected.unsampled || rtl->full != full(expected))
        throw Mismatch("epoch " + std::to_string(epoch) + ": RTL " + counts(rtl->outside, rtl->unsampled) + "; C++ " +
                       counts(expected.outside.to_uint64(), expected.unsampled.to_uint64()));
}
