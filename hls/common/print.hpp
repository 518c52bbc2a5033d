// SPDX-License-Identifier: BSD-2-Clause
// Records as text, for the messages of testbenches.
#pragma once

#include "records.hpp"

#include <ostream>
#include <sstream>
#include <string>

namespace litemrc {

inline std::ostream &operator<<(std::ostream &out, const Op &op) {
    static const char *const names[] = {"access", "invalidate", "clear", "mark"};
    return out << (is_claim(op) ? "claim" : names[int(op.kind)]) << " frame " << int(op.frame) << " context "
               << int(op.context) << (op.epoch_end ? " epoch_end" : "");
}

inline std::ostream &operator<<(std::ostream &out, const Position &position) {
    static const char *const names[] = {"hit", "miss", "none", "clear"};
    return out << names[int(position.kind)] << " group " << int(position.group) << " context "
               << int(position.context) << (position.epoch_end ? " epoch_end" : "");
}

inline std::ostream &operator<<(std::ostream &out, const Counted &counted) {
    return out << counted.position << (counted.first_touch ? " first touch" : "");
}

inline std::ostream &operator<<(std::ostream &out, const Move &move) {
    return out << "page " << int(move.page) << " of context " << int(move.context) << " from "
               << (move.was_valid ? int(move.from_group) : -1) << " to " << (move.is_valid ? int(move.to_group) : -1);
}

template <typename Record> std::string text(const Record &record) {
    std::ostringstream out;
    out << record;
    return out.str();
}

inline bool operator==(const Position &a, const Position &b) {
    return a.kind == b.kind && a.group == b.group && a.context == b.context && a.epoch_end == b.epoch_end;
}

inline bool operator!=(const Position &a, const Position &b) { return !(a == b); }

inline bool operator==(const Move &a, const Move &b) {
    return a.page == b.page && a.context == b.context && a.was_valid == b.was_valid && a.from_group == b.from_group &&
           a.is_valid == b.is_valid && a.to_group == b.to_group;
}

inline bool operator!=(const Counted &a, const Counted &b) {
    return a.position != b.position || a.first_touch != b.first_touch;
}

} // namespace litemrc
