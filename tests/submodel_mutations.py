"""Errors to plant in training under random masks; each takes pytest's ``monkeypatch``."""

import numpy as np

from fedbounds.algorithms import random_masks, submodel_parts
from fedbounds.verify.selftest import wrong_rules


def mask_on_the_gradient_only(monkeypatch):
    """The client keeps the whole model and masks its gradient."""

    def local(problem, algorithm, carry, drawn, visit=lambda k, y, gradient, noisy: None):
        y = submodel_parts.rows(carry, drawn.cohort)
        mask = submodel_parts._as_numbers(drawn.masks.reshape(y.shape), y, np)
        for k in range(algorithm.local_steps):
            gradient = problem.gradient(y, drawn.cohort)
            noisy = submodel_parts.disturbed(problem, y, gradient, drawn, k)
            visit(k, y, gradient, noisy)
            y = y - noisy * algorithm.inner_step_u * mask
        return y

    monkeypatch.setattr(random_masks, "local", local)


def projection_skipped(monkeypatch):
    monkeypatch.setattr(random_masks, "project", wrong_rules.no_projection(random_masks.project))


def old_coordinates_as_zeros(monkeypatch):
    """The server averages m_i o w_i and forgets (1 - m_i) o w."""

    def forgetful(carry, drawn, reached):
        models = submodel_parts.parts.by_client(carry, drawn, reached)
        mask = submodel_parts._as_numbers(drawn.masks, models, np)
        return (models * mask).sum(axis=0) / models.shape[0]

    monkeypatch.setattr(submodel_parts, "clients_mean", forgetful)
