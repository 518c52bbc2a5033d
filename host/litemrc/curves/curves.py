"""Several curves by name."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from litemrc.curves.curve import Curve

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Curves(Mapping[str, Curve]):
    """Curves by name, in order; immutable.

    Parameters:
        curves: any number. Of those with equal names, the second is called "name #2", and so on.
    """

    def __init__(self, curves: Iterable[Curve] = ()) -> None:
        self._curves: dict[str, Curve] = {}
        for curve in curves:
            name, number = curve.name, 1
            while name in self._curves:
                number += 1
                name = f"{curve.name} #{number}"
            self._curves[name] = curve if name == curve.name else replace(curve, name=name)

    def __getitem__(self, name: str) -> Curve:
        return self._curves[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a pandas.DataFrame, a row for each curve and size: name, pages, memory_bytes, miss_ratio.

        Raises:
            UserError: pandas is not installed.
        """
        from litemrc.curves.frames import joined_frame

        return joined_frame({name: curve.to_pandas() for name, curve in self.items()})

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw all curves into `ax` (None: a new figure of pyplot) and return the axes.

        Raises:
            UserError: matplotlib is not installed.
        """
        from litemrc.curves.drawing import draw

        return draw(list(self.values()), ax)

    def __repr__(self) -> str:
        lines = [f"\n  {curve.summary()}" for curve in self.values()]
        return f"<Curves: {len(self)}{''.join(lines)}>"

    def _repr_html_(self) -> str:
        from litemrc.curves.html import curves_html

        return curves_html(list(self.values()))
