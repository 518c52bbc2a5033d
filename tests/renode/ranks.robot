*** Settings ***
Documentation     Power domains sleep by command and are woken by an access; four ranks of 128 MiB, each a domain.
Resource          litemrc.resource
Test Setup        Create Ranks

*** Variables ***
${MAP}            ${REPO}/build/renode/register_map.json
${RANK}           ${{ (128 << 20) // 4096 }}
# States, and where a command has them: bits 6:4, the domain in 3:0.
${POWER_DOWN}     ${2}
${SELF_REFRESH}   ${3}

*** Keywords ***
Create Ranks
    Create Machine    litemrc_ranks.resc
    ${words}=    Evaluate    {word["name"]: word["address"] for word in json.load(open($MAP))["litemrc_ranks.resc"]}
    Set Test Variable    ${ADDRESS}    ${words}

Command
    [Arguments]    ${domain}    ${state}
    Write Word    ${ADDRESS}[ranks_command]    ${{ int($domain) | int($state) << 4 }}

States Should Be
    [Documentation]    Of domains 0 to 3: four bits each. 0 and 1 are both awake.
    [Arguments]    @{expected}
    ${word}=    Read Word    ${ADDRESS}[ranks_state_low]
    ${states}=    Evaluate    [int(digit) if digit > "1" else 0 for digit in reversed("%04x" % ($word & 0xFFFF))]
    ${expected}=    Evaluate    [int(state) for state in $expected]
    Should Be Equal    ${states}    ${expected}

*** Test Cases ***
A Domain Sleeps By Command And The Others Stay Awake
    States Should Be    0    0    0    0
    Command    1    ${SELF_REFRESH}
    Command    3    ${POWER_DOWN}
    States Should Be    0    ${SELF_REFRESH}    0    ${POWER_DOWN}

A Command Wakes A Domain
    Command    2    ${SELF_REFRESH}
    Command    2    0
    States Should Be    0    0    0    0

An Access Wakes Its Domain And No Other
    Write Word    ${ADDRESS}[mrc_control]    0x3    # the model sees accesses while the monitor is enabled
    Command    1    ${SELF_REFRESH}
    Command    2    ${SELF_REFRESH}
    Load From Pages    ${{ 2 * int($RANK) }}    1
    States Should Be    0    ${SELF_REFRESH}    0    0

A Reset Wakes All
    Command    0    ${POWER_DOWN}
    Command    1    ${SELF_REFRESH}
    Execute Command    machine Reset
    States Should Be    0    0    0    0
