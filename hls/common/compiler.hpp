// What the three compilers of these sources need to be told: Vitis HLS (UG1399), Bambu (PandA), and any other C++17
// compiler, for which all of this is empty.
//
// HLS_STREAM(port)         port is an AXI4 stream: TDATA, TVALID, TREADY
// HLS_FREE_RUNNING         no start and done: the function is driven by its streams
// HLS_STARTED              start and done: Vitis co-simulates a function with a RAM port only with them; tie start to 1
// HLS_RAM(port)            port is a block RAM outside, which the function addresses
// HLS_STROBED(port)        an output with a strobe that marks a new value
// HLS_VALUE(port)          an input or output without handshake
// HLS_PIPELINE             one iteration of the loop, or call of the function, per cycle. Bambu pipelines no loops.
// HLS_UNROLL               all iterations of the loop at once
// HLS_INDEPENDENT(array)   iterations of the loop never access the same entry
// HLS_RESET(variable)      a reset restores the initial value. Bambu ignores it (see README.md, "Reset")
// HLS_REGISTERS(array)     registers instead of a memory
// HLS_BANKS(array, n)      a memory for each index of dimension n
// HLS_STATE                a member of a unit. Bambu puts an object into one memory, but each static member into its own.
#pragma once

#define LITEMRC_PRAGMA(text) _Pragma(#text)

#if defined(__VITIS_HLS__)
#define HLS_STREAM(name) LITEMRC_PRAGMA(HLS interface mode = axis port = name)
#define HLS_FREE_RUNNING LITEMRC_PRAGMA(HLS interface mode = ap_ctrl_none port = return)
#define HLS_STARTED LITEMRC_PRAGMA(HLS interface mode = ap_ctrl_hs port = return)
#define HLS_RAM(name) LITEMRC_PRAGMA(HLS interface mode = bram port = name)
#define HLS_STROBED(name) LITEMRC_PRAGMA(HLS interface mode = ap_vld port = name)
#define HLS_VALUE(name) LITEMRC_PRAGMA(HLS interface mode = ap_none port = name)
#define HLS_PIPELINE LITEMRC_PRAGMA(HLS pipeline II = 1)
#define HLS_UNROLL LITEMRC_PRAGMA(HLS unroll)
#define HLS_INDEPENDENT(array) LITEMRC_PRAGMA(HLS dependence variable = array type = inter false)
#define HLS_RESET(name) LITEMRC_PRAGMA(HLS reset variable = name)
#define HLS_REGISTERS(array) LITEMRC_PRAGMA(HLS array_partition variable = array complete dim = 0)
#define HLS_BANKS(array, n) LITEMRC_PRAGMA(HLS array_partition variable = array complete dim = n)
#define HLS_STATE
#elif defined(__BAMBU__)
#define HLS_STREAM(name) LITEMRC_PRAGMA(HLS interface port = name mode = axis)
#define HLS_FREE_RUNNING
#define HLS_STARTED
#define HLS_RAM(name) LITEMRC_PRAGMA(HLS interface port = name mode = default) // of an array: a RAM
#define HLS_STROBED(name) LITEMRC_PRAGMA(HLS interface port = name mode = valid)
#define HLS_VALUE(name) LITEMRC_PRAGMA(HLS interface port = name mode = none)
#define HLS_PIPELINE
#define HLS_UNROLL
#define HLS_INDEPENDENT(array)
#define HLS_RESET(name)
#define HLS_REGISTERS(array)
#define HLS_BANKS(array, n)
#define HLS_STATE inline static
#else
#define HLS_STREAM(name)
#define HLS_FREE_RUNNING
#define HLS_STARTED
#define HLS_RAM(name)
#define HLS_STROBED(name)
#define HLS_VALUE(name)
#define HLS_PIPELINE
#define HLS_UNROLL
#define HLS_INDEPENDENT(array)
#define HLS_RESET(name)
#define HLS_REGISTERS(array)
#define HLS_BANKS(array, n)
#define HLS_STATE
#endif
