"""Phase diagrams: which of two or more is smaller in each cell of a grid, as PDF, SVG or PNG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from fedbounds.verify.results.files import write_bytes

SUFFIXES = (".pdf", ".svg", ".png")
# Okabe and Ito's colours, told apart by all kinds of colour vision; then grey for no winner
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
_NOBODY = "#D9D9D9"
# bytes that depend on nothing but the data
_METADATA: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "ModDate": None},
    ".svg": {"Date": None},
    ".png": {"Software": None},
}


@dataclass(frozen=True)
class Panel:
    """One diagram.

    Attributes
    ----------
    title : str
    across, up : tuples of numbers
        Values along the two axes.
    winner : mapping from (value across, value up) to name
        Names that are not among those of the figure stand for no winner.
    """

    title: str
    across: tuple[float, ...]
    up: tuple[float, ...]
    winner: Mapping[tuple[float, float], str]


def draw(
    panels: Sequence[Sequence[Panel]], names: Sequence[str], labels: tuple[str, str], path: Path
) -> None:
    """Write rows of panels to a file.

    Parameters
    ----------
    names : sequence of str
        Who may win, each with a colour.
    labels : pair of str
        Of the axes.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    colours = dict(zip(names, _COLOURS, strict=False))
    others = sorted({w for row in panels for p in row for w in p.winner.values()} - colours.keys())
    rows, count = len(panels), max(len(row) for row in panels)
    with rc_context({"svg.hashsalt": "fedbounds", "pdf.fonttype": 42}):
        figure = Figure(figsize=(1.2 + 2.2 * count, 1.3 + 2.1 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, count, squeeze=False)
        for line, row in zip(axes, panels, strict=True):
            for place, panel in zip(line, row, strict=True):
                _panel(place, panel, colours, labels)
        marks = [Patch(color=colour, label=name) for name, colour in colours.items()]
        if others:
            marks.append(Patch(color=_NOBODY, label=", ".join(others)))
        short = sum(map(len, (*colours, *others))) <= 20 * count
        ncols = len(marks) if short else 1
        figure.legend(handles=marks, loc="outside lower center", ncols=ncols, frameon=False)
        buffer, form = BytesIO(), path.suffix.removeprefix(".")
        figure.savefig(buffer, format=form, metadata=_METADATA[path.suffix], dpi=150)
    write_bytes(path, buffer.getvalue())


def _panel(place: Any, panel: Panel, colours: Mapping[str, str], labels: tuple[str, str]) -> None:
    from matplotlib.colors import to_rgb

    image = [
        [to_rgb(colours.get(panel.winner[(x, y)], _NOBODY)) for x in panel.across] for y in panel.up
    ]
    place.imshow(image, origin="lower", aspect="auto", interpolation="nearest")
    place.set_title(panel.title, fontsize=9)
    for axis, values, label in (
        (place.xaxis, panel.across, labels[0]),
        (place.yaxis, panel.up, labels[1]),
    ):
        stride = max(1, -(-len(values) // 8))
        axis.set_ticks(range(0, len(values), stride), [f"{v:.3g}" for v in values[::stride]])
        axis.set_label_text(label)
        axis.set_tick_params(labelsize=8)
