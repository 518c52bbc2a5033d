// SPDX-License-Identifier: BSD-2-Clause
using Antmicro.Renode.Core;
using Antmicro.Renode.Peripherals.Bus;

namespace Antmicro.Renode.Peripherals.UART
{
    // LiteX's UART with `txempty` and `rxfull`, which Renode's lacks. A byte is sent at once: the FIFO is always empty.
    public class LiteXUart : LiteX_UART, IDoubleWordPeripheral
    {
        public LiteXUart(IMachine machine) : base(machine)
        {
        }

        public new uint ReadDoubleWord(long offset)
        {
            switch(offset)
            {
            case TxEmpty:
                return 1;
            case RxFull:
                return 0;
            default:
                return base.ReadDoubleWord(offset);
            }
        }

        private const long TxEmpty = 0x18, RxFull = 0x1C;
    }
}
