*** Test Cases ***
Linux Reaches User Space With The Driver Probed
    Execute Command         $port=${PORT}
    Execute Command         include @${REPOSITORY}/renode/litemrc_linux.resc
    Create Terminal Tester  sysbus.uart             timeout=5
    Start Emulation
    Wait For Line On Uart   Run /init as init process
    Wait For Line On Uart   LiteMRC: Linux 6.1
    Wait For Line On Uart   litemrcd: serves
    # The daemon is started where there is a monitor, and counts through the driver.
    ${hooked}=              Execute Command         sysbus.mrc HookedAccesses
    ${hooked}=              Convert To Integer      ${hooked.strip()}
    Should Be True          ${hooked} > 1000
