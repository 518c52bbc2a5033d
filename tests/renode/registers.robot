*** Settings ***
Documentation     Registers' reset values and access rights are those of the gateware: register_map.py writes them to MAP.
Resource          litemrc.resource

*** Variables ***
${MAP}            ${REPO}/build/renode/register_map.json
${SCRIPT}         litemrc.resc

*** Keywords ***
Create Machine And Map
    Create Machine    ${SCRIPT}
    ${map}=    Evaluate    json.load(open($MAP))[$SCRIPT]
    Should Not Be Empty    ${map}
    Set Test Variable    ${WORDS}    ${map}

All Words Should Read Their Reset Values
    FOR    ${word}    IN    @{WORDS}
        ${value}=    Read Word    ${word}[address]
        Should Be Equal As Integers    ${value}    ${word}[reset]    ${word}[name] after reset
    END

*** Test Cases ***
Registers Have The Reset Values Of The Gateware
    Create Machine And Map
    All Words Should Read Their Reset Values

A Write To A Register That Is Read Only Changes Nothing
    Create Machine And Map
    FOR    ${word}    IN    @{WORDS}
        IF    not ${word}[writable]    Write Word    ${word}[address]    0xFFFFFFFF
    END
    All Words Should Read Their Reset Values

A Register Keeps The Bits It Has And No Others
    Create Machine And Map
    FOR    ${word}    IN    @{WORDS}
        IF    ${word}[writable]
            Write Word    ${word}[address]    0xFFFFFFFF
            ${value}=    Read Word    ${word}[address]
            Should Be Equal As Integers    ${value}    ${word}[ones]    ${word}[name] after all ones
        END
    END

A Reset Of The Machine Brings The Reset Values Back
    Create Machine And Map
    FOR    ${word}    IN    @{WORDS}
        Write Word    ${word}[address]    0xFFFFFFFF
    END
    Execute Command    machine Reset
    All Words Should Read Their Reset Values
