"""Senpai's rules, by the arithmetic of their sources."""

import pytest
from litemrc.errors import UserError
from litemrc.policies.rightsizing.senpai import SenpaiRule, TmoRule


def test_tmo_reclaims_a_share_that_falls_with_pressure_and_never_gives_back():
    rule = TmoRule(reclaim_ratio=0.0005, threshold=0.001, interval_s=6)
    # 6 s x 0.001 = 6 ms of waiting is the threshold.
    assert rule.reclaim(100_000, 0.0) == pytest.approx(50)
    assert rule.reclaim(100_000, 0.003) == pytest.approx(25)
    assert rule.reclaim(100_000, 0.006) == pytest.approx(0)
    assert rule.reclaim(100_000, 1.0) == 0


def test_senpai_probes_after_its_interval_and_by_the_square_of_the_error():
    rule = SenpaiRule(1000)
    # Without pressure err = 10,000 (at least 1 us is taken), far above coeff_probe: the largest probe.
    assert [rule.tick(0) for _ in range(7)] == [1000] * 6 + [990]
    # 4 ms in the next five seconds are err 2.5: (2.5 / 10)^2 x 0.01 = 0.000625 less.
    assert [rule.tick(0.0008) for _ in range(5)] == [990] * 5
    assert rule.tick(0) == pytest.approx(990 * (1 - 0.000625))


def test_senpai_backs_off_at_once():
    rule = SenpaiRule(1000)
    # 40 ms are 4 times the target: (4 / 20)^2 = 0.04 more; 400 ms are 40 times: no more than twice.
    assert rule.tick(0.040) == pytest.approx(1040)
    assert rule.tick(0.400) == pytest.approx(2080)


def test_a_limit_stays_a_limit():
    with pytest.raises(UserError, match="a limit cannot be 0"):
        SenpaiRule(0)
    rule = SenpaiRule(1.0)
    assert min(rule.tick(0) for _ in range(100)) == 1.0
