// SPDX-License-Identifier: BSD-2-Clause
// Saves the state of a model and restores it into a model of the same parameters. Each class with state has a function
// transfer(State &), which serves both directions: it names its members, in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ddr3 {

class State {
  public:
    explicit State(bool restoring) : restoring_(restoring) {}
    virtual ~State() = default;

    bool restoring() const { return restoring_; }

    // Saves the bytes, or replaces them by those saved.
    virtual void bytes(void *data, std::size_t size) = 0;

    // Values without pointers.
    template <class... Values> void operator()(Values &...values) { (value(values), ...); }

    void text(std::string &string) {
        string.resize(size_of(string));
        bytes(string.data(), string.size());
    }

    // A std::vector or std::deque; `each(element)` transfers one.
    template <class List, class Each> void list(List &list, Each each) {
        list.resize(size_of(list));
        for (auto &element : list)
            each(element);
    }

    template <class List> void list(List &list) {
        this->list(list, [this](auto &element) { value(element); });
    }

  private:
    template <class Value> void value(Value &value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        bytes(&value, sizeof(value));
    }

    template <class List> std::size_t size_of(const List &list) {
        std::uint64_t size = list.size();
        value(size);
        return std::size_t(size);
    }

    const bool restoring_;
};

} // namespace ddr3
