*** Keywords ***
Create Machine
    Execute Command         $port=${PORT}
    Execute Command         include @${REPOSITORY}/renode/litemrc_ranks.resc

Read
    [Arguments]             ${address}
    ${value}=               Execute Command         sysbus ReadDoubleWord ${address}
    ${value}=               Convert To Integer      ${value.strip()}
    RETURN                  ${value}

*** Test Cases ***
Registers Of The Ranks Have Their Values After Reset
    Import Variables        ${REGISTERS}
    Create Machine
    FOR    ${name}    ${register}    IN    &{RANKS}
        ${read}=            Read                    ${register}[address]
        Should Be Equal As Integers  ${read}        ${register}[reset]    ${name} reads ${read}
    END

Only The Bits Of The Ranks That Exist Can Be Written
    Import Variables        ${REGISTERS}
    Create Machine
    FOR    ${name}    ${register}    IN    &{RANKS}
        Execute Command     sysbus WriteDoubleWord ${register}[address] 0xFFFFFFFF
        ${expected}=        Set Variable If         ${register}[read_only]    ${register}[reset]    ${register}[mask]
        ${read}=            Read                    ${register}[address]
        Should Be Equal As Integers  ${read}        ${expected}    ${name} reads ${read}
    END

A Domain Sleeps By Command
    Import Variables        ${REGISTERS}
    Create Machine
    # Domain 2 to state 3, self-refresh; four bits a domain in the lower word of the register.
    Execute Command         sysbus WriteDoubleWord ${RANKS}[command][address] ${SLEEP_2_3}
    ${read}=                Read                    ${STATE_LOW}
    Should Be Equal As Integers  ${read}            0x300
