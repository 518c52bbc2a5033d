# SPDX-License-Identifier: BSD-2-Clause
"""The identifier of a SoC begins with its own name."""

import pytest
from litemrc_soc import soc


class StoppedError(Exception):
    """The SoC's parameters are known; what follows needs its processor's package."""


@pytest.mark.parametrize("variant", soc.VARIANTS)
def test_each_variant_has_the_name_that_it_was_given(monkeypatch, variant):
    given = {}

    def stop(self, *arguments, **parameters):
        given.update(parameters)
        raise StoppedError

    monkeypatch.setattr(soc.SoCCore, "__init__", stop)
    with pytest.raises(StoppedError):
        soc.LiteMRCSoC(None, 50e6, variant, name="ulx3s")
    assert given["ident"].split()[:2] == ["litemrc", "ulx3s"]
