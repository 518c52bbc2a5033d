# Vitis HLS 2023.1 and older: simulate, synthesize, co-simulate and export one unit.
#
#     UNIT=group_stack vitis_hls -f hls/run_hls.tcl                      all steps
#     UNIT=hit_counters STEPS="csim csynth" vitis_hls -f hls/run_hls.tcl some of them
#     UNIT=page_filter TOP=page_filter_merge vitis_hls -f hls/run_hls.tcl another top of the unit's file
#
# Projects lie under build/vitis. 2023.2 and later: hls_config.cfg of the unit (see README.md).

set hls [file dirname [file normalize [info script]]]
if {![info exists ::env(UNIT)] || ![file isfile $hls/$::env(UNIT)/$::env(UNIT).cpp]} {
    puts stderr "run_hls.tcl: set UNIT to a folder of $hls that holds a unit, such as group_stack"
    exit 2
}
set unit $::env(UNIT)
set steps [expr {[info exists ::env(STEPS)] ? $::env(STEPS) : "csim csynth cosim export"}]
set top [expr {[info exists ::env(TOP)] ? $::env(TOP) : $unit}]
# Sizes other than the SoC's: DEFINES="-DLITEMRC_FRAMES=256 ..."
set cflags [expr {[info exists ::env(DEFINES)] ? "-std=c++17 $::env(DEFINES)" : "-std=c++17"}]

file mkdir $hls/../build/vitis
cd $hls/../build/vitis
open_project -reset $top
set_top $top
add_files $hls/$unit/$unit.cpp -cflags $cflags
add_files -tb $hls/$unit/${unit}_tb.cpp -cflags $cflags
open_solution -reset solution -flow_target vivado
set_part xc7a35ticsg324-1L
create_clock -period 10

if {"csim" in $steps} { csim_design }
if {"csynth" in $steps} { csynth_design }
# Few operations: RTL simulation is slow, and the sweep after reset comes first.
if {"cosim" in $steps} { cosim_design -argv 500 }
if {"export" in $steps} { export_design -format ip_catalog -vendor litemrc -library hls }
exit
