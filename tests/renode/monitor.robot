*** Settings ***
Documentation     Epochs, interrupt, contexts and invalidation by the registers alone: no firmware, a loop of five instructions.
...               Expected counts are the counting rules' arithmetic, for DRAM at 0x40000000 and pages of 4 KiB.
Resource          litemrc.resource
Test Setup        Create Monitor

*** Variables ***
${ROW}            ${128}    
${GROUPS}         ${64}
# A line of the L1, 32 bytes, is read from DRAM in column accesses of 8. Pages lie in one line of the L1 each, so a walk
# over four of them and back finds none of them in a cache.
${A_LOAD}         ${4}

*** Keywords ***
Create Monitor
    Create Machine
    ${map}=    Evaluate    json.load(open($REPO + "/build/sim/csr.json"))
    Set Test Variable    ${CSR}    ${map}[csr_registers]
    Set Test Variable    ${WINDOW}    ${map}[memories][mrc_window][base]

Write Register
    [Arguments]    ${name}    ${value}
    Write Word    ${CSR}[mrc_${name}][addr]    ${value}

Register Should Be
    [Arguments]    ${name}    ${expected}
    ${value}=    Read Word    ${CSR}[mrc_${name}][addr]
    Should Be Equal As Integers    ${value}    ${expected}    ${name}

Window Should Have
    [Documentation]    Hits in the first group, misses and accesses of a context.
    [Arguments]    ${context}    ${hits}    ${misses}    ${accesses}
    FOR    ${word}    ${expected}    IN    0    ${hits}    ${GROUPS}    ${misses}    ${GROUPS + 1}    ${accesses}
        ${value}=    Read Word    ${{ $WINDOW + 4 * (int($context) * $ROW + int($word)) }}
        Should Be Equal As Integers    ${value}    ${expected}    word ${word} of context ${context}
    END

Interrupt Should Be
    [Arguments]    ${state}
    ${told}=    Execute Command    sysbus.mrc IRQ
    Should Contain    ${told}    GPIO: ${state}

End Epoch
    Write Register    command    0x4    # release
    Write Register    command    0x2    # end_epoch

*** Test Cases ***
The End Of An Epoch Raises The Interrupt Until The Window Is Released
    Write Register    control    0x3    # enable, hold
    Write Register    command    0x2    # end_epoch
    Interrupt Should Be    unset
    Register Should Be    ev_pending    1
    Write Register    ev_enable    1
    Interrupt Should Be    set
    Register Should Be    epoch    1
    Register Should Be    status    ${{ 0x1 | 0x4 }}    # idle, epoch_ready
    Write Register    command    0x4    # release
    Interrupt Should Be    unset
    Register Should Be    ev_pending    0

An Epoch That Is Held Back Ends Behind The Release
    Write Register    control    0x3    # enable, hold
    Write Register    ev_enable    1
    Write Register    command    0x2    # end_epoch
    Write Register    command    0x2
    Register Should Be    epoch    1
    Register Should Be    status    ${{ 0x1 | 0x4 | 0x8 }}    # idle, epoch_ready, epoch_due
    Write Register    command    0x4    # release
    Register Should Be    epoch    2
    Interrupt Should Be    set

Epochs Of Cycles Are As Long As They Were Told
    Write Register    epoch_length    1000
    Write Register    control    0x5    # enable, epochs of cycles
    Load From Pages    0    1    # for 1 ms at 50 MHz
    Register Should Be    epoch    50

The End Of An Epoch Of Cycles Raises The Interrupt In Its Cycle
    Write Register    ev_enable    1
    Write Register    epoch_length    30000
    Write Register    control    0x7    # enable, hold, epochs of cycles
    Load From Pages    0    1    # for 50,000 cycles, without an access to a register
    Interrupt Should Be    set

A Page Belongs To Who Touched It First Until It Is Invalidated
    Write Register    control    0x3    # enable, hold
    Write Register    context    1
    Load From Pages    0    4
    End Epoch
    Window Should Have    context=1    hits=${{ 4 * $A_LOAD - 4 }}    misses=4    accesses=${{ 4 * $A_LOAD }}
    # Another context finds them in memory: hits, of their owner.
    Write Register    context    2
    Load From Pages    0    4
    End Epoch
    Window Should Have    context=1    hits=${{ 4 * $A_LOAD }}    misses=0    accesses=${{ 4 * $A_LOAD }}
    Window Should Have    context=2    hits=0    misses=0    accesses=0
    # One of them is invalidated: its next owner is who touches it then.
    Write Register    invalidate    2
    Load From Pages    0    4
    End Epoch
    Window Should Have    context=1    hits=${{ 3 * $A_LOAD }}    misses=0    accesses=${{ 3 * $A_LOAD }}
    Window Should Have    context=2    hits=${{ $A_LOAD - 1 }}    misses=1    accesses=${A_LOAD}

Accesses Count Only While The Monitor Is Enabled And Not Frozen
    Write Register    control    0x2    # hold
    Load From Pages    0    4
    Write Register    control    0x3    # enable, hold
    Load From Pages    4    4
    Write Register    control    0xB    # enable, hold, freeze
    Load From Pages    8    4
    Write Register    control    0x3
    End Epoch
    Window Should Have    context=0    hits=${{ 4 * $A_LOAD - 4 }}    misses=4    accesses=${{ 4 * $A_LOAD }}

A Page Out Of Range Is Counted As Outside
    Write Register    range_upper    1
    Write Register    control    0x3    # enable, hold
    Load From Pages    0    4
    End Epoch
    Register Should Be    epoch_outside    ${{ 2 * $A_LOAD }}
    Window Should Have    context=0    hits=${{ 2 * $A_LOAD - 2 }}    misses=2    accesses=${{ 2 * $A_LOAD }}

The Bitmap Has The Pages Of An Epoch
    Write Register    control    0x3    # enable, hold
    Load From Pages    33    4
    End Epoch
    # Behind the counters a bit for each page that was accessed.
    ${bitmap}=    Evaluate    $WINDOW + 4 * 8 * int($ROW)
    ${first}=    Read Word    ${bitmap}
    ${second}=    Read Word    ${{ $bitmap + 4 }}
    Should Be Equal As Integers    ${first}    0
    Should Be Equal As Integers    ${second}    ${{ 0b11110 }}

A Hot Page Raises The Interrupt Until It Is Taken
    Write Register    ev_enable    2
    Write Register    hot_threshold    ${A_LOAD}
    Write Register    hot_control    0xF    # enable, reads, writes, always_on
    Write Register    control    0x3    # enable, hold
    Load From Pages    7    1
    Interrupt Should Be    set
    ${oldest}=    Read Word    ${CSR}[mrc_hot_queue][addr]
    Should Be Equal As Integers    ${{ $oldest & 0xFFFF }}    7
    Write Register    hot_command    1    # take
    Interrupt Should Be    unset

The Window Is Read Only
    Write Word    ${WINDOW}    0xFFFFFFFF
    Window Should Have    context=0    hits=0    misses=0    accesses=0
