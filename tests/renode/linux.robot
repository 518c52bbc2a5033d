*** Settings ***
Documentation     Linux boots to user space, its driver probed and its daemon serving, and reboots.
Resource          litemrc.resource

*** Test Cases ***
Linux Reaches User Space With The Driver Probed
    Create Machine    litemrc_linux.resc
    Create Terminal Tester    sysbus.uart    timeout=5
    Start Emulation
    Wait For Line On Uart    Run /init as init process
    Wait For Line On Uart    LiteMRC: Linux 6.1
    Wait For Line On Uart    litemrcd: serves
    # The daemon serves where the driver was probed, and has the monitor count.
    ${seen}=    Execute Command    sysbus.mrc HookedAccesses
    Should Be True    int($seen.strip(), 16) > 1000

Linux Reboots
    Create Machine    litemrc_linux.resc
    Create Terminal Tester    sysbus.uart    timeout=10
    Start Emulation
    Wait For Line On Uart    litemrcd: serves
    Write Line To Uart    reboot    waitForEcho=false
    Wait For Line On Uart    Restarting system
    Wait For Line On Uart    Run /init as init process
    Wait For Line On Uart    litemrcd: serves
