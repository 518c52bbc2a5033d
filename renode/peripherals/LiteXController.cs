// SPDX-License-Identifier: BSD-2-Clause
using Antmicro.Renode.Core;
using Antmicro.Renode.Core.Structure.Registers;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // LiteX's SoCController: a write to `reset` resets the machine. In Renode's own it has no effect.
    public class LiteXController : BasicDoubleWordPeripheral, IKnownSize
    {
        public LiteXController(IMachine machine) : base(machine)
        {
            Registers.Reset.Define(this)
                .WithFlag(0, name: "soc_rst", writeCallback: (_, value) => Reset(machine, value))
                .WithFlag(1, name: "cpu_rst", writeCallback: (_, value) => Reset(machine, value));
            Registers.Scratch.Define(this, 0x12345678)
                .WithValueField(0, 32, name: "scratch");
            Registers.BusErrors.Define(this)
                .WithValueField(0, 32, FieldMode.Read, name: "bus_errors");
        }

        public long Size => 0xC;

        private static void Reset(IMachine machine, bool requested)
        {
            if(requested)
            {
                machine.RequestReset();
            }
        }

        private enum Registers
        {
            Reset = 0x0,
            Scratch = 0x4,
            BusErrors = 0x8,
        }
    }
}
