*** Settings ***
Documentation     The ULX3S's SoC: LiteX's BIOS tests the memory and boots Linux from the image of an SD card.
Resource          litemrc.resource

*** Test Cases ***
The BIOS Tests The Memory And Asks For Images At The Console
    Create Machine    litemrc_ulx3s.resc
    Create Terminal Tester    sysbus.uart    timeout=20
    Start Emulation
    Wait For Line On Uart    BIOS CRC passed
    Wait For Line On Uart    Memtest OK
    Wait For Line On Uart    Booting from serial

The BIOS Boots Linux From The Card And Poweroff Halts
    Create Machine    litemrc_ulx3s.resc
    Create Terminal Tester    sysbus.uart    timeout=30
    Start Emulation
    Wait For Line On Uart    Booting from SDCard in SPI-Mode
    Wait For Line On Uart    Copying Image to 0x40000000
    Wait For Line On Uart    Copying shim.bin to 0x407f0000
    Wait For Line On Uart    Liftoff!
    Wait For Line On Uart    LiteMRC: Linux 6.1
    Wait For Line On Uart    litemrcd: serves
    Write Line To Uart    poweroff    waitForEcho=false
    Wait For Line On Uart    halted: switch the power off
