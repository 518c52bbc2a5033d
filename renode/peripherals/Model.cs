// SPDX-License-Identifier: BSD-2-Clause
using System;
using System.IO;
using System.Runtime.InteropServices;
using Antmicro.Renode.Exceptions;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // liblitemrc_model (models/litemrc_model.h): the monitor's arithmetic, compiled from hls/. Its path is given at run
    // time, so dlopen loads it; the marshaller would search only its own folders.
    public sealed class LiteMrcModel : IDisposable
    {
        public LiteMrcModel(string library, uint engine, uint frames, uint pages, uint groups, uint contexts, uint recentPages, uint domains)
        {
            module = Open(library);
            var version = Function<VersionFunction>("version")();
            if(version != Version)
            {
                throw new RecoverableException($"{library} has version {version} of its interface, this model wants {Version}: run make models again");
            }
            handle = Function<CreateFunction>("create")(engine, frames, pages, groups, contexts, recentPages, domains);
            if(handle == IntPtr.Zero)
            {
                var sizes = Marshal.PtrToStringAnsi(Function<SizesFunction>("sizes")());
                throw new RecoverableException($"{library} was not compiled for engine {engine}, {frames} frames, {pages} pages, {groups} groups, {contexts} contexts, {recentPages} recent pages, {domains} power domains, but for:\n{sizes}run: make -C models SIZES={engine}.{frames}.{pages}.{groups}.{contexts}.{recentPages}.{domains}");
            }
            access = Function<AccessFunction>("access");
            setMemory = Function<SetMemoryFunction>("set_memory");
            setCaches = Function<SetCachesFunction>("set_caches");
            control = Function<ControlFunction>("control");
            setFilter = Function<SetFilterFunction>("set_filter");
            setContext = Function<SetFunction>("set_context");
            setEpochLength = Function<SetFunction>("set_epoch_length");
            elapse = Function<SetFunction>("elapse");
            invalidate = Function<SetFunction>("invalidate");
            reset = Function<DoFunction>("reset");
            clear = Function<DoFunction>("clear");
            endEpoch = Function<DoFunction>("end_epoch");
            release = Function<DoFunction>("release");
            arm = Function<DoFunction>("arm");
            epochReady = Function<GetFunction>("epoch_ready");
            epochDue = Function<GetFunction>("epoch_due");
            overflow = Function<GetFunction>("overflow");
            frozen = Function<GetFunction>("frozen");
            epoch = Function<GetFunction>("epoch");
            epochOutside = Function<GetFunction>("epoch_outside");
            epochUnsampled = Function<GetFunction>("epoch_unsampled");
            scaleLog2 = Function<GetFunction>("scale_log2");
            window = Function<WindowFunction>("window");
            dramAccesses = Function<CountFunction>("dram_accesses");
            needsAccesses = Function<GetFunction>("needs_accesses");
            setTime = Function<SetTimeFunction>("set_time");
            setRanks = Function<SetRanksFunction>("set_ranks");
            setPolicy = Function<SetFourFunction>("set_policy");
            setThresholds = Function<SetTwoFunction>("set_thresholds");
            setPartial = Function<SetTwoFunction>("set_partial");
            command = Function<SetTwoFunction>("command");
            setNMrcAuto = Function<SetTwoFunction>("set_n_mrc_auto");
            setNMrc = Function<SetFunction>("set_n_mrc");
            working = Function<GetFunction>("working");
            snapshotClocks = Function<GetFunction>("snapshot_clocks");
            meterOverflow = Function<GetFunction>("meter_overflow");
            state = Function<WindowFunction>("state");
            meterWindow = Function<WindowFunction>("meter_window");
            log = Function<LogFunction>("log");
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

        public void SetMemory(ulong start, ulong bytes, uint pageShift, uint accessBytes)
        {
            if(setMemory(handle, start, bytes, pageShift, accessBytes) != 0)
            {
                throw new RecoverableException($"the memory has not as many frames as the monitor: {bytes} bytes, pages of 2^{pageShift}");
            }
        }

        public void SetCaches(uint l1Bytes, uint l1Ways, uint l1LineBytes, uint l2Bytes, uint l2LineBytes)
        {
            if(setCaches(handle, l1Bytes, l1Ways, l1LineBytes, l2Bytes, l2LineBytes) != 0)
            {
                throw new RecoverableException("the caches' sizes must be powers of two");
            }
        }

        public void Log(string path)
        {
            if(log(handle, path) != 0)
            {
                throw new RecoverableException($"the log cannot be written{(path == null ? "" : " to " + path)}");
            }
        }

        public uint Access(ulong address, bool write) => access(handle, address, write ? 1 : 0);

        public void Control(bool enable, bool hold, bool byCycles, bool freeze, bool singleShot) =>
            control(handle, enable ? 1 : 0, hold ? 1 : 0, byCycles ? 1 : 0, freeze ? 1 : 0, singleShot ? 1 : 0);

        public void SetFilter(uint lower, uint upper, uint sampling, bool split) => setFilter(handle, lower, upper, sampling, split ? 1 : 0);
        public void SetContext(uint context) => setContext(handle, context);
        public void SetEpochLength(uint length) => setEpochLength(handle, length);
        public void Elapse(uint cycles) => elapse(handle, cycles);
        public void Invalidate(uint frame) => invalidate(handle, frame);
        public void Reset() => reset(handle);
        public void Clear() => clear(handle);
        public void EndEpoch() => endEpoch(handle);
        public void Release() => release(handle);
        public void Arm() => arm(handle);

        public bool EpochReady => epochReady(handle) != 0;
        public bool EpochDue => epochDue(handle) != 0;
        public bool Overflow => overflow(handle) != 0;
        public bool Frozen => frozen(handle) != 0;
        public uint Epoch => epoch(handle);
        public uint EpochOutside => epochOutside(handle);
        public uint EpochUnsampled => epochUnsampled(handle);
        public uint ScaleLog2 => scaleLog2(handle);
        public ulong DramAccesses => dramAccesses(handle);
        public bool NeedsAccesses => needsAccesses(handle) != 0;

        public void SetTime(ulong cycles) => setTime(handle, cycles);
        public void SetRanks(bool slices, uint powerDownExit, uint selfRefreshExit) => setRanks(handle, slices ? 1 : 0, powerDownExit, selfRefreshExit);
        public void SetPolicy(uint kind, uint staticState, uint mrcState, uint mrcBase) => setPolicy(handle, kind, staticState, mrcState, mrcBase);
        public void SetThresholds(uint powerDown, uint selfRefresh) => setThresholds(handle, powerDown, selfRefresh);
        public void SetPartial(uint part, uint allowed) => setPartial(handle, part, allowed);
        public void Command(uint domain, uint lowState) => command(handle, domain, lowState);
        public void SetNMrc(uint size) => setNMrc(handle, size);
        public void SetNMrcAuto(bool enable, uint epsilon) => setNMrcAuto(handle, enable ? 1u : 0u, epsilon);
        public uint Working => working(handle);
        public uint SnapshotClocks => snapshotClocks(handle);
        public bool MeterOverflow => meterOverflow(handle) != 0;
        public uint State(uint domain) => state(handle, domain);
        public uint MeterWindow(uint word) => meterWindow(handle, word);
        public uint Window(uint word) => window(handle, word);

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
        private delegate IntPtr CreateFunction(uint engine, uint frames, uint pages, uint groups, uint contexts, uint recentPages, uint domains);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate uint AccessFunction(IntPtr model, ulong address, int write);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int SetMemoryFunction(IntPtr model, ulong start, ulong bytes, uint pageShift, uint accessBytes);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int SetCachesFunction(IntPtr model, uint l1Bytes, uint l1Ways, uint l1LineBytes, uint l2Bytes, uint l2LineBytes);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void ControlFunction(IntPtr model, int enable, int hold, int byCycles, int freeze, int singleShot);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void SetFilterFunction(IntPtr model, uint lower, uint upper, uint sampling, int split);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void SetFunction(IntPtr model, uint value);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void SetTwoFunction(IntPtr model, uint first, uint second);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void SetFourFunction(IntPtr model, uint first, uint second, uint third, uint fourth);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void SetRanksFunction(IntPtr model, int slices, uint powerDownExit, uint selfRefreshExit);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void SetTimeFunction(IntPtr model, ulong cycles);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void DoFunction(IntPtr model);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate uint GetFunction(IntPtr model);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate ulong CountFunction(IntPtr model);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate uint WindowFunction(IntPtr model, uint word);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int LogFunction(IntPtr model, string path);

        private IntPtr handle;
        private readonly IntPtr module;
        private readonly AccessFunction access;
        private readonly SetMemoryFunction setMemory;
        private readonly SetCachesFunction setCaches;
        private readonly ControlFunction control;
        private readonly SetFilterFunction setFilter;
        private readonly SetFunction setContext, setEpochLength, elapse, invalidate, setNMrc;
        private readonly DoFunction reset, clear, endEpoch, release, arm, destroy;
        private readonly GetFunction epochReady, epochDue, overflow, frozen, epoch, epochOutside, epochUnsampled, scaleLog2, working, snapshotClocks, meterOverflow, needsAccesses;
        private readonly WindowFunction window, state, meterWindow;
        private readonly SetTimeFunction setTime;
        private readonly SetTwoFunction command, setNMrcAuto, setThresholds, setPartial;
        private readonly SetFourFunction setPolicy;
        private readonly SetRanksFunction setRanks;
        private readonly CountFunction dramAccesses;
        private readonly LogFunction log;

        private const uint Version = 2;
        private const int Now = 2; // RTLD_NOW
    }
}
