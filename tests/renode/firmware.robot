*** Settings ***
Documentation     The firmware that runs on the chip boots, answers hello on the link, and has its programs counted.
Library           OperatingSystem
Library           Process
Resource          litemrc.resource

*** Variables ***
${LITEMRC}        litemrc
${PORT}           5123
${URL}            socket://localhost:${PORT}
${PATIENCE}       1

*** Keywords ***
Boot
    Create Machine
    Create Terminal Tester    sysbus.uart    timeout=5
    Start Emulation
    Wait For Line On Uart    LiteMRC bare-metal firmware

Host Should Manage
    [Arguments]    @{arguments}
    ${result}=    Run Process    ${LITEMRC}    @{arguments}    timeout=${{ 120 * float($PATIENCE) }}s    stderr=STDOUT
    Should Be Equal As Integers    ${result.rc}    0    ${result.stdout}
    RETURN    ${result.stdout}

Accesses Should Have Been Seen
    ${seen}=    Execute Command    sysbus.mrc HookedAccesses
    Should Be True    int($seen.strip(), 16) > 1000

*** Test Cases ***
The Firmware Boots And Answers Hello
    Boot
    ${told}=    Host Should Manage    device    --port    ${URL}    --timeout    ${{ round(60 * float($PATIENCE)) }}    --json
    ${device}=    Evaluate    json.loads($told)
    Should Be Equal    ${device}[engine]    bucket_stack
    Should Be Equal As Integers    ${device}[frames]    8192
    Should Be Equal As Integers    ${device}[groups]    64
    Should Contain    ${device}[workloads]    zipf

The Firmware Counts From Boot On
    Boot
    Wait For Line On Uart    Switching SDRAM to hardware control
    Wait Until Keyword Succeeds    ${{ 20 * float($PATIENCE) }}s    0.2s    Accesses Should Have Been Seen

A Write To The Reset Register Starts The Firmware Again
    Boot
    Write Word    ${{ 0xF0000000 }}    1
    Wait For Line On Uart    LiteMRC bare-metal firmware

Without Its Library The Model Says So And Stops
    Run Keyword And Expect Error    *make models*    Create Machine    library=${REPO}/none.so

A Program Is Run And Its Epochs Collected
    Boot
    ${out}=    Set Variable    ${TEMPDIR}/litemrc-robot-${PORT}.parquet
    Host Should Manage    collect    --port    ${URL}    --timeout    ${{ round(60 * float($PATIENCE)) }}    --epochs    4    --epoch-length    10000    --run    loop    --out    ${out}
    Wait For Line On Uart    running loop under context 2
    ${told}=    Host Should Manage    curve    ${out}    --context    loop
    Should Contain    ${told}    loop
    Remove File    ${out}
