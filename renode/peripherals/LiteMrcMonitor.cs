// SPDX-License-Identifier: BSD-2-Clause
using System;
using Antmicro.Migrant.Hooks;
using Antmicro.Renode.Core;
using Antmicro.Renode.Exceptions;
using Antmicro.Renode.Peripherals.Bus;
using Antmicro.Renode.Peripherals.CPU;
using Antmicro.Renode.Peripherals.Timers;
using Antmicro.Renode.Time;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // The MRC monitor: registers and window are those of liblitemrc_model. Needs Renode 1.15.2; tested with 1.15.3.
    //
    // While the model needs accesses, because the monitor is enabled, or a rank sleeps or may fall asleep, a hook passes every
    // load and store of the processor to the model of its caches, whose misses and write-backs are the DRAM accesses. The
    // hook slows the processor, so it is installed only then.
    public class LiteMrcMonitor : IDoubleWordPeripheral, IKnownSize, IDisposable
    {
        public LiteMrcMonitor(IMachine machine, ICPU cpu, uint frequency, ulong memoryBase, int pageShift,
            int framesLog2, int pagesLog2, int groupsLog2, int contextsLog2, int queueLog2, uint engine, uint recentPages, uint ranks,
            uint l1Bytes, uint l1Ways, uint l1LineBytes, uint l2Bytes, uint l2LineBytes, uint accessBytes, uint domains = 0, uint hotPages = 0)
        {
            this.machine = machine;
            this.frequency = frequency;
            this.domains = domains;
            Ranks = ranks;
            hook = new AccessHook(cpu, OnAccess);
            load = library =>
            {
                var loaded = new LiteMrcModel(library, engine, 1u << framesLog2, 1u << pagesLog2, 1u << groupsLog2, 1u << contextsLog2, recentPages, domains, hotPages);
                loaded.SetMemory(memoryBase, 1UL << (framesLog2 + pageShift), (uint)pageShift, accessBytes, 1u << queueLog2);
                loaded.SetCaches(l1Bytes, l1Ways, l1LineBytes, l2Bytes, l2LineBytes);
                return loaded;
            };
            Loaded = model => model.SetRanks(ranks, false, uint.MaxValue, 0, 0);
            clock = new LimitTimer(machine.ClockSource, frequency, this, "epoch", workMode: WorkMode.OneShot, eventEnabled: true, autoUpdate: true);
            clock.LimitReached += Synchronize;
            IRQ = new GPIO();
        }

        // Renode saves no state of a library.
        [PreSerialization]
        private void RefuseToBeSaved()
        {
            throw new InvalidOperationException("the state of LiteMRC's monitor is in a C library and cannot be saved: start the machine by its script again");
        }

        public void Reset()
        {
            reset = machine.ElapsedVirtualTime.TimeElapsed.TotalSeconds;
            hook.Install(false);
            clock.Reset();
            model?.Reset();
            IRQ.Unset();
        }

        public void Dispose()
        {
            model?.Dispose();
        }

        // Command "mrc Library @path": loads the model's library; required before any other use.
        public void Library(string path)
        {
            model?.Dispose();
            model = load(path);
            Loaded(model);
            registers = model.BaseOf("mrc");
            window = model.BaseOf("mrc_window");
        }

        // Of rank power: prepares a model.
        public Action<LiteMrcModel> Loaded { get; set; }

        // Command "mrc Record @path": records the monitor's input for the golden model; "mrc StopRecording" completes the file.
        public void Record(string path)
        {
            Model.Log(path);
        }

        public void StopRecording()
        {
            Model.Log(null);
        }

        // The bus of the model.
        public uint Read(long address)
        {
            UpdateTime();
            return Model.Read(address);
        }

        public void Write(long address, uint value)
        {
            UpdateTime();
            Model.Write(address, value);
            hook.Install(Model.NeedsAccesses);
            Synchronize();
        }

        public uint ReadDoubleWord(long offset) => Read(registers + offset);
        public void WriteDoubleWord(long offset, uint value) => Write(registers + offset, value);

        [ConnectionRegion("window")]
        public uint ReadWindow(long offset) => Read(window + offset);

        [ConnectionRegion("window")]
        public void WriteWindow(long offset, uint value) => Write(window + offset, value);

        public GPIO IRQ { get; }
        public uint Ranks { get; }
        public long Size => 0x100;
        public ulong DramAccesses => Model.DramAccesses;
        public ulong HookedAccesses => hooked;

        private void OnAccess(ulong address, bool write)
        {
            hooked++;
            if(domains != 0)
            {
                UpdateTime();
            }
            if(Model.Access(address, write))
            {
                IRQ.Set(Model.Interrupt);
            }
        }

        private void UpdateTime()
        {
            // Else the time is that of the last synchronisation, up to a quantum ago.
            if(machine.SystemBus.TryGetCurrentCPU(out var cpu))
            {
                cpu.SyncTime();
            }
            var seconds = machine.ElapsedVirtualTime.TimeElapsed.TotalSeconds - reset;
            Model.SetTime((ulong)Math.Round(Math.Max(0, seconds * frequency)));
        }

        // Interrupt, and the clock that ends epochs measured in cycles.
        private void Synchronize()
        {
            UpdateTime();
            IRQ.Set(Model.Interrupt);
            var cycles = Model.CyclesLeft;
            clock.Enabled = false;
            if(cycles != 0)
            {
                clock.Limit = cycles;
                clock.Enabled = true;
            }
        }

        private LiteMrcModel Model
        {
            get
            {
                if(model == null)
                {
                    throw new RecoverableException("the monitor has no model: make models, then: mrc Library @build/models/liblitemrc_model.so");
                }
                return model;
            }
        }

        private double reset; // seconds of virtual time
        private long registers, window;
        private ulong hooked;
        private LiteMrcModel model;
        private readonly uint frequency, domains;
        private readonly IMachine machine;
        private readonly AccessHook hook;
        private readonly Func<string, LiteMrcModel> load;
        private readonly LimitTimer clock;
    }
}
