// SPDX-License-Identifier: BSD-2-Clause
using Antmicro.Renode.Core;
using Antmicro.Renode.Peripherals.Bus;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // Rank meter and rank power: registers and window are those of the monitor's model, which sees the accesses.
    //
    // Cycles follow virtual time. A rank needs the given cycles to wake; the processor does not wait for it.
    public class RankPower : IDoubleWordPeripheral, IKnownSize
    {
        public RankPower(LiteMrcMonitor monitor, bool isVirtual, uint states, uint powerDownExit, uint selfRefreshExit)
        {
            this.monitor = monitor;
            monitor.Loaded = model =>
            {
                model.SetRanks(monitor.Ranks, isVirtual, states, powerDownExit, selfRefreshExit);
                registers = model.BaseOf("ranks");
                window = model.BaseOf("ranks_window");
            };
        }

        public void Reset()
        {
        }

        public uint ReadDoubleWord(long offset) => monitor.Read(registers + offset);
        public void WriteDoubleWord(long offset, uint value) => monitor.Write(registers + offset, value);

        [ConnectionRegion("window")]
        public uint ReadWindow(long offset) => monitor.Read(window + offset);

        [ConnectionRegion("window")]
        public void WriteWindow(long offset, uint value) => monitor.Write(window + offset, value);

        public long Size => 0x100;

        private long registers, window;
        private readonly LiteMrcMonitor monitor;
    }
}
