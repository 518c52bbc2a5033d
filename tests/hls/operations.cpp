// SPDX-License-Identifier: BSD-2-Clause
// Results of ap_int's operations on random operands, for <ap_int.h> of the folder that it is compiled with: one line for each
// operation and pair of types, with the width and the signedness of the result and a checksum of its values.
//
//   operations SEED        after -include of a file that defines PAIRS, a list of PAIR(A, B)
#include <ap_int.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

constexpr int DRAWS = 400;

std::mt19937_64 generator;

// Small numbers, numbers near the limits and any numbers.
uint64_t draw() {
    const uint64_t bits = generator();
    switch (generator() % 4) {
    case 0:
        return bits % 4;
    case 1:
        return ~uint64_t(0) - bits % 4;
    case 2:
        return (uint64_t(1) << bits % 64) - generator() % 2;
    default:
        return bits;
    }
}

class Checksum {
  public:
    void add(uint64_t bits) { sum_ = (sum_ ^ bits) * 1099511628211u; }
    unsigned long long sum() const { return sum_; }

  private:
    uint64_t sum_ = 14695981039346656037u;
};

template <typename Result> void add(Checksum &checksum, const Result &result) {
    checksum.add(ap_uint<64>(result).to_uint64());
    if constexpr (Result::width > 64)
        checksum.add(ap_uint<64>(result >> 64).to_uint64());
}
void add(Checksum &checksum, bool result) { checksum.add(result); }

template <typename Result> void describe(char *text) {
    std::sprintf(text, "%d%c", int(Result::width), Result(-1) < Result(0) ? 's' : 'u');
}
template <> void describe<bool>(char *text) { std::sprintf(text, "bool"); }

template <typename A, typename B, typename Operation> void run(const char *types, const char *name, Operation operation) {
    using Result = std::decay_t<decltype(operation(A(0), B(1)))>;
    Checksum checksum;
    for (int i = 0; i < DRAWS; ++i)
        add(checksum, operation(A(draw()), B(draw())));
    char type[16];
    describe<Result>(type);
    std::printf("%s %s: %s %016llx\n", types, name, type, checksum.sum());
}

template <typename A> A not_negative(const A &value) { return value < 0 ? A(0) : value; }
template <typename A> A with_bit(A value, int index, bool bit) {
    value[index] = bit;
    return value;
}
template <typename A> A with_bits(A value, int low, int bits) {
    value(A::width - 1, low) = bits;
    return value;
}
template <typename A> A positive(const A &value) { return value < 1 ? A(1) : value; }

#define OPERATION(NAME, EXPRESSION) \
    run<A, B>(types, NAME, []([[maybe_unused]] A a, [[maybe_unused]] B b) { return EXPRESSION; })

template <typename A, typename B> void run_pair(const char *types) {
    OPERATION("+", a + b);
    OPERATION("-", a - b);
    OPERATION("*", a * b);
    OPERATION("&", a & b);
    OPERATION("|", a | b);
    OPERATION("^", a ^ b);
    OPERATION("b + a", b + a);
    OPERATION("b - a", b - a);
    OPERATION("b ^ a", b ^ a);
    if (A(1) > A(0) && B(1) > B(0)) { // a signed number of one bit has no 1
        OPERATION("/", not_negative(a) / positive(b));
        OPERATION("%", not_negative(a) % positive(b));
    }
    OPERATION("==", a == b);
    OPERATION("!=", a != b);
    OPERATION("<", a < b);
    OPERATION(">", a > b);
    OPERATION("<=", a <= b);
    OPERATION(">=", a >= b);
    OPERATION("b < a", b < a);
    OPERATION("b == a", b == a);
    OPERATION("+=", a += b);
    OPERATION("-=", a -= b);
    OPERATION("=", a = b);
    OPERATION("assigned sum", a = b + a);
}

#define UNARY(NAME, EXPRESSION) \
    run<A, int>(types, NAME, []([[maybe_unused]] A a, [[maybe_unused]] int n) { return EXPRESSION; })

template <typename A> void run_one(const char *types) {
    constexpr int WIDTH = A::width;
    UNARY("~", ~a);
    UNARY("!", !a);
    UNARY("++", ++a);
    UNARY("--", --a);
    UNARY("<<", a << n % (WIDTH + 3));
    UNARY(">>", a >> n % (WIDTH + 3));
    UNARY("[]", bool(static_cast<const A &>(a)[int(unsigned(n) % WIDTH)]));
    UNARY("[] =", with_bit(a, int(unsigned(n) % WIDTH), n < 0));
    UNARY("(,) =", with_bits(a, int(unsigned(n) % WIDTH), n));
    UNARY("bool", bool(a != 0 ? a : A(0)));
    UNARY("int", A(int(a)));
}

} // namespace

#define ONE(A) run_one<A>(#A);
#define PAIR(A, B) run_pair<A, B>(#A " " #B);

int main(int, char **argv) {
    generator.seed(std::strtoull(argv[1], nullptr, 10));
    PAIRS
}
