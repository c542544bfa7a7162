"""Federated algorithms as other repositories have them, right and with one mistake each."""

import numpy as np


def mean_of_participants(vectors, chosen):
    return vectors[list(chosen)].mean(axis=0)


def divided_by_all_clients(vectors, chosen):
    return vectors[list(chosen)].sum(axis=0) / len(vectors)


def always_with_the_first(vectors, chosen):
    return vectors[[0, *chosen[1:]]].mean(axis=0)


def momentum_of_everyone(vectors, chosen):
    return vectors[list(chosen)].mean(axis=0) + vectors.mean(axis=0) / 8


def fedavg(x, participants, local_steps, step_size, gradient, *, more=0, frozen=False):
    reached = []
    for i in participants:
        y = x
        for _ in range(local_steps + more):
            y = y - step_size * gradient(i, x if frozen else y)
        reached.append(y)
    return sum(reached) / len(reached)


def one_step_short(*arguments):
    return fedavg(*arguments, more=-1)


def one_step_more(*arguments):
    return fedavg(*arguments, more=1)


def gradients_at_the_start(*arguments):
    return fedavg(*arguments, frozen=True)


def summed_not_averaged(x, participants, local_steps, step_size, gradient):
    moved = fedavg(x, participants, local_steps, step_size, gradient) - x
    return x + len(participants) * moved


def favours_the_first(x, participants, local_steps, step_size, gradient):
    return fedavg(x, participants[:1] * 2 + participants[1:], local_steps, step_size, gradient)


def asks_client_zero_too(x, participants, local_steps, step_size, gradient):
    return fedavg(x, {0, *participants}, local_steps, step_size, gradient)


def scaffold(
    x,
    controls,
    control,
    participants,
    local_steps,
    step_size,
    gradient,
    *,
    sign=1,
    share=None,
    option=2,
):
    """Algorithm of Karimireddy et al., server step 1; ``sign`` and ``share`` make mistakes."""
    n, m = len(controls), len(participants)
    after, moves = controls.copy(), []
    for i in participants:
        y = x
        for _ in range(local_steps):
            y = y - step_size * (gradient(i, y) + sign * (control - controls[i]))
        moves.append(y - x)
        if option == 1:
            after[i] = gradient(i, x)
        else:
            after[i] = controls[i] - control + (x - y) / (local_steps * step_size)
    changes = sum(after[i] - controls[i] for i in participants)
    return x + sum(moves) / m, after, control + changes / (share or n)


def scaffold_wrong_sign(*arguments):
    return scaffold(*arguments, sign=-1)


def scaffold_control_over_participants(*arguments):
    return scaffold(*arguments, share=len(arguments[3]))


def scaffold_uncorrected(*arguments):
    return scaffold(*arguments, sign=0, option=1)


def scaffold_moves_all_controls(*arguments):
    x, controls, control = scaffold(*arguments)
    return x, controls + 1, control + 1


def masked_steps(x, mask, local_steps, step_size, gradient):
    y = x.copy()
    for _ in range(local_steps):
        y = y - step_size * mask * gradient(y)
    return y


def unmasked_last_step(x, mask, local_steps, step_size, gradient):
    y = masked_steps(x, mask, local_steps - 1, step_size, gradient)
    return y - step_size * gradient(y)


def masked_mean(x, vectors, masks):
    held = masks.sum(axis=0)
    summed = np.where(masks, vectors, vectors * 0).sum(axis=0)
    return np.where(held > 0, summed / np.maximum(held, 1), x)


def masked_mean_with_zeros(x, vectors, masks):
    held = masks.sum(axis=0)
    summed = np.where(masks, vectors, vectors * 0).sum(axis=0)
    return summed / np.maximum(held, 1)


def masked_mean_of_all(x, vectors, masks):
    return np.where(masks.any(axis=0), vectors.mean(axis=0), x)
