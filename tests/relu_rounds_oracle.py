"""FedAvg of ReLU networks as its paper defines it: neuron by neuron, sample by sample.

Of fractions, in lists. Numbers in parentheses are the paper's; a local model is a list of rows w_r.
"""

from dataclasses import dataclass
from itertools import combinations, product

from relu_oracle import dot, output, slope


@dataclass(frozen=True)
class Network:
    """Clients (samples, targets), signs a_r, the root of m, and R."""

    clients: tuple
    signs: tuple
    root: object
    radius: object

    @property
    def everyone(self):
        return range(len(self.clients))

    @property
    def samples(self):
        """(x_i, y_i) of all clients."""
        return [sample for own in self.clients for sample in zip(*own, strict=True)]

    def outside(self, W0, x):
        """The complement of Q_i of (52): at the ends of {w'x : ||w - w_r(0)|| <= R} signs differ."""
        reach = self.radius**2 * dot(x, x)  # (R |x|)^2
        found = set()
        for r, w in enumerate(W0):
            here = dot(w, x)
            stays = here**2 >= reach if here >= 0 else here**2 > reach
            if not stays:
                found.add(r)
        return found

    def missed(self, W):
        """y - y(t), of all samples."""
        return [y - output(W, self.signs, x, self.root) for x, y in self.samples]

    def local_models(self, W, c, eta, K):
        """(3), after 0, ..., K steps."""
        path = [W]
        for _ in range(K):
            steps = zip(path[-1], slope(path[-1], self.signs, self.clients[c], self.root),
                        strict=True)  # fmt: skip
            path.append([[a - eta * b for a, b in zip(*both, strict=True)] for both in steps])
        return path


def mean(models):
    """Of several models."""
    return [[sum(xs) / len(models) for xs in zip(*rows, strict=True)]
            for rows in zip(*models, strict=True)]  # fmt: skip


def on(W, x):
    """Numbers of the neurons that are active."""
    return {r for r, w in enumerate(W) if dot(w, x) >= 0}


def square(v):
    return sum(a * a for a in v)


def far(W, V):
    return sum(square([a - b for a, b in zip(*rows, strict=True)])
               for rows in zip(W, V, strict=True))  # fmt: skip


def one_round(net, W0, W, present, eta, K):
    """W(t+1), and what the theory's quantities are in a round of the clients S_t."""
    paths = [net.local_models(W, c, eta, K) for c in net.everyone]
    after = mean([paths[c][K] for c in present])
    e, later, unit, m = net.missed(W), net.missed(after), eta / len(present), len(W)
    every = [x for x, _ in net.samples]
    outside = [net.outside(W0, x) for x in every]
    sums = dict.fromkeys(("A_1", "A_2", "D_1", "D_2", "D_3"), 0 * eta)
    printed = [0 * eta for _ in every]
    at = {c: sum(len(own[1]) for own in net.clients[:c]) for c in net.everyone}
    active, at_start = ([on(V, x) for x in every] for V in (W, W0))
    for k, c in product(range(K), present):
        local = paths[c][k]
        for j, (z, y) in enumerate(zip(*net.clients[c], strict=True), at[c]):
            b = y - output(local, net.signs, z, net.root)  # y_j - y_c^k(t)_j
            still, here = e[j], on(local, z)
            for i, x in enumerate(every):
                both, share = active[i] & here, dot(x, z) / m
                H, perp = share * len(both), share * len(both & outside[i])
                H_0 = share * len(at_start[i] & at_start[j])
                sums["A_1"] -= 2 * unit * e[i] * b * H
                sums["A_2"] += 2 * unit * e[i] * b * perp
                sums["D_1"] += unit * e[i] * b * (H - H_0)
                sums["D_2"] += unit * e[i] * (b - still) * H_0  # y_j(t) - y_c^k(t)_j
                sums["D_3"] += unit * e[i] * still * H_0
                printed[i] += unit * b * perp  # (54)
    changed = [change(net, W, after, x, own) for x, own in zip(every, outside, strict=True)]
    steps = [[local_missed(net, W, c) for W in paths[c]] for c in net.everyone]
    moved = [a - b for a, b in zip(e, later, strict=True)]  # y(t+1) - y(t)
    found = {
        "R_2": square(e),
        "S_size": 0 * eta + len(present),
        **sums,
        "A_3": -2 * dot(e, changed),
        "A_3p": -2 * dot(e, printed),
        "A_4": square(moved),
        "v_2": square(changed),
        "v_p2": square(printed),
        "miss_50": 0,
        "miss_51": 0,
        "miss_49": square(later) - square(e) + 2 * dot(e, moved) - square(moved),
        "xi_k2": [[square(x) for x in own] for own in steps],
        "move_k2": [[square([a - b for a, b in zip(x, own[0], strict=True)]) for x in own]
                    for own in steps],
        "near_w2": [[max(far([v], [w]) for v, w in zip(V, W, strict=True)) for V in path]
                    for path in paths],
    }  # fmt: skip
    return after, found


def change(net, W, after, x, some):
    """What some neurons change of an output, in (50)."""
    every = ((W[r], after[r], net.signs[r]) for r in some)
    return sum((a * (max(dot(v, x), 0) - max(dot(w, x), 0)) for w, v, a in every), 0) / net.root


def local_missed(net, W, c):
    return [output(W, net.signs, x, net.root) - y for x, y in zip(*net.clients[c], strict=True)]


def rounds(net, W0, sets, eta, K):
    """What the quantities are in rounds of these sets of clients, and ||e||^2 after the last."""
    found, W = [], W0
    for present in sets:
        W, numbers = one_round(net, W0, W, present, eta, K)
        found.append(numbers)
    return found, square(net.missed(W))


def flips(net, W0, sets, eta, K):
    """How many indicators of neurons change from round to round."""
    found, W = 0, W0
    for present in sets:
        after, _ = one_round(net, W0, W, present, eta, K)
        found += sum(len(on(W, x) ^ on(after, x)) for x, _ in net.samples)
        W = after
    return found


def drawn(net, m, T):
    """All rounds of m clients, each as likely as the others."""
    return list(product(combinations(net.everyone, m), repeat=T))
