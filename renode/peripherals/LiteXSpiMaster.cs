// SPDX-License-Identifier: BSD-2-Clause
using Antmicro.Renode.Core;
using Antmicro.Renode.Core.Structure;
using Antmicro.Renode.Peripherals.Bus;

namespace Antmicro.Renode.Peripherals.SPI
{
    // LiteX's SPIMaster (litex/soc/cores/spi) of 8 bits with CSRs of 32 bits; Renode's LiteX_SPI has CSRs of 8 bits. A transfer
    // is done at once. Without a selected slave MISO reads as ones. The slave is deselected when software clears `sel`, not
    // after each byte, as the gateware does in its normal mode.
    public class LiteXSpiMaster : NullRegistrationPointPeripheralContainer<ISPIPeripheral>, IDoubleWordPeripheral, IKnownSize
    {
        public LiteXSpiMaster(IMachine machine) : base(machine)
        {
            Reset();
        }

        public override void Reset()
        {
            mosi = miso = loopback = clockDivider = 0;
            chipSelect = 1;
        }

        public uint ReadDoubleWord(long offset)
        {
            switch(offset)
            {
            case Status:
                return Done;
            case Mosi:
                return mosi;
            case Miso:
                return miso;
            case ChipSelect:
                return chipSelect;
            case Loopback:
                return loopback;
            case ClockDivider:
                return clockDivider;
            default:
                return 0;
            }
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case Control:
                if((value & Start) != 0)
                {
                    miso = Transfer((byte)mosi);
                }
                break;
            case Mosi:
                mosi = value & 0xFF;
                break;
            case ChipSelect:
                if((chipSelect & ~value & Selected) != 0)
                {
                    RegisteredPeripheral?.FinishTransmission();
                }
                chipSelect = value & (Selected | ManualSelect);
                break;
            case Loopback:
                loopback = value & 1;
                break;
            case ClockDivider:
                clockDivider = value & 0xFFFF;
                break;
            }
        }

        public long Size => 0x1C;

        private byte Transfer(byte data)
        {
            if(loopback != 0)
            {
                return data;
            }
            return (chipSelect & Selected) != 0 && RegisteredPeripheral != null ? RegisteredPeripheral.Transmit(data) : (byte)0xFF;
        }

        private uint mosi, miso, chipSelect, loopback, clockDivider;

        private const long Control = 0x00, Status = 0x04, Mosi = 0x08, Miso = 0x0C, ChipSelect = 0x10, Loopback = 0x14, ClockDivider = 0x18;
        private const uint Start = 1, Done = 1, Selected = 1, ManualSelect = 1 << 16;
    }
}
