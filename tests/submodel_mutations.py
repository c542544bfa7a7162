"""Errors to plant in training under random masks; each takes pytest's ``monkeypatch``."""

from fedbounds.algorithms import sub_models
from fedbounds.theory.submodel.planted import RULES

WRONG = {rule.name: rule.wrong for rule in RULES}


def mask_on_the_gradient_only(monkeypatch):
    """The client keeps the whole model and masks its gradient."""

    def local(noisy, masks, eta, steps, models):
        every = [models]
        for k in range(steps):
            every.append(every[-1] - masks * noisy(k, every[-1]) * eta)
        return every

    monkeypatch.setattr(sub_models, "local", local)


def projection_skipped(monkeypatch):
    monkeypatch.setattr(sub_models, "server", WRONG["no-projection"](sub_models.server))


def old_coordinates_as_zeros(monkeypatch):
    """The server averages m_i o w_i and forgets (1 - m_i) o w."""
    monkeypatch.setattr(sub_models, "filled", lambda masks, own, models: masks * own)
