// SPDX-License-Identifier: BSD-2-Clause
// The top functions of hls/, carried out by Verilog: the testbenches of the C simulation call them unchanged. TOP_<name> says
// which one.
#include "rtl_call.hpp"

#include "bucket_stack/bucket_stack.hpp"
#include "group_stack/group_stack.hpp"
#include "hit_counters/hit_counters.hpp"
#include "page_filter/page_filter.hpp"
#include "rank_meter/rank_meter.hpp"
#include "ref_counters/ref_counters.hpp"
#include "working_set/working_set.hpp"

using namespace litemrc;
using rtl::Input;
using rtl::Output;
using rtl::Ram;
using rtl::unit;

#define STREAM_PORTS(name) unit()->name##_TDATA, unit()->name##_TVALID, unit()->name##_TREADY
#define IN(name)                                                                                                                \
    static Input name##_port(STREAM_PORTS(name), name);                                                                        \
    name##_port.bind(name);
#define OUT(name)                                                                                                               \
    static Output name##_port(STREAM_PORTS(name), name);                                                                       \
    name##_port.bind(name);

#if defined(TOP_group_stack)
void group_stack(hls::stream<op_word_t> &ops, hls::stream<position_word_t> &positions) {
    IN(ops)
    OUT(positions)
    unit().call();
}
#elif defined(TOP_group_stack_moves)
void group_stack_moves(hls::stream<op_word_t> &ops, hls::stream<position_word_t> &positions, hls::stream<move_word_t> &moves) {
    IN(ops)
    OUT(positions)
    OUT(moves)
    unit().call();
}
#elif defined(TOP_bucket_stack)
void bucket_stack(hls::stream<op_word_t> &ops, hls::stream<position_word_t> &positions) {
    IN(ops)
    OUT(positions)
    unit().call();
}
#elif defined(TOP_working_set)
void working_set(hls::stream<op_word_t> &ops, hls::stream<touch_word_t> &first_touches) {
    IN(ops)
    OUT(first_touches)
    unit().call();
}
#elif defined(TOP_hit_counters)
void hit_counters(hls::stream<counted_word_t> &positions, counter_t window[WINDOW_WORDS],
                  hls::stream<published_word_t> &epochs) {
    IN(positions)
    OUT(epochs)
    static Ram<counter_t> ram(unit()->window_Addr_A, unit()->window_EN_A, &unit()->window_WEN_A, &unit()->window_Din_A,
                              nullptr);
    ram.bind(window);
    unit()->ap_start = 1;
    unit().call();
}
#elif defined(TOP_rank_meter)
void rank_meter(hls::stream<meter_event_word_t> &events, const counter_t hits[CONTEXTS * 2 * GROUPS],
                counter_t window[METER_WINDOW_WORDS], hls::stream<meter_answer_word_t> &answers) {
    IN(events)
    OUT(answers)
    static Ram<const counter_t> hits_ram(unit()->hits_Addr_A, unit()->hits_EN_A, nullptr, nullptr, &unit()->hits_Dout_A);
    static Ram<counter_t> window_ram(unit()->window_Addr_A, unit()->window_EN_A, &unit()->window_WEN_A, &unit()->window_Din_A,
                                     nullptr);
    hits_ram.bind(hits);
    window_ram.bind(window);
    unit()->ap_start = 1;
    unit().call();
}
#elif defined(TOP_ref_counters)
void ref_counters(hls::stream<ref_op_word_t> &ops, ref_setting_word_t delay, ref_setting_word_t update,
                  hls::stream<ref_answer_word_t> &answers) {
    IN(ops)
    OUT(answers)
    rtl::set(unit()->delay, delay);
    rtl::set(unit()->update, update);
    unit().call();
}
#elif defined(TOP_page_filter)
void page_filter(hls::stream<memory_op_word_t> &ops, hls::stream<op_word_t> &engine_ops, hls::stream<op_word_t> &set_ops,
                 hls::stream<answer_word_t> &answers, memory_frame_t lower, memory_frame_t upper, sampling_t sampling, ap_uint<1> split,
                 hls::stream<uncounted_word_t> &uncounted) {
    IN(ops)
    OUT(engine_ops)
    OUT(set_ops)
    OUT(answers)
    OUT(uncounted)
    rtl::set(unit()->lower, lower);
    rtl::set(unit()->upper, upper);
    rtl::set(unit()->sampling, sampling);
    rtl::set(unit()->split, split);
    unit().call();
}
#elif defined(TOP_page_filter_merge)
void page_filter_merge(hls::stream<answer_word_t> &answers, hls::stream<position_word_t> &engine_positions,
                       hls::stream<touch_word_t> &first_touches, hls::stream<counted_word_t> &positions) {
    IN(answers)
    IN(engine_positions)
    IN(first_touches)
    OUT(positions)
    unit().call();
}
#endif

int testbench(int argc, char **argv); // main() of the unit's testbench

//   bench OPERATIONS SEED [unstalled]
int main(int argc, char **argv) {
    if (argc < 3) {
        std::cerr << "usage: bench OPERATIONS SEED [unstalled]\n";
        return 2;
    }
    unit().seed = unsigned(std::strtoul(argv[2], nullptr, 10));
    unit().stalls = argc == 3;
    char *given[] = {argv[0], argv[1], nullptr};
    std::streambuf *counts = std::cout.rdbuf(std::cerr.rdbuf()); // the testbench prints sentences
    try {
        if (const int failed = testbench(2, given))
            return failed;
    } catch (const rtl::Hang &hang) {
        std::cerr << "bench: " << hang.what() << "\n";
        return 1;
    }
    std::cout.rdbuf(counts);
    unit().report();
    return 0;
}
