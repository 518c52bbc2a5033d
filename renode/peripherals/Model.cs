// SPDX-License-Identifier: BSD-2-Clause
using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using Antmicro.Renode.Exceptions;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // liblitemrc_model (models/litemrc_model.h): the monitor, with the registers of the gateware on a bus. Its path is given
    // at run time, so dlopen loads it; the marshaller would search only its own folders.
    public sealed class LiteMrcModel : IDisposable
    {
        public LiteMrcModel(string library, uint engine, uint frames, uint pages, uint groups, uint contexts, uint recentPages, uint domains, uint hotPages)
        {
            module = Open(library);
            var version = Function<VersionFunction>("version")();
            if(version != Version)
            {
                throw new RecoverableException($"{library} has version {version} of its interface, this model wants {Version}: run make models again");
            }
            handle = Function<CreateFunction>("create")(engine, frames, pages, groups, contexts, recentPages, domains, hotPages);
            if(handle == IntPtr.Zero)
            {
                var sizes = Marshal.PtrToStringAnsi(Function<SizesFunction>("sizes")());
                throw new RecoverableException($"{library} was not compiled for engine {engine}, {frames} frames, {pages} pages, {groups} groups, {contexts} contexts, {recentPages} recent pages, {domains} power domains, {hotPages} hot pages, but for:\n{sizes}run: make -C models SIZES={engine}.{frames}.{pages}.{groups}.{contexts}.{recentPages}.{domains} PAGES={(hotPages == 0 ? "" : $"{frames}.{hotPages}")}");
            }
            map = Marshal.PtrToStringAnsi(Function<MapFunction>("bus_map")(handle));
            access = Function<AccessFunction>("access");
            read = Function<ReadFunction>("bus_read");
            write = Function<WriteFunction>("bus_write");
            setTime = Function<SetTimeFunction>("set_time");
            cyclesLeft = Function<GetFunction>("cycles_left");
            needsAccesses = Function<GetFunction>("needs_accesses");
            interrupt = Function<GetFunction>("interrupt");
            dramAccesses = Function<CountFunction>("dram_accesses");
            log = Function<LogFunction>("log");
            reset = Function<DoFunction>("reset");
            destroy = Function<DoFunction>("destroy");
        }

        public void Dispose()
        {
            if(handle != IntPtr.Zero)
            {
                log(handle, null); // completes the file
                destroy(handle);
                handle = IntPtr.Zero;
            }
        }

        public void SetMemory(ulong start, ulong bytes, uint pageShift, uint accessBytes, uint queue)
        {
            if(Function<SetMemoryFunction>("set_memory")(handle, start, bytes, pageShift, accessBytes, queue) != 0)
            {
                throw new RecoverableException($"the memory has not as many frames as the monitor: {bytes} bytes, pages of 2^{pageShift}");
            }
        }

        public void SetCaches(uint l1Bytes, uint l1Ways, uint l1LineBytes, uint l2Bytes, uint l2LineBytes)
        {
            if(Function<SetCachesFunction>("set_caches")(handle, l1Bytes, l1Ways, l1LineBytes, l2Bytes, l2LineBytes) != 0)
            {
                throw new RecoverableException("the caches' sizes must be powers of two");
            }
        }

        public void SetRanks(uint ranks, bool slices, uint states, uint powerDownExit, uint selfRefreshExit)
        {
            Function<SetRanksFunction>("set_ranks")(handle, ranks, slices ? 1 : 0, states, powerDownExit, selfRefreshExit);
        }

        public void Log(string path)
        {
            if(log(handle, path) != 0)
            {
                throw new RecoverableException($"the log cannot be written{(path == null ? "" : " to " + path)}");
            }
        }

        // Where a block of registers, or its window, is on the bus.
        public uint BaseOf(string name)
        {
            return uint.Parse(Regex.Match(map, $"\"{name}\": \\[?(\\d+)").Groups[1].Value);
        }

        public uint Read(long address) => read(handle, (uint)address);
        public void Write(long address, uint value) => write(handle, (uint)address, value);
        public bool Access(ulong address, bool isWrite) => access(handle, address, isWrite ? 1 : 0) != 0;
        public void SetTime(ulong cycles) => setTime(handle, cycles);
        public void Reset() => reset(handle);

        public uint CyclesLeft => cyclesLeft(handle);
        public bool NeedsAccesses => needsAccesses(handle) != 0;
        public bool Interrupt => interrupt(handle) != 0;
        public ulong DramAccesses => dramAccesses(handle);

        private static IntPtr Open(string library)
        {
            if(!File.Exists(library))
            {
                throw new RecoverableException($"no {library}: run make models, or set $model to where it is");
            }
            var opened = dlopen(Path.GetFullPath(library), Now);
            if(opened == IntPtr.Zero)
            {
                throw new RecoverableException($"{library} cannot be loaded: {Marshal.PtrToStringAnsi(dlerror())}; run make models");
            }
            return opened;
        }

        private T Function<T>(string name)
        {
            var address = dlsym(module, "litemrc_model_" + name);
            if(address == IntPtr.Zero)
            {
                throw new RecoverableException($"the library of the model has no litemrc_model_{name}: run make models again");
            }
            return Marshal.GetDelegateForFunctionPointer<T>(address);
        }

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlopen(string path, int flags);

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlsym(IntPtr module, string name);

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlerror();

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate uint VersionFunction();
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate IntPtr SizesFunction();
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate IntPtr CreateFunction(uint engine, uint frames, uint pages, uint groups, uint contexts, uint recentPages, uint domains, uint hotPages);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int SetMemoryFunction(IntPtr model, ulong start, ulong bytes, uint pageShift, uint accessBytes, uint queue);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int SetCachesFunction(IntPtr model, uint l1Bytes, uint l1Ways, uint l1LineBytes, uint l2Bytes, uint l2LineBytes);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void SetRanksFunction(IntPtr model, uint ranks, int slices, uint states, uint powerDownExit, uint selfRefreshExit);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate IntPtr MapFunction(IntPtr model);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int AccessFunction(IntPtr model, ulong address, int write);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate uint ReadFunction(IntPtr model, uint address);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void WriteFunction(IntPtr model, uint address, uint value);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void SetTimeFunction(IntPtr model, ulong cycles);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate uint GetFunction(IntPtr model);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate ulong CountFunction(IntPtr model);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int LogFunction(IntPtr model, string path);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void DoFunction(IntPtr model);

        private IntPtr handle;
        private readonly IntPtr module;
        private readonly string map;
        private readonly AccessFunction access;
        private readonly ReadFunction read;
        private readonly WriteFunction write;
        private readonly SetTimeFunction setTime;
        private readonly GetFunction cyclesLeft, needsAccesses, interrupt;
        private readonly CountFunction dramAccesses;
        private readonly LogFunction log;
        private readonly DoFunction reset, destroy;

        private const uint Version = 3;
        private const int Now = 2; // RTLD_NOW
    }
}
