*** Test Cases ***
Linux Reaches User Space With The Driver Probed
    Execute Command         $port=${PORT}
    Execute Command         include @${REPOSITORY}/renode/litemrc_linux.resc
    Create Terminal Tester  sysbus.uart             timeout=5
    Start Emulation
    Wait For Line On Uart   Run /init as init process
    Wait For Line On Uart   LiteMRC: Linux 6.1
    Wait For Line On Uart   litemrcd: serves
    Write Line To Uart      cat /sys/bus/platform/drivers/litemrc/*.monitor/uevent
    Wait For Line On Uart   OF_COMPATIBLE_0=litemrc,monitor
