# SPDX-License-Identifier: BSD-2-Clause
"""Programs with threads are recorded: every access, its thread, in an order that is the same each time."""

import shutil
import textwrap
from pathlib import Path

import numpy as np
import pytest
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc.traces.recorder.recording import Recording
from litemrc.traces.shared import open_shared_trace
from litemrc_studies.reference_counters.machine.numa import read_references

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

HEAD = """\
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
"""


ROOT = Path(__file__).resolve().parents[3]


def recorded(tmp_path, program, *arguments, turn=4):
    source = tmp_path / "program.c"
    source.write_text(HEAD + textwrap.dedent(program))
    return read_references(Recording([source], arguments, turn).chunks())


def test_each_access_is_recorded_with_its_thread(tmp_path):
    references = recorded(
        tmp_path,
        """
        static int numbers[64];
        static void *work(void *at)
        {
            int sum = 0;
            for (int i = 0; i < 10; i++)
                sum += numbers[i];
            numbers[32] = sum;
            return at;
        }
        int main(void)
        {
            pthread_t thread;
            for (int i = 0; i < 10; i++)
                numbers[i] = i;
            pthread_create(&thread, NULL, work, NULL);
            pthread_join(thread, NULL);
            return numbers[32] != 45;
        }
        """,
    )
    rows = list(
        zip(references.words - references.words.min(), references.processors, references.writes, strict=True)
    )
    expected = [(i, 0, 1) for i in range(10)] + [(i, 1, 0) for i in range(10)] + [(32, 1, 1), (32, 0, 0)]
    assert [tuple(map(int, row)) for row in rows] == expected


def test_threads_take_turns(tmp_path):
    references = recorded(
        tmp_path,
        """
        static int numbers[2][100];
        static pthread_barrier_t barrier;
        static void *work(void *row)
        {
            pthread_barrier_wait(&barrier);
            for (int i = 0; i < 100; i++)
                ((int *)row)[i] = i;
            return NULL;
        }
        int main(void)
        {
            pthread_t thread;
            pthread_barrier_init(&barrier, NULL, 2);
            pthread_create(&thread, NULL, work, numbers[1]);
            work(numbers[0]);
            pthread_join(thread, NULL);
            return 0;
        }
        """,
        turn=5,
    )
    # Behind the barrier each has runs of 5, but for the first turn, which the barrier's access has begun.
    writes = references.processors[-200:]
    runs = np.diff(np.flatnonzero(np.diff(writes)))
    assert set(runs.tolist()) == {5}
    assert np.bincount(writes).tolist() == [100, 100]


def test_locks_conditions_and_copies_work_and_are_seen(tmp_path):
    program = """
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
        static long count, turns;
        static char *from, *to;
        static void *work(void *number)
        {
            for (int i = 0; i < 50; i++) {
                pthread_mutex_lock(&lock);
                while (turns % 3 != (long)number)
                    pthread_cond_wait(&changed, &lock);
                turns++;
                count++;
                pthread_cond_broadcast(&changed);
                pthread_mutex_unlock(&lock);
            }
            return NULL;
        }
        int main(void)
        {
            pthread_t threads[3];
            from = malloc(4096);
            to = malloc(4096);
            memset(from, 7, 4096);
            for (long i = 0; i < 3; i++)
                pthread_create(&threads[i], NULL, work, (void *)i);
            for (int i = 0; i < 3; i++)
                pthread_join(threads[i], NULL);
            memcpy(to, from, 4096);
            return !(count == 150 && to[4095] == 7);
        }
        """
    first, again = (recorded(tmp_path, program) for _ in range(2))
    np.testing.assert_array_equal(first.words, again.words)
    np.testing.assert_array_equal(first.processors, again.processors)
    heap = first.words >= 1 << 30
    # memset writes 512 times 8 bytes, memcpy reads and writes as many; the last line reads one.
    assert (int(first.writes[heap].sum()), int((~first.writes[heap].astype(bool)).sum())) == (1024, 513)


def test_programs_that_fail_or_do_not_compile_are_reported(tmp_path):
    with pytest.raises(UserError, match="exit code 3"):
        recorded(tmp_path, "static int n[9]; int main(int c, char **v) { n[c] = 1; return n[c] + 2; }")
    with pytest.raises(UserError, match="does not compile"):
        recorded(tmp_path, "int main(void) { return nothing; }")
    with pytest.raises(UserError, match="no access"):
        recorded(tmp_path, "int main(void) { return 0; }")
    with pytest.raises(UserError, match="exit code 125"):  # a deadlock ends and is reported
        recorded(
            tmp_path,
            """
            static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
            int main(void) { pthread_mutex_lock(&lock); return pthread_mutex_lock(&lock); }
            """,
        )


@pytest.mark.parametrize(
    ("program", "rounds"),
    [("fft", 1), ("ocean", 1), ("search", 1), ("sort", 1), ("lu", 1), ("bodies", 1), ("table", 2)],
)
def test_the_programs_of_scenarios_run(tmp_path, program, rounds):
    out = tmp_path / "out.parquet"
    source = str(ROOT / f"host/litemrc_studies/shared/threads/{program}.c")
    assert main(["trace", "threads", "--out", str(out), "--turn", "64", source, "--", "4", f"{rounds}"]) == 0
    with open_shared_trace(out) as trace:
        references = read_references(trace)
        assert trace.origin == f"{source} -- 4 {rounds}"
    assert set(references.processors.tolist()) == {0, 1, 2, 3}
    assert len(references) > 100_000


def test_no_program_is_an_error(tmp_path, capsys):
    assert main(["trace", "threads", "--out", str(tmp_path / "x.parquet"), "sort", "4"]) == 2
    assert "the first word is not a C file" in capsys.readouterr().err
