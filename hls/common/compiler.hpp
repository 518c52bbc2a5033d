// SPDX-License-Identifier: BSD-2-Clause
// What each HLS compiler must be given beside the C++: Vitis HLS (UG1399) and Bambu (PandA). For other compilers all is empty.
//
// HLS_STREAM(port)         port is an AXI4 stream: TDATA, TVALID, TREADY
// HLS_FREE_RUNNING         no start and done: the function is driven by its streams
// HLS_STARTED              start and done: Vitis co-simulates a function with a RAM port only with them; tie start to 1
// HLS_RAM(port)            port is a block RAM outside, which the function addresses; Bambu's default for an array
// HLS_VALUE(port)          an input without handshake
// HLS_PIPELINE             one iteration of the loop, or call of the function, per cycle. Bambu pipelines no loops.
// HLS_PIPELINED_TOP        the same for a top function: operations in it finish although no further one comes
// HLS_UNROLL               all iterations of the loop at once
// HLS_INDEPENDENT(array)   iterations of the loop never access the same entry
// HLS_RESET(variable)      a reset makes it false. Bambu's reset restores no variable; see HLS_RESTART.
// HLS_RESTART              a last argument of each top function, for Bambu and for the co-simulation of what it makes: true in
//                          the first call after a reset. For other compilers there is no such argument.
// HLS_REGISTERS(array)     registers instead of a memory
// HLS_BANKS(array, n)      a memory for each index of dimension n
// HLS_STATE                a member of a unit. Bambu puts an object into one memory, but each static member into its own.
#pragma once

#if defined(__VITIS_HLS__)
#define FOR_VITIS(text) _Pragma(#text)
#define FOR_BAMBU(text)
#define HLS_STATE
#elif defined(__BAMBU__)
#define FOR_VITIS(text)
#define FOR_BAMBU(text) _Pragma(#text)
#define HLS_STATE inline static
#define LITEMRC_RESTART
#else
#define FOR_VITIS(text)
#define FOR_BAMBU(text)
#define HLS_STATE
#endif

#define HLS_STREAM(name) FOR_VITIS(HLS interface mode = axis port = name) FOR_BAMBU(HLS interface port = name mode = axis)
#define HLS_RAM(name) FOR_VITIS(HLS interface mode = bram port = name)
#define HLS_VALUE(name) FOR_VITIS(HLS interface mode = ap_none port = name) FOR_BAMBU(HLS interface port = name mode = none)
#define HLS_FREE_RUNNING FOR_VITIS(HLS interface mode = ap_ctrl_none port = return)
#define HLS_STARTED FOR_VITIS(HLS interface mode = ap_ctrl_hs port = return)
#define HLS_PIPELINE FOR_VITIS(HLS pipeline II = 1)
#define HLS_PIPELINED_TOP FOR_VITIS(HLS pipeline II = 1 style = flp)
#define HLS_UNROLL FOR_VITIS(HLS unroll)
#define HLS_INDEPENDENT(array) FOR_VITIS(HLS dependence variable = array type = inter false)
#ifdef LITEMRC_RESTART
#define HLS_RESTART , bool restart
#define HLS_RESET(name) name = name && !restart;
#else
#define HLS_RESTART
#define HLS_RESET(name) FOR_VITIS(HLS reset variable = name)
#endif
#define HLS_REGISTERS(array) FOR_VITIS(HLS array_partition variable = array complete dim = 0)
#define HLS_BANKS(array, n) FOR_VITIS(HLS array_partition variable = array complete dim = n)
