"""Figures of the page drawn by matplotlib, as PDF or SVG with the same bytes every time."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline

from fedbounds.verify.page.figures import SMALLEST
from fedbounds.verify.page.graph import Graph

Values = Sequence[float | None]
Draw = Callable[[Figure], None]

# of Okabe and Ito, told apart without colour vision; lines differ by dashes too
_BLUE, _RED, _GREEN, _GREY = "#0072b2", "#d55e00", "#009e73", "#777777"
_STYLES = {
    "left": (_BLUE, "-"),
    "mean": (_GREEN, "--"),
    "right": (_RED, "-."),
    "fit": (_GREEN, "--"),
    "symbolic": (_RED, ":"),
}
_WIDTH = 6.4  # inches
_PIXEL = 1 / 96
# what would differ from one run to the next
_METADATA: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
_FIXED: Any = {
    "svg.hashsalt": "fedbounds",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.size": 8.0,
}


def drawn(draw: Draw, form: str) -> bytes:
    """A figure as a file of this format."""
    buffer = BytesIO()
    with matplotlib.rc_context(_FIXED):
        figure = Figure(figsize=(_WIDTH, 4.0))
        draw(figure)
        figure.savefig(buffer, format=form, metadata=_METADATA[form], bbox_inches="tight")
    return buffer.getvalue()


def _text(words: str) -> str:
    """Text that is no formula to matplotlib."""
    return words.replace("$", r"\$")


def strips(title: str, measure: str, groups: Mapping[str, Sequence[tuple[float, bool]]]) -> Draw:
    """A row of ticks per group on a logarithmic axis; violations are taller and red."""

    def draw(figure: Figure) -> None:
        figure.set_size_inches(_WIDTH, 0.9 + 0.3 * len(groups))
        said = "tall and red: violated"
        if measure == "tightness":
            said += "; others beyond 1: undecided, or equal to rounding"
        axes = figure.add_subplot(title=_text(title), xscale="log", xlabel=f"{measure} ({said})")
        for row, points in enumerate(groups.values()):
            for broken, colour, height in ((False, _BLUE, 0.25), (True, _RED, 0.4)):
                x = [max(value, SMALLEST) for value, violated in points if violated is broken]
                axes.vlines(x, row - height, row + height, color=colour, linewidth=0.8)
        axes.set_yticks(range(len(groups)), [_text(label) for label in groups])
        axes.set_ylim(len(groups) - 0.5, -0.5)
        if measure == "tightness":
            axes.axvline(1.0, color=_GREY, linewidth=0.6)

    return draw


def waterfall(title: str, left: float, right: float, losses: Sequence[tuple[str, float]]) -> Draw:
    """From the measured left side, loss by loss, to the bound, in percent of the bound."""

    def draw(figure: Figure) -> None:
        names = ["measured, left side", *(name for name, _ in losses)]
        figure.set_size_inches(_WIDTH, 0.9 + 0.25 * len(names))
        axes = figure.add_subplot(title=_text(title), xlabel="percent of the bound")
        place = 100 * left / right
        axes.barh(0, place, color=_BLUE, height=0.7)
        for row, (_, amount) in enumerate(losses, start=1):
            length = 100 * amount / right
            axes.barh(row, length, left=place, color=_RED, height=0.7)
            place += length
        axes.set_yticks(range(len(names)), [_text(name) for name in names])
        axes.invert_yaxis()
        axes.axvline(100.0, color=_GREY, linewidth=0.6)

    return draw


def curve(
    title: str,
    x: Sequence[float],
    sides: Mapping[str, tuple[str, Values]],
    ratios: Mapping[str, tuple[str, Values]],
    band: tuple[Values, Values] | None,
) -> Draw:
    """Both sides per round, each with its style, and beneath measured over bound."""

    def draw(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        upper.set_title(_text(title))
        lower.set_xlabel("round t")
        for axes, lines in ((upper, sides), (lower, ratios)):
            axes.set_yscale("log")
            for name, (style, values) in lines.items():
                _line(axes, x, values, name, style)
            axes.legend(fontsize=7)
        if band is not None:
            low, high = ([_positive(v) for v in side] for side in band)
            upper.fill_between(x, low, high, color=_BLUE, alpha=0.2, linewidth=0)

    return draw


def ladder(
    title: str,
    parameter: str,
    x: Sequence[float],
    panels: Mapping[str, tuple[Values, Sequence[tuple[str, str, Values]]]],
) -> Draw:
    """A panel per series over the parameter, both axes logarithmic, with lines of exponents."""

    def draw(figure: Figure) -> None:
        figure.set_size_inches(_WIDTH, 0.6 + 2.4 * len(panels))
        every = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        every[0].set_title(_text(title))
        every[-1].set_xlabel(_text(parameter))
        for axes, (name, (values, lines)) in zip(every, panels.items(), strict=True):
            axes.set_xscale("log")
            axes.set_yscale("log")
            colour, _ = _STYLES["left"]
            axes.plot(x, [_positive(v) for v in values], "o", label=_text(name), color=colour)
            for line, style, along in lines:
                _line(axes, x, along, line, style)
            axes.legend(fontsize=7)

    return draw


def _line(axes: Axes, x: Sequence[float], values: Values, name: str, style: str) -> None:
    colour, dashes = _STYLES[style]
    y = [_positive(value) for value in values]
    axes.plot(x, y, dashes, color=colour, label=_text(name), linewidth=1.2)


def _positive(value: float | None) -> float:
    """A value that a logarithmic axis can show, or nothing."""
    return value if value is not None and value > 0 else float("nan")


def dependences(graph: Graph) -> Draw:
    """The claims and what rests on what, placed as on the page."""

    def draw(figure: Figure) -> None:
        figure.set_size_inches(graph.width * _PIXEL, graph.height * _PIXEL)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), frameon=False)
        axes.set_xlim(0, graph.width)
        axes.set_ylim(graph.height, 0)
        axes.set_axis_off()
        for edge in graph.edges:
            axes.add_patch(
                PathPatch(_outline(edge.path), fill=False, edgecolor=_GREY, linewidth=0.5)
            )
        for node in graph.nodes:
            box = Rectangle((node.x, node.y), node.width, node.height)
            box.set(facecolor="white", edgecolor="black", linewidth=0.5)
            axes.add_patch(box)
            words = _text(f"{node.letter} {node.label}")
            axes.text(node.x + 3, node.y + 16, words, fontsize=7, family="monospace")
        legend = ", ".join(f"{letter} {word} ({count})" for _, letter, word, count in graph.legend)
        axes.text(3, graph.height + 12, _text(legend), fontsize=7)

    return draw


def _outline(path: str) -> Outline:
    """The path of an edge: M, C and H of SVG, absolute."""
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for sign, numbers in _commands(path):
        if sign == "H":
            points.append((numbers[0], points[-1][1]))
            codes.append(int(Outline.LINETO))
        else:
            points += zip(numbers[::2], numbers[1::2], strict=True)
            codes += [int(Outline.MOVETO if sign == "M" else Outline.CURVE4)] * (len(numbers) // 2)
    return Outline(points, codes)


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    for sign, numbers in re.findall(r"([MCH])([^MCH]*)", path):
        yield sign, [float(number) for number in numbers.split()]
