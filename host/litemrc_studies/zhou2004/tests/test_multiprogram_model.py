"""The golden machine of several processes, where its order of events is decided by hand."""

from litemrc_studies.zhou2004.golden.frame_policies import GlobalLru
from litemrc_studies.zhou2004.golden.multiprogram import Costs, Machine, Process


def test_an_arrival_for_an_ended_process_does_not_hold_up_the_next_arrival():
    """c has turns of 100; a serves its only reference from 100 to 110 and ends, its arrival at 150 is void.

    c's second turn is from 110 to 210. b arrived at 160, so it is queued before c and runs to 220.
    """
    a = Process([(1, False)], 10, request_touches=1, clients=0, pauses=(10, 140), requests=0)
    b = Process([(5, False)], 10, start=160)
    c = Process([(7, False)] * 40, 10)
    Machine([a, b, c], GlobalLru(9, 3), Costs(time_slice=100, page_read=0, write_out=0)).run()
    assert (a.responses, b.responses) == ([(10, 110)], [(160, 220)])
    assert c.ended == 400 + 10 + 10


def test_a_process_is_batch_work_from_time_0_by_default():
    """One request of all references, without a pause: a touch of 10 and a zero fill of 0, then a hit."""
    process = Process([(1, False), (1, True)], 10)
    machine = Machine([process], GlobalLru(1, 1), Costs(time_slice=100, page_read=50, write_out=20))
    machine.run()
    assert (process.responses, process.ended, process.touches) == ([(0, 20)], 20, 2)
    assert (process.faults, process.zero_fills, process.write_outs) == (0, 1, 0)
    assert (machine.samples, machine.disk_busy, machine.disk_free) == ([], 0, 0)
