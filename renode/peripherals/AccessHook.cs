// SPDX-License-Identifier: BSD-2-Clause
using System;
using System.Reflection;
using Antmicro.Renode.Exceptions;
using Antmicro.Renode.Logging.Profiling;
using Antmicro.Renode.Peripherals.CPU;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // Reports the loads and stores of a processor while it is installed: physical address, and whether it is a store.
    // Instruction fetches are not seen: Renode reports them when it translates code, not when the code runs.
    public class AccessHook
    {
        public AccessHook(ICPU cpu, Action<ulong, bool> report)
        {
            this.cpu = cpu;
            this.report = report;
            // Its type differs between versions of Renode: in 1.16.1 it also has the width of the access.
            setHook = cpu.GetType().GetMethod("SetHookAtMemoryAccess");
            var type = setHook?.GetParameters()[0].ParameterType;
            var arguments = type?.GetMethod("Invoke").GetParameters().Length ?? 0;
            if(arguments != 5 && arguments != 6)
            {
                throw new ConstructionException("the processor model of this Renode does not report the physical addresses of its accesses: LiteMrcMonitor needs Renode 1.15.2 to 1.16");
            }
            hook = Delegate.CreateDelegate(type, this, GetType().GetMethod(arguments == 5 ? nameof(OnAccess) : nameof(OnAccessWithWidth)));
        }

        public void Install(bool install)
        {
            if(install == installed)
            {
                return;
            }
            installed = install;
            setHook.Invoke(cpu, new object[] { install ? hook : null });
            // Code translated earlier does not call the hook.
            ((TranslationCPU)cpu).ClearTranslationCache();
        }

        public void OnAccessWithWidth(ulong pc, MemoryOperation operation, ulong virtualAddress, ulong physicalAddress, uint width, ulong value)
        {
            OnAccess(pc, operation, virtualAddress, physicalAddress, value);
        }

        public void OnAccess(ulong pc, MemoryOperation operation, ulong virtualAddress, ulong physicalAddress, ulong value)
        {
            if(operation == MemoryOperation.MemoryRead || operation == MemoryOperation.MemoryWrite)
            {
                report(physicalAddress, operation == MemoryOperation.MemoryWrite);
            }
        }

        private bool installed;
        private readonly ICPU cpu;
        private readonly Action<ulong, bool> report;
        private readonly MethodInfo setHook;
        private readonly Delegate hook;
    }
}
