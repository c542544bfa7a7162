"""A curve as a picture that stands by itself: no style sheet, as a notebook needs it."""

from html import escape

from .plots import SIZE, Panel
from .runs import CurveData, sides_panel

_COLOURS = {"left": "#0b6e99", "mean": "#b35900", "right": "#777"}
_THIN = 'vector-effect="non-scaling-stroke"'  # as wide in both directions
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _BELOW = 560, 240, 70, 20, 36  # pixels


def picture(found: CurveData) -> str:
    """Measured against bound, round by round, as an SVG element; empty if nothing is positive."""
    panel = sides_panel(found.record["problem"]["instance"], found.rounds, found.sides)
    return "" if panel is None else _svg(panel)


def _svg(panel: Panel) -> str:
    wide, tall = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _BELOW
    legend, lines, up, across = "", f'<path d="{panel.grid}" stroke="#ccc" {_THIN}/>', "", ""
    for line in panel.lines:
        colour = _COLOURS[line.style]
        legend += f'<tspan fill="{colour}">━ {escape(line.name)}</tspan> '
        lines += f'<path d="{line.path}" stroke="{colour}" stroke-width="1.5" {_THIN}/>'
    for place, text in panel.y_ticks:
        y = 20 + place * (tall - 20) / 100
        up += f'<text x="{_LEFT - 4}" y="{y:.0f}" text-anchor="end">{escape(text)}</text>'
    for place, text in panel.x_ticks:
        x = _LEFT + place * wide / 100
        across += f'<text x="{x:.0f}" y="{tall + 10}" text-anchor="middle">{escape(text)}</text>'
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{escape(panel.said)}" '
        'font-family="sans-serif" font-size="11" fill="currentColor">'
        f'<text x="{_LEFT}" y="11">{legend}</text>{up}{across}'
        f'<text x="{_LEFT + wide / 2:.0f}" y="{_HEIGHT - 6}" text-anchor="middle">'
        f"{escape(panel.x_name)}</text>"
        f'<svg x="{_LEFT}" y="16" width="{wide}" height="{tall - 20}" fill="none" '
        f'viewBox="0 0 {SIZE} {SIZE}" preserveAspectRatio="none">{lines}</svg></svg>'
    )
