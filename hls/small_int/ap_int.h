/* SPDX-License-Identifier: BSD-2-Clause */
// ap_uint<W> and ap_int<W> for host compilers: the operations that hls/ uses, with the results of the Vitis HLS headers.
//
// A folder to include from in place of the vendor's: the sources of hls/ say <ap_int.h> and compile against either. This
// header needs nothing but a C++17 compiler, and compiles several times faster. tests/hls/test_small_int.py proves that both
// give the same results and the same widths, and `make csim` runs every testbench against both.
//
// Values wrap around at W bits. A result of mixed operands has the width and the signedness that the vendor documents (UG1399,
// "Arbitrary Precision Integer Library"); widths are limited to 128 bits. `/` and `%` are for operands that are not negative.
#pragma once

#include <cstdint>
#include <type_traits>

namespace small_int {

template <int W, bool S> class Int;

// ---------------------------------------------------------------------------------------------------------- native types

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

template <typename Narrow, typename Wide, bool NARROW> using Choice = std::conditional_t<NARROW, Narrow, Wide>;

// Unsigned, holds W bits, and is never promoted to int.
template <int W> using Word = Choice<uint32_t, Choice<uint64_t, uint128, W <= 64>, W <= 32>;

// The smallest type that holds W bits: arrays of them are as small as the vendor's.
template <int W, bool S>
using Storage =
    Choice<Choice<int8_t, uint8_t, S>,
           Choice<Choice<int16_t, uint16_t, S>,
                  Choice<Choice<int32_t, uint32_t, S>,
                         Choice<Choice<int64_t, uint64_t, S>, Choice<int128, uint128, S>, W <= 64>, W <= 32>,
                  W <= 16>,
           W <= 8>;

// ------------------------------------------------------------------------------------------------------ types of operands

// A native integer is one of its own width, an enumerator an int.
template <typename T, typename = void> struct Operand;
template <int W, bool S> struct Operand<Int<W, S>> {
    using type = Int<W, S>;
    static constexpr bool is_native = false;
};
template <typename T> struct Operand<T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>> {
    static constexpr int width = std::is_enum_v<T> ? 32 : std::is_same_v<T, bool> ? 1 : 8 * sizeof(T);
    using type = Int<width, std::is_enum_v<T> || std::is_signed_v<T>>;
    static constexpr bool is_native = true;
};

template <typename T> using Native = std::enable_if_t<Operand<T>::is_native>;

// The operands of a binary operator, of which one at least is an Int.
template <typename A, typename B, typename = std::enable_if_t<!Operand<A>::is_native || !Operand<B>::is_native>>
struct Pair {
    using Left = typename Operand<A>::type;
    using Right = typename Operand<B>::type;
    static constexpr int W1 = Left::width, W2 = Right::width;
    static constexpr bool S1 = Left::is_signed, S2 = Right::is_signed;
    static constexpr bool is_signed = S1 || S2;
    static constexpr int larger(int a, int b) { return a > b ? a : b; }
    static constexpr int common = larger(W1 + (S2 && !S1), W2 + (S1 && !S2)); // holds both

    using Sum = Int<common + 1, is_signed>;
    using Difference = Int<common + 1, true>;
    using Product = Int<W1 + W2, is_signed>;
    using Quotient = Int<W1 + S2, is_signed>;
    using Remainder = Int<(W1 < W2 + (!S2 && S1) ? W1 : W2 + (!S2 && S1)), S1>;
    using Logic = Int<common, is_signed>;
};

// ------------------------------------------------------------------------------------------------------------------- Int

template <int W, bool S> class Int {
    static_assert(1 <= W && W <= 128, "ap_uint and ap_int of this header have 1 to 128 bits");

  public:
    static constexpr int width = W;
    static constexpr bool is_signed = S;
    using storage = Storage<W, S>;

    Int() = default; // any value, as the vendor's

    template <typename T, typename = Native<T>> constexpr Int(T value) : Int(wrapped(Word<W>(value))) {}
    template <int W2, bool S2> constexpr Int(const Int<W2, S2> &other) : Int(wrapped(Word<W>(storage_of(other)))) {}

    static constexpr Int wrapped(Word<W> bits) {
        constexpr int SPARE = 8 * int(sizeof(Word<W>)) - W;
        using Signed = Choice<int32_t, Choice<int64_t, int128, W <= 64>, W <= 32>;
        Int result(Raw{});
        if constexpr (S)
            result.value_ = storage(Signed(bits << SPARE) >> SPARE);
        else
            result.value_ = storage(Word<W>(bits << SPARE) >> SPARE);
        return result;
    }

    constexpr operator storage() const { return value_; }
    constexpr unsigned long long to_uint64() const { return (unsigned long long)value_; }

    // One bit, to be read and written.
    class Bit {
      public:
        Bit(Int &of, int index) : of_(of), index_(index) {}
        operator bool() const { return const_cast<const Int &>(of_)[index_]; }
        Bit &operator=(bool bit) {
            const Word<W> mask = Word<W>(1) << index_;
            of_ = wrapped(bit ? Word<W>(of_.value_) | mask : Word<W>(of_.value_) & ~mask);
            return *this;
        }

      private:
        Int &of_;
        int index_;
    };

    // The bits high .. low, to be written.
    class Range {
      public:
        Range(Int &of, int high, int low) : of_(of), low_(low), mask_((Word<W>(2) << (high - low)) - 1) {}
        template <typename T> Range &operator=(const T &bits) {
            of_ = wrapped((Word<W>(of_.value_) & ~(mask_ << low_)) | (Word<W>(Int(bits)) & mask_) << low_);
            return *this;
        }

      private:
        Int &of_;
        int low_;
        Word<W> mask_;
    };
    Range operator()(int high, int low) { return Range(*this, high, low); }

    constexpr bool operator[](int index) const { return (Word<W>(value_) >> index) & 1; }
    Bit operator[](int index) { return Bit(*this, index); }

    constexpr Int operator~() const { return wrapped(~Word<W>(value_)); }
    Int &operator++() { return *this = wrapped(Word<W>(value_) + 1); }
    Int &operator--() { return *this = wrapped(Word<W>(value_) - 1); }

    template <typename T> Int &operator+=(const T &other) { return *this = Int(*this + other); }
    template <typename T> Int &operator-=(const T &other) { return *this = Int(*this - other); }

    // A shift has the width of its left operand; a negative distance shifts the other way.
    template <typename T> constexpr Int operator<<(const T &distance) const { return shifted((long long)distance); }
    template <typename T> constexpr Int operator>>(const T &distance) const { return shifted(-(long long)distance); }

  private:
    struct Raw {};
    constexpr explicit Int(Raw) : value_(0) {}

    template <int W2, bool S2> static constexpr Storage<W2, S2> storage_of(const Int<W2, S2> &other) { return other; }

    constexpr Int shifted(long long left) const {
        if (left >= 0)
            return left >= W ? wrapped(0) : wrapped(Word<W>(value_) << left);
        return -left >= W ? wrapped(S && value_ < 0 ? ~Word<W>(0) : Word<W>(0)) : wrapped(Word<W>(value_ >> -left));
    }

    storage value_;
};

// -------------------------------------------------------------------------------------------------------- binary operators

template <typename Wanted, typename T> constexpr auto extended(const T &operand) {
    return Word<Wanted::width>(typename Operand<T>::type::storage(operand));
}

// The result is exact before it is stored, so that wrapped arithmetic on words gives its bits.
#define SMALL_INT_ARITHMETIC(SIGN, RESULT)                                                                             \
    template <typename A, typename B, typename Result = typename Pair<A, B>::RESULT>                                  \
    constexpr Result operator SIGN(const A &a, const B &b) {                                                          \
        return Result::wrapped(extended<Result>(a) SIGN extended<Result>(b));                                         \
    }
SMALL_INT_ARITHMETIC(+, Sum)
SMALL_INT_ARITHMETIC(-, Difference)
SMALL_INT_ARITHMETIC(*, Product)
SMALL_INT_ARITHMETIC(&, Logic)
SMALL_INT_ARITHMETIC(|, Logic)
SMALL_INT_ARITHMETIC(^, Logic)
#undef SMALL_INT_ARITHMETIC

#define SMALL_INT_DIVISION(SIGN, RESULT)                                                                               \
    template <typename A, typename B, typename Result = typename Pair<A, B>::RESULT>                                  \
    constexpr Result operator SIGN(const A &a, const B &b) {                                                          \
        using Both = typename Pair<A, B>::Logic;                                                                      \
        return Result::wrapped(Word<Result::width>(extended<Both>(a) SIGN extended<Both>(b)));                        \
    }
SMALL_INT_DIVISION(/, Quotient)
SMALL_INT_DIVISION(%, Remainder)
#undef SMALL_INT_DIVISION

// Operands of different signedness are compared as C compares its integers: as unsigned numbers if the unsigned operand
// has 32 bits or more and is no narrower, else by value.
template <typename A, typename B, typename P = Pair<A, B>> constexpr bool less(const A &a, const B &b) {
    constexpr int UNSIGNED_W = P::S1 ? P::W2 : P::W1, SIGNED_W = P::S1 ? P::W1 : P::W2;
    constexpr bool as_unsigned = P::S1 == P::S2 ? !P::S1 : UNSIGNED_W >= 32 && UNSIGNED_W >= SIGNED_W;
    using Both = Int<P::common, !as_unsigned>;
    using Compared = Storage<P::common, !as_unsigned>;
    return Compared(Both(typename P::Left(a))) < Compared(Both(typename P::Right(b)));
}

// Equal are those with equal bits, of 64 if the widths are equal, else of the larger width, of 32 at least.
template <typename A, typename B, typename P = Pair<A, B>> constexpr bool equal(const A &a, const B &b) {
    using Both = Int<P::larger(P::larger(P::W1, P::W2), P::W1 == P::W2 ? 64 : 32), false>;
    return Storage<Both::width, false>(Both(typename P::Left(a))) == Storage<Both::width, false>(Both(typename P::Right(b)));
}

#define SMALL_INT_COMPARISON(SIGN, EXPRESSION)                                                                         \
    template <typename A, typename B, typename = Pair<A, B>> constexpr bool operator SIGN(const A &a, const B &b) {   \
        return EXPRESSION;                                                                                            \
    }
SMALL_INT_COMPARISON(==, equal(a, b))
SMALL_INT_COMPARISON(!=, !equal(a, b))
SMALL_INT_COMPARISON(<, less(a, b))
SMALL_INT_COMPARISON(>, less(b, a))
SMALL_INT_COMPARISON(<=, !less(b, a))
SMALL_INT_COMPARISON(>=, !less(a, b))
#undef SMALL_INT_COMPARISON

// To any stream of characters, as a number.
template <typename Stream, int W, bool S, typename = typename Stream::char_type>
Stream &operator<<(Stream &out, const Int<W, S> &value) {
    out << +Storage<W, S>(value);
    return out;
}

} // namespace small_int

template <int W> using ap_uint = small_int::Int<W, false>;
template <int W> using ap_int = small_int::Int<W, true>;
