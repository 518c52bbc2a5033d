"""The native machine is the golden one: times, faults, resident sets, under every policy."""

import pytest
from hypothesis import given, settings
from litemrc_studies.zhou2004.machine.scenario import POLICIES
from litemrc_studies.zhou2004.tests.golden_runs import golden_outcome, native_outcome
from litemrc_studies.zhou2004.tests.random_scenarios import scenarios


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, deadline=None)
@given(scenario=scenarios())
def test_processes_fare_as_in_the_golden_machine(policy, scenario):
    assert native_outcome(scenario, policy) == golden_outcome(scenario, policy)
