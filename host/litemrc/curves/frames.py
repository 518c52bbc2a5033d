"""Curves as data frames of pandas, which is imported here only."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from litemrc.extras import require

if TYPE_CHECKING:
    import pandas


def data_frame(columns: Mapping[str, NDArray[Any]]) -> "pandas.DataFrame":
    """Return the columns as a frame of their own.

    Raises:
        UserError: pandas is not installed.
    """
    require("pandas")
    import pandas as pd

    return pd.DataFrame({name: column.copy() for name, column in columns.items()})


def joined_frame(frames: Mapping[str, "pandas.DataFrame"]) -> "pandas.DataFrame":
    """Return the rows of all frames, the name of each in the first column; nan where one has no band."""
    import pandas as pd

    if not frames:
        return pd.DataFrame(columns=["name", "pages", "memory_bytes", "miss_ratio"])
    joined = pd.concat([frame.assign(name=name) for name, frame in frames.items()], ignore_index=True)
    return joined[["name", *joined.columns.drop("name")]]
