"""Errors to plant in Scaffold-P and its memory: each function plants one."""

from dataclasses import replace

import numpy as np
import wrong_rules

from fedbounds.algorithms import fedavg_p, scaffold_p
from fedbounds.algorithms.scaffold_p import Carry
from fedbounds.verify.memory import Each, Remembering


def control_with_the_wrong_sign(monkeypatch):
    """+c_i - c."""
    wrong = wrong_rules.control_with_the_wrong_sign(scaffold_p.local)
    monkeypatch.setattr(scaffold_p, "local", wrong)


def controls_start_at_zero(monkeypatch):
    original = scaffold_p.init

    def init(*arguments):
        carry = original(*arguments)
        return Carry(carry.u, carry.v, carry.controls * 0, carry.control * 0)

    monkeypatch.setattr(scaffold_p, "init", init)


def correction_reaches_v(monkeypatch):
    """Line 7 gets the correction of line 6."""
    original = fedavg_p.descend

    def descend(problem, algorithm, z, drawn, correction, visit):
        d_u = problem.shared_dimension
        spilled = np.concatenate([correction[:, :d_u], correction[:, d_u:] + correction[:, :1]], 1)
        return original(problem, algorithm, z, drawn, spilled, visit)

    monkeypatch.setattr(fedavg_p, "descend", descend)


def _replace_server(monkeypatch, change):
    original = scaffold_p.server

    def server(algorithm, carry, drawn, reached):
        return change(original, algorithm, carry, drawn, reached)

    monkeypatch.setattr(scaffold_p, "server", server)


def _with_everyone(original, algorithm, carry, drawn, reached):
    return original(algorithm, carry, replace(drawn, present=drawn.present * 0 + 1), reached)


def absent_clients_renew_their_control(monkeypatch):
    """c_i of every client, and c with them."""

    def change(original, algorithm, carry, drawn, reached):
        after = original(algorithm, carry, drawn, reached)
        renewed = _with_everyone(original, algorithm, carry, drawn, reached)
        return Carry(after.u, after.v, renewed.controls, renewed.control)

    _replace_server(monkeypatch, change)


def the_mean_control_is_renewed_with_all_clients(monkeypatch):
    """c only; the c_i stay right, so that c is their mean no longer."""

    def change(original, algorithm, carry, drawn, reached):
        after = original(algorithm, carry, drawn, reached)
        renewed = _with_everyone(original, algorithm, carry, drawn, reached)
        return Carry(after.u, after.v, after.controls, renewed.control)

    _replace_server(monkeypatch, change)


def the_mean_control_is_divided_by_m(monkeypatch):
    wrong = wrong_rules.mean_control_divided_by_m(scaffold_p.server)
    monkeypatch.setattr(scaffold_p, "server", wrong)


def the_old_control_is_not_taken_off(monkeypatch):
    """Line 10 without -c."""

    def change(original, algorithm, carry, drawn, reached):
        after = original(algorithm, carry, drawn, reached)
        present = drawn.present[:, :, None] > 0
        controls = np.where(present, after.controls + carry.control, after.controls)
        return Carry(after.u, after.v, controls, after.control)

    _replace_server(monkeypatch, change)


def absent_clients_renew_their_memory(monkeypatch):
    original = Remembering.server

    def server(self, algorithm, carry, drawn, reached):
        right = original(self, algorithm, carry, drawn, reached)
        renewed = _with_everyone(
            lambda *arguments: original(self, *arguments), algorithm, carry, drawn, reached
        )
        return replace(right, **{name: getattr(renewed, name) for name in _fields(right)})

    monkeypatch.setattr(Remembering, "server", server)


def _fields(carry):
    return ("points", "exact", "noise") if isinstance(carry, Each) else ("point",)


def nobody_renews_its_memory(monkeypatch):
    original = Remembering.server

    def server(self, algorithm, carry, drawn, reached):
        right = original(self, algorithm, carry, drawn, reached)
        return replace(right, **{name: getattr(carry, name) for name in _fields(right)})

    monkeypatch.setattr(Remembering, "server", server)


def _replace_memory(monkeypatch, change):
    original = Remembering._memory

    def _memory(self, d_u, points, exact, noisy):
        return original(self, d_u, *change(points, exact, noisy))

    monkeypatch.setattr(Remembering, "_memory", _memory)


def d_from_stochastic_gradients(monkeypatch):
    """d_i = c_i: the noise is in it."""
    original = Remembering._memory

    def _memory(self, d_u, points, exact, noisy):
        right = original(self, d_u, points, exact, noisy)
        if self.carry is not Each:
            return right
        wrong = original(self, d_u, points, noisy, noisy)
        return right[0], wrong[1], right[2]

    monkeypatch.setattr(Remembering, "_memory", _memory)


def only_the_first_step_is_remembered(monkeypatch):
    _replace_memory(
        monkeypatch,
        lambda points, exact, noisy: (points[:1] * len(points), exact, noisy),
    )


def initial_noise_is_forgotten(monkeypatch):
    original = Remembering.init

    def init(self, *arguments):
        carry = original(self, *arguments)
        return replace(carry, noise=carry.noise * 0) if isinstance(carry, Each) else carry

    monkeypatch.setattr(Remembering, "init", init)
