// SPDX-License-Identifier: BSD-2-Clause
// Replays vectors of the golden reference counters through the C++ unit.
//
//   refs_replay VECTORS
//
// VECTORS, plain numbers: first the sizes, "pages contexts masters bits queue"; then steps, each a number and its
// arguments: 0 settings, for each counter "reads writes masters contexts lower upper initial"; 1 a request, "page write
// master context fires"; 2 a read and 3 a load, "page counter value"; 4 a reset; 5 an event is taken, "valid page
// counter"; 6 "fired lost". Returns 1 at the first difference.
#include "ref_counters/ref_counters.hpp"
#include "vectors.hpp"

#include <iostream>
#include <memory>

using namespace litemrc;

namespace {

enum Step { SETTINGS, REQUEST, READ, LOAD, RESET, TAKE, TOTALS };

RefOp op_of(RefOpKind kind, int page = 0, int counter = 0, int value = 0) {
    return RefOp{kind, frame_t(page), 0, 0, 0, ap_uint<1>(counter), reference_t(value), 0};
}

class Replay {
  public:
    explicit Replay(Vectors &vectors) : vectors_(vectors) {
        counters_.reset();
        queue_.reset();
    }

    void step(int kind) {
        reference_t value;
        if (kind == SETTINGS) {
            for (int counter = 0; counter < PAGE_COUNTERS; ++counter) {
                const int reads = number(), writes = number(), masters = number(), contexts = number(), lower = number(),
                          upper = number();
                settings_.selectors[counter] = RefSelector{ap_uint<1>(reads), ap_uint<1>(writes), ap_uint<MASTERS>(masters),
                                                           ap_uint<CONTEXTS>(contexts), frame_t(lower), frame_t(upper)};
                settings_.initials[counter] = number();
            }
        } else if (kind == REQUEST) {
            RefOp op = op_of(REF_REQUEST, number());
            op.write = number();
            op.master = number();
            op.context = number();
            const fires_t fires = counters_.step(op, settings_, value);
            expect("fires", int(fires), number());
            queue_.push(op.page, fires);
            ++requests;
        } else if (kind == READ || kind == LOAD) {
            const int page = number(), counter = number(), expected = number();
            counters_.step(op_of(kind == READ ? REF_READ : REF_LOAD, page, counter, expected), settings_, value);
            expect("value", int(value), expected);
            reads += kind == READ;
        } else if (kind == RESET) {
            counters_.step(op_of(REF_RESET), settings_, value);
            ++resets;
        } else if (kind == TAKE) {
            const RefEvent front = queue_.front();
            const int valid = number(), page = number(), counter = number();
            expect("event", int(front.valid), valid);
            if (valid) {
                expect("page of the event", int(front.page), page);
                expect("counter of the event", int(front.counter), counter);
            }
            queue_.take();
            taken += valid;
        } else if (kind == TOTALS) {
            expect("fired", long(queue_.fired()), number());
            expect("lost", long(queue_.lost()), number());
        } else {
            throw std::invalid_argument("vectors: no step " + std::to_string(kind));
        }
        ++steps;
    }

    long lost() const { return long(queue_.lost()); }

    long steps = 0, requests = 0, reads = 0, resets = 0, taken = 0;

  private:
    int number() {
        int value = -1;
        vectors_ >> value;
        return value;
    }

    void expect(const char *what, long seen, long expected) const {
        if (seen != expected)
            throw Mismatch("step " + std::to_string(steps) + ": " + what + ": C++ " + std::to_string(seen) + ", golden " +
                           std::to_string(expected));
    }

    Vectors &vectors_;
    RefCounters counters_;
    EventQueue queue_;
    RefSettings settings_;
};

void replay(int argc, char **argv) {
    Vectors vectors(argc, argv, {FRAMES, CONTEXTS, MASTERS, REFERENCE_BITS, EVENT_QUEUE});
    const auto run = std::make_unique<Replay>(vectors);
    for (int kind; vectors >> kind;)
        run->step(kind);
    vectors.check_end(unsigned(run->steps));
    std::cout << "requests " << run->requests << "\nreads " << run->reads << "\nresets " << run->resets << "\ntaken "
              << run->taken << "\nlost " << run->lost() << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] { replay(argc, argv); });
}
