# SPDX-License-Identifier: BSD-2-Clause
"""Programs whose accesses are hard to count, and the replay of recorded accesses through golden models."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from litemrc.golden.monitor.cache_hierarchy import CacheModel, Memory
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.golden.monitor.page_filter import hashed
from litemrc.traces.qemu.counts import Counts, RecordStream, read_counts
from litemrc.traces.qemu.monitored import FRAME_BITS, Monitor, running, running_machine

from tests.timeouts import scaled_timeout

# Random stores, and loads that cross pages. No library, so that it makes few accesses.
WALK = """
static char data[200 * 4096 + 8];
void _start(void) {
    unsigned x = 1;
    for (int i = 0; i < 6000; i++) {
        x = x * 1664525 + 1013904223;
        data[(x >> 8) % (200 * 4096)]++;
        if (i % 5 == 0)
            *(volatile long *)(data + (x >> 12) % 150 * 4096 + 4092);
    }
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
}
"""

# Threads that increment one word, unaligned words and words of their own; code that rewrites itself; a fork.
HOSTILE = """
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static int word;
static char shared[1 << 20];
static pthread_barrier_t together; /* QEMU gives the number of a thread that ended to the next one */
static void *work(void *own) {
    pthread_barrier_wait(&together);
    for (int i = 0; i < 5000; i++) {
        __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
        *(volatile long *)(shared + (i * 4093L) % (sizeof shared - 8)) = i;
    }
    return own;
}
int main(void) {
    pthread_t threads[4];
    pthread_barrier_init(&together, 0, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, 0);
    int rights = PROT_READ | PROT_WRITE | PROT_EXEC;
    unsigned char *code = mmap(0, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 50; i++) {
        memcpy(code, "\\xb8\\0\\0\\0\\0\\xc3", 6); /* mov $i, %eax; ret */
        memcpy(code + 1, &i, 4);
        if (((int (*)(void))code)() != i)
            return 1;
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    if (fork() == 0) {
        for (int i = 0; i < 3000; i++)
            shared[i * 64 % sizeof shared]++;
        _exit(0);
    }
    int status;
    wait(&status);
    return word != 20000 || status;
}
"""

# Goes through 64 pages, without end if it has an argument; says when it starts.
SPIN = """
#include <unistd.h>
volatile char far[64 * 4096];
int main(int count, char **words) {
    write(1, "on\\n", 3);
    for (unsigned i = 0; count > 1 || i < 1000; i++)
        far[i * 4096 % sizeof far]++;
    return 3;
}
"""


@dataclass
class Recorded:
    """A program's accesses as the plugin took them: (processor, kind, address, size); and its counts."""

    accesses: list[tuple[int, int, int, int]]
    counts: list[Counts]
    code: int


def recorded(command: list[str], monitor: Monitor, *, machine: bool = False) -> Recorded:
    """Run a program or a machine with a raw stream; the accesses are those of the first process."""
    stream = RecordStream()
    accesses: list[tuple[int, int, int, int]] = []
    start = running_machine if machine else running
    with start(command, monitor, stream=stream.writer.fileno()) as program:
        stream.started()
        for message in stream.messages(lambda: program.process.poll() is not None):
            if message and message[0] == program.process.pid:
                for address, fields in message[1].tolist():
                    accesses.append((fields >> 32, fields >> 16 & 3, address, fields & 0xFFFF))
        code = program.process.wait(scaled_timeout(60))
        counts = read_counts(program.folder, command[0])
    stream.close()
    return Recorded(accesses, counts, code)


def transfers(accesses: Iterable[tuple[int, int, int, int]], monitor: Monitor) -> list[tuple[int, bool]]:
    """Return what golden caches let through to memory, as (address, write)."""
    memory = Memory()
    below: CacheModel | Memory = memory
    for shape in reversed(monitor.levels[2:]):
        below = CacheModel(shape.sets, shape.ways, shape.line_bytes, below)
    processors: dict[int, tuple] = {}
    for number, kind, address, size in accesses:
        if number not in processors:
            caches = [below]
            for shape in reversed(monitor.levels[:2]):
                level = CacheModel(shape.sets, shape.ways, shape.line_bytes, caches[0], shape.write_through)
                caches.insert(0, level)
            code = monitor.instructions
            fetches = caches[min(1, len(caches) - 1)]
            if monitor.levels and code:
                fetches = CacheModel(code.sets, code.ways, code.line_bytes, fetches)
            processors[number] = caches[0], fetches
        target = processors[number][kind == 2]
        if isinstance(target, Memory):  # no cache: one access to each page
            for page in range(address >> 12, (address + size - 1 >> 12) + 1):
                target.access(page << 12, 4096, kind == 1)
        else:
            target.access(address, size, kind == 1)
    return memory.transfers


def golden_counts(pages: Iterable[int], monitor: Monitor) -> tuple[dict[int, int], int, int, int, list[int]]:
    """Return hits by group, misses, accesses without a frame, unsampled, working sets; by golden models."""
    engine = MonitorModel(monitor.frames, monitor.groups, 1, f"{monitor.engine}_stack", recent_pages=1)
    frames: dict[int, int] = {}
    unsampled = outside = number = 0
    epochs = []
    for number, page in enumerate(pages, 1):
        sampled = hashed(page, FRAME_BITS) if monitor.sampling else page
        if monitor.sampling and sampled >> FRAME_BITS - monitor.sampling:
            unsampled += 1
        elif sampled not in frames and len(frames) == monitor.frames:
            outside += 1
        else:
            engine.access(frames.setdefault(sampled, len(frames)), 0)
        if monitor.epoch and number % monitor.epoch == 0:
            epochs.append(engine.end_epoch())
    if not monitor.epoch or number % monitor.epoch:
        epochs.append(engine.end_epoch())
    hits = Counter({g: sum(e.hits[0][g] for e in epochs) for g in range(monitor.groups)})
    working_sets = [e.touched[0] for e in epochs] if monitor.epoch else []
    return dict(hits), sum(e.misses[0] for e in epochs), outside, unsampled, working_sets


# Two threads at once, in blocks of 14 accesses: the buffers, of a power of two, end within blocks.
PAIR = """
#include <pthread.h>
static pthread_barrier_t together;
static volatile long words[2][8192];
static void *work(void *own) {
    volatile long *mine = own;
    pthread_barrier_wait(&together);
    for (int i = 0; i < 20000; i++)
        for (int j = 0; j < 56; j += 8)
            mine[(i * 64 + j) % 8192]++;
    return 0;
}
int main(void) {
    pthread_t other;
    pthread_barrier_init(&together, 0, 2);
    pthread_create(&other, 0, work, (void *)words[1]);
    work((void *)words[0]);
    return pthread_join(other, 0);
}
"""
