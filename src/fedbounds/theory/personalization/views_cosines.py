"""What is seen of runs on coupled cosines: as on quadratics, but every outcome is listed."""

from collections.abc import Mapping
from dataclasses import replace

from fedbounds.theory.language.setups import View

from . import views_fedavg, views_scaffold

OF = "coupled cosines, "


def _listed(views: Mapping[str, View]) -> dict[str, View]:
    """The same where draws are listed, not integrated: the step is no polynomial."""
    return {
        OF + name: replace(view, told=view.told.replace("quadratics", "cosines"), moments=False)
        for name, view in views.items()
    }


_EVERY = {**views_fedavg.VIEWS, **views_scaffold.VIEWS}
VIEWS = _listed({name: view for name, view in _EVERY.items() if "many clients" not in name})
