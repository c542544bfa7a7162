"""What is seen of runs of both algorithms."""

from . import (
    participants,
    views_cosines,
    views_fedavg,
    views_ladders,
    views_logistic,
    views_scaffold,
)

VIEWS = {
    **views_fedavg.VIEWS,
    **views_scaffold.VIEWS,
    **views_cosines.VIEWS,
    **views_logistic.VIEWS,
    **participants.VIEWS,
    **views_ladders.VIEWS,
}
RUNGS = views_ladders.RUNGS
