*** Comments ***
Run by test_renode_robot.py, which writes the variables: REPOSITORY, and REGISTERS, a file with the registers that the
gateware exports (address, value after reset, the bits that can be written).

*** Variables ***
${PORT}             0

*** Keywords ***
Create Machine
    Execute Command         $port=${PORT}
    Execute Command         include @${REPOSITORY}/renode/litemrc.resc

Read
    [Arguments]             ${address}
    ${value}=               Execute Command         sysbus ReadDoubleWord ${address}
    ${value}=               Convert To Integer      ${value.strip()}
    RETURN                  ${value}

Write
    [Arguments]             ${address}              ${value}
    Execute Command         sysbus WriteDoubleWord ${address} ${value}

Should Read
    [Arguments]             ${register}             ${value}
    ${read}=                Read                    ${MRC}[${register}][address]
    Should Be Equal As Integers  ${read}            ${value}    ${register} reads ${read}

Interrupt Should Be
    [Arguments]             ${state}
    ${gpio}=                Execute Command         sysbus.mrc IRQ
    Should Contain          ${gpio}                 ${state}    ignore_case=True

*** Test Cases ***
Registers Have Their Values After Reset
    Import Variables        ${REGISTERS}
    Create Machine
    FOR    ${name}    ${register}    IN    &{MRC}
        Should Read         ${name}                 ${register}[reset]
    END

Only The Bits That Exist Can Be Written
    Import Variables        ${REGISTERS}
    Create Machine
    FOR    ${name}    ${register}    IN    &{MRC}
        IF    ${register}[testable]
            Write           ${register}[address]    0xFFFFFFFF
            ${expected}=    Set Variable If         ${register}[read_only]    ${register}[reset]    ${register}[mask]
            Should Read     ${name}                 ${expected}
            Write           ${register}[address]    ${register}[reset]
        END
    END

The Window Is Read Only
    Import Variables        ${REGISTERS}
    Create Machine
    Write                   ${WINDOW}               0xFFFFFFFF
    ${word}=                Read                    ${WINDOW}
    Should Be Equal As Integers  ${word}            0

An Epoch Raises The Interrupt Until The Window Is Released
    Import Variables        ${REGISTERS}
    Create Machine
    Write                   ${MRC}[command][address]    ${END_EPOCH}
    Should Read             epoch                   1
    Should Read             ev_pending              1
    Interrupt Should Be     unset
    Write                   ${MRC}[ev_enable][address]  1
    Interrupt Should Be     GPIO: set
    Write                   ${MRC}[command][address]    ${RELEASE}
    Interrupt Should Be     unset
    Should Read             ev_pending              0

A Held Window Delays The Next End Of An Epoch
    Import Variables        ${REGISTERS}
    Create Machine
    Write                   ${MRC}[command][address]    ${END_EPOCH}
    Write                   ${MRC}[command][address]    ${END_EPOCH}
    Should Read             epoch                   1
    Write                   ${MRC}[command][address]    ${RELEASE}
    Should Read             epoch                   2

Epochs By Cycles End In Virtual Time
    Import Variables        ${REGISTERS}
    Create Machine
    # 500,000 cycles of 50 MHz: 10 ms. Enabled, by cycles, window not held; the processor has "j ." in its ROM.
    Write                   0x0                     0x6F
    Write                   ${MRC}[epoch_length][address]  500000
    Write                   ${MRC}[control][address]  ${CONTROL_BY_CYCLES}
    Execute Command         emulation RunFor "0.0095"
    Should Read             epoch                   0
    Execute Command         emulation RunFor "0.001"
    Should Read             epoch                   1
    Execute Command         emulation RunFor "0.1"
    Should Read             epoch                   11

The Firmware Boots And Counts
    Import Variables        ${REGISTERS}
    Create Machine
    Create Terminal Tester  sysbus.uart             timeout=5
    Start Emulation
    Wait For Line On Uart   LiteMRC bare-metal firmware
    Wait For Line On Uart   Switching SDRAM to hardware control
    Sleep                   1s
    ${hooked}=              Execute Command         sysbus.mrc HookedAccesses
    ${hooked}=              Convert To Integer      ${hooked.strip()}
    Should Be True          ${hooked} > 1000

Without Its Library The Model Says So And Stops
    Execute Command         $model=@${REPOSITORY}/none.so
    Run Keyword And Expect Error    *make renode-model*    Execute Command    include @${REPOSITORY}/renode/litemrc.resc
