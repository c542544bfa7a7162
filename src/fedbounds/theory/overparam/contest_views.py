"""What is seen of networks that are trained from random starts, of which many are looked at."""

from fedbounds.theory.language.setups import Shown, View
from fedbounds.theory.proof.vectors import sq

from .names import TRAINED
from .vectors import res

VIEWS = {
    "training loss": View(
        told="training losses",
        algorithm="scheduled_averaging.TRAINED",
        shown=Shown(draws={"S": ("present",)}, indices={"i": ""}, vectors={"res": ("i",)}),
        runs=TRAINED[0],
        quantities={"loss": sq(res) / 2},
        states=("loss",),
        takes=("eta", "K", "m"),
    )
}
