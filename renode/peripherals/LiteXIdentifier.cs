// SPDX-License-Identifier: BSD-2-Clause
using Antmicro.Renode.Peripherals.Bus;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // LiteX's identifier: a text, each character in a word of its own, ended by a 0.
    public class LiteXIdentifier : IDoubleWordPeripheral, IKnownSize
    {
        public LiteXIdentifier(string text)
        {
            this.text = text;
        }

        public void Reset()
        {
        }

        public uint ReadDoubleWord(long offset)
        {
            var place = (int)(offset / 4);
            return place < text.Length ? text[place] : 0u;
        }

        public void WriteDoubleWord(long offset, uint value)
        {
        }

        public long Size => 0x800;

        private readonly string text;
    }
}
