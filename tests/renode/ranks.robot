*** Settings ***
Documentation     Power domains sleep by command and policy and are woken by an access; four ranks of 128 MiB, each a domain.
Library           OperatingSystem
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

Set Policy
    [Documentation]    Kind, the state of static, the state of mrc and the policy of its working domains.
    [Arguments]    ${kind}    ${static}=2    ${mrc}=3    ${base}=0
    Write Word    ${ADDRESS}[ranks_policy]    ${{ int($kind) | int($static) << 2 | int($mrc) << 5 | int($base) << 8 }}

Counter Should Be Between
    [Documentation]    A word of the meter's window, 16 for each domain.
    [Arguments]    ${domain}    ${word}    ${least}    ${most}
    ${value}=    Read Word    ${{ 0xb0010000 + 4 * (16 * int($domain) + int($word)) }}
    Should Be True    int($least) <= $value <= int($most)    word ${word} of domain ${domain} is ${value}

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
    Write Word    ${ADDRESS}[mrc_control]    0x3    # enable, hold
    Command    1    ${SELF_REFRESH}
    Command    2    ${SELF_REFRESH}
    Load From Pages    ${{ 2 * int($RANK) }}    1
    States Should Be    0    ${SELF_REFRESH}    0    0

An Access Wakes Its Domain While The Monitor Is Disabled
    Command    1    ${SELF_REFRESH}
    Load From Pages    ${RANK}    1
    States Should Be    0    0    0    0

Under Static Every Domain Sleeps And An Access Wakes It For A Moment
    Set Policy    1    static=${SELF_REFRESH}
    Load From Pages    0    1
    # The program ended long ago: it takes 1 ms, and the domain 1.4 us to wake and sleep again.
    States Should Be    ${SELF_REFRESH}    ${SELF_REFRESH}    ${SELF_REFRESH}    ${SELF_REFRESH}
    Write Word    ${ADDRESS}[mrc_command]    0x2    # end_epoch
    Counter Should Be Between    0    12    1    1    # wake-ups
    Counter Should Be Between    1    12    0    0
    Counter Should Be Between    0    13    128    128    # waking: tXSDLL, 512 cycles of the DRAM
    Counter Should Be Between    0    10    2    2    # entries into self-refresh
    Counter Should Be Between    1    7    99980    100000    # cycles of self-refresh, of 1 ms at 100 MHz

Under Dynamic A Domain Sleeps Deeper The Longer It Is Idle
    Write Word    ${ADDRESS}[ranks_threshold_power_down]    1000
    Write Word    ${ADDRESS}[ranks_threshold_self_refresh]    150000
    Set Policy    2
    Load From Pages    0    1    # for 1 ms, 100,000 cycles
    States Should Be    ${POWER_DOWN}    ${POWER_DOWN}    ${POWER_DOWN}    ${POWER_DOWN}
    Load From Pages    ${RANK}    1
    States Should Be    ${SELF_REFRESH}    ${POWER_DOWN}    ${SELF_REFRESH}    ${SELF_REFRESH}

Time Passes From Access To Access
    Write Word    ${ADDRESS}[ranks_threshold_power_down]    1000
    Set Policy    2
    Load From Pages    0    1000    # four instructions each, one a cycle
    Write Word    ${ADDRESS}[mrc_command]    0x2    # end_epoch
    Counter Should Be Between    0    9    1    1    # entries into power-down
    Counter Should Be Between    0    6    94900    95100    # cycles: 100,000 - 4,000 - 1,000

Under Mrc Domains Outside The Working Set Sleep
    Write Word    ${ADDRESS}[mrc_control]    0x3
    Set Policy    3
    Load From Pages    ${RANK}    4
    States Should Be    ${SELF_REFRESH}    0    ${SELF_REFRESH}    ${SELF_REFRESH}

No Policy Wakes A Domain
    Set Policy    1    static=${SELF_REFRESH}
    Load From Pages    0    1
    Set Policy    0
    States Should Be    ${SELF_REFRESH}    ${SELF_REFRESH}    ${SELF_REFRESH}    ${SELF_REFRESH}

A Reset Wakes All
    Command    0    ${POWER_DOWN}
    Command    1    ${SELF_REFRESH}
    Execute Command    machine Reset
    States Should Be    0    0    0    0

The Machine Refuses To Be Saved
    Run Keyword And Expect Error    *cannot be saved*    Execute Command    Save @${TEMPDIR}/litemrc-robot.save
    Remove File    ${TEMPDIR}/litemrc-robot.save    # Renode leaves its beginning
