"""Tables 2 and 3 and the claims that this paper's rates improve on those of others.

Rows are as printed, with constants, L and F_0 suppressed as in the paper. Damage of the text is
mended: a radical ends where its fraction or bracket does (amb-12), sqrt(2 pi) in the last row of
Table 2 is sqrt(KT), and the FedAlt row regains its last term, 1/T.

Variances may be zero (Assumption 2.2); b > 0, as Assumption 2.3 has it.
"""

from dataclasses import dataclass

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.orders import ComparisonClaim, Pair
from fedbounds.theory.language.symbols import K, T, b2, m, n, variance_u, variance_v

_VANISHING = (variance_u, variance_v)
_LEFT_OUT = "constants, L and F_0"
_THIRD = sp.Rational(1, 3)


@dataclass(frozen=True)
class Row:
    """A line of a table: whose rate, under which assumption on dissimilarity."""

    name: str
    rate: sp.Expr
    assumption: str = ""


_PARTICIPANTS = variance_u + m * variance_v / n + (1 - m / n) * b2

FEDAVG_P = Row(
    "FedAvg-P (ours)",
    sp.sqrt(variance_u / m + m * variance_v / n + (1 / m - 1 / n) * K * b2) / sp.sqrt(K * T)
    + 1 / T,
)
TABLE_2 = (
    Row(
        "FedSim [18]",
        sp.sqrt(_PARTICIPANTS) / sp.sqrt(T)
        + ((b2 + variance_u + variance_v) * (K - 1) / (K * T**2)) ** _THIRD
        + 1 / T,
    ),
    Row(
        "FedAlt [18]",
        sp.sqrt(_PARTICIPANTS) / sp.sqrt(T)
        + ((b2 + variance_u + m * variance_v / n) * (K - 1) / (K * T**2)) ** _THIRD
        + 1 / T,
    ),
)

_SAMPLED = variance_u + K * (1 - m / n) * b2
_BGD = "bounded gradient dissimilarity"

SAMPLED = Row(
    "ours, with sampling", sp.sqrt(_SAMPLED) / sp.sqrt(m * K * T) + 1 / T, assumption=_BGD
)
TABLE_3_SAMPLED = (
    Row(
        "[12], with sampling",
        sp.sqrt(_SAMPLED) / sp.sqrt(m * K * T) + (b2 / T**2) ** _THIRD + 1 / T,
        assumption=_BGD,
    ),
    Row(
        "[24], with sampling",
        _SAMPLED / sp.sqrt(m * K * T) + (K * b2 + variance_u + 1) / T,
        assumption=_BGD,
    ),
)

FULL = Row("ours, m = n", sp.sqrt(variance_u / (n * K * T)) + 1 / T)
TABLE_3_FULL = (
    Row(
        "[25], m = n",
        sp.sqrt(variance_u / (n * K * T)) + b2 * n * K / T,
        assumption="bounded gradients",
    ),
    Row(
        "[12], m = n",
        sp.sqrt(variance_u / (n * K * T)) + (b2 / T**2) ** _THIRD + 1 / T,
        assumption=_BGD,
    ),
    Row(
        "[24], m = n",
        variance_u / sp.sqrt(n * K * T) + (K * b2 + variance_u + 1) / T,
        assumption=_BGD,
    ),
)

_NOISE = sp.sqrt(variance_u / (m * K * T))
SCAFFOLD = Row("Scaffold, (4.6) (ours)", _NOISE + sp.Max(1, n ** (2 * _THIRD) / m) / T)
SCAFFOLD_BEFORE = Row("Scaffold, (4.7) [12]", _NOISE + (n / m) ** (2 * _THIRD) / T)


# the text we have: sqrt(2 pi), a constant, for sqrt(KT), and the radical over 1/T too; a minus,
# which no rate has, before FedSim's row, and (1 - m/n) b^2 outside its radical
FEDAVG_P_PRINTED = Row(
    "FedAvg-P (ours), as printed",
    sp.sqrt(variance_u / m + m * variance_v / n + (1 / m - 1 / n) * K * b2 + 1 / T),
)
FEDSIM_PRINTED = Row(
    "FedSim [18], as printed but for its minus",
    sp.sqrt(variance_u + m * variance_v / n) / sp.sqrt(T)
    + (1 - m / n) * b2
    + ((b2 + variance_u + variance_v) * (K - 1) / (K * T**2)) ** _THIRD
    + 1 / T,
)


def _pairs(ours: Row, others: tuple[Row, ...], reading: str = "") -> tuple[Pair, ...]:
    return tuple(
        Pair(f"{ours.name} against {row.name}", ours.rate, row.rate, reading) for row in others
    )


REMARK_310 = ComparisonClaim(
    entry("personalization/rem-3.10"),
    (
        *_pairs(FEDAVG_P, TABLE_2),
        *_pairs(FEDAVG_P_PRINTED, TABLE_2, "our row of Table 2 as the text prints it"),
        *_pairs(FEDAVG_P, (FEDSIM_PRINTED,), "FedSim's row as printed, but for its minus"),
    ),
    _VANISHING,
    left_out=_LEFT_OUT,
)
TABLE_3 = ComparisonClaim(
    entry("personalization/table-3-claim"),
    (*_pairs(SAMPLED, TABLE_3_SAMPLED), *_pairs(FULL, TABLE_3_FULL)),
    _VANISHING,
    left_out=_LEFT_OUT,
)
EQUATION_47 = ComparisonClaim(
    entry("personalization/eq-4.7"), _pairs(SCAFFOLD, (SCAFFOLD_BEFORE,)), _VANISHING,
    left_out=_LEFT_OUT,
)  # fmt: skip

CLAIMS = (REMARK_310, TABLE_3, EQUATION_47)
