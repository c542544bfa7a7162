"""Descriptions that several papers' set-ups share."""

from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.problems.domain import Box

from .stored_fields import Choice, Either, Listed, Maybe, Number, Numbers, Record, Whole

STEP = Number(above=0)
PROBABILITY = Number(above=0, most=1)
LOCAL_STEPS = Whole(count="K")
ROUNDS = Whole(count="T")
MASK = Listed(Whole(0, 1), "d")  # which of d coordinates

NOISE = Record(
    Noise,
    {
        "law": Choice(tuple(NoiseLaw)),
        "scale_u": Number(least=0),
        "scale_v": Number(least=0),
    },
)


def quadratics(shared: Whole, clients: str = "n") -> Record:
    """Quadratics of so many clients and shared coordinates."""
    return Record(
        FederatedQuadratic,
        {
            "hessian": Numbers((clients, "d", "d")),
            "linear": Numbers((clients, "d")),
            "shared_dimension": shared,
            "noise": NOISE,
        },
    )


def fully_shared(clients: str = "n") -> Record:
    """The same without personal coordinates."""
    return quadratics(Whole("d", "d"), clients)


QUADRATIC = fully_shared()
START = Record(Start, {"u": Numbers(("d",)), "v": Numbers(("n", 0))})
_SIDE = Either({"": Number(), "rational": Number(), "tuple": Listed(Number(), "d")})
BOX = Maybe(Record(Box, {"lower": _SIDE, "upper": _SIDE}))
