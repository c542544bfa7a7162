"""A second implementation of FedAvg-P and its quantities: slow, obvious, sharing no code with ours.

Written from the statement sheet (algorithm 3.1, table 1, definitions def-virtual and 3.1), per
client and per local step, on plain lists. Nothing here imports fedbounds. Numbers may be floats
or `Fraction`s; with fractions every result is exact.

Indices follow the sheet: i is a client, k a local step, t a round; `noise[i][k]` is the noise of
client i in step k, its shared coordinates first.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

Vector = Sequence[Any]


@dataclass(frozen=True)
class Steps:
    """m, K and the four step sizes of algorithm 3.1."""

    m: int
    K: int
    gamma_u: Any
    gamma_v: Any
    eta_u: Any
    eta_v: Any

    @property
    def one(self) -> Any:
        """One of the number type in use; sums start from zero of it, lest ints divide to floats."""
        return self.eta_u / self.eta_u


@dataclass(frozen=True)
class Quadratic:
    """f_i(u, v) = 1/2 z'H_i z + h_i'z with z = (u, v): H_i and h_i as nested lists."""

    d_u: int
    hessian: Sequence[Sequence[Vector]]
    linear: Sequence[Vector]

    @property
    def clients(self) -> int:
        return len(self.linear)

    def value(self, i: int, u: Vector, v: Vector) -> Any:
        z, total = [*u, *v], 0
        for p, row in enumerate(self.hessian[i]):
            for q, entry in enumerate(row):
                total += z[p] * entry * z[q] / 2
            total += self.linear[i][p] * z[p]
        return total

    def gradient(self, i: int, u: Vector, v: Vector) -> tuple[Vector, Vector]:
        """(grad_u f_i, grad_v f_i)."""
        z = [*u, *v]
        joint = [
            sum(entry * z[q] for q, entry in enumerate(row)) + slope
            for row, slope in zip(self.hessian[i], self.linear[i], strict=True)
        ]
        return joint[: self.d_u], joint[self.d_u :]


@dataclass(frozen=True)
class Cosine:
    """f_i(u, v) = 1/2 u'Au + a_i'u + mu/2 ||v||^2 + s cos(w'u + q'v)."""

    A: Sequence[Vector]
    a: Sequence[Vector]
    mu: float
    s: float
    w: Vector
    q: Vector

    @property
    def d_u(self) -> int:
        return len(self.w)

    @property
    def clients(self) -> int:
        return len(self.a)

    def value(self, i: int, u: Vector, v: Vector) -> float:
        bowl = sum(u[p] * self.A[p][r] * u[r] for p in range(len(u)) for r in range(len(u))) / 2
        angle = dot(self.w, u) + dot(self.q, v)
        return bowl + dot(self.a[i], u) + self.mu * dot(v, v) / 2 + self.s * math.cos(angle)

    def gradient(self, i: int, u: Vector, v: Vector) -> tuple[Vector, Vector]:
        """(grad_u f_i, grad_v f_i)."""
        slope = self.s * math.sin(dot(self.w, u) + dot(self.q, v))
        shared = [dot(self.A[p], u) + self.a[i][p] - slope * self.w[p] for p in range(len(u))]
        return shared, [self.mu * v[p] - slope * self.q[p] for p in range(len(v))]


def dot(x: Vector, y: Vector) -> Any:
    return sum(a * b for a, b in zip(x, y, strict=True))


def square(x: Vector) -> Any:
    """||x||^2."""
    return dot(x, x)


def plus(x: Vector, y: Vector) -> Vector:
    return [a + b for a, b in zip(x, y, strict=True)]


def minus(x: Vector, y: Vector) -> Vector:
    return [a - b for a, b in zip(x, y, strict=True)]


def times(c: Any, x: Vector) -> Vector:
    return [c * a for a in x]


def mean(vectors: Sequence[Vector]) -> Vector:
    return [sum(coordinates) / len(vectors) for coordinates in zip(*vectors, strict=True)]


# ---- algorithm 3.1


def local_path(
    objective: Any, steps: Steps, i: int, u: Vector, v_i: Vector, noise_i: Sequence[Vector]
) -> list[tuple[Vector, Vector]]:
    """Lines 4 to 8 for one client: (u_{i,k}, v_{i,k}) for k = 0, ..., K."""
    path = [(list(u), list(v_i))]
    for k in range(steps.K):
        u_k, v_k = path[-1]
        grad_u, grad_v = objective.gradient(i, u_k, v_k)
        noisy_u = plus(grad_u, noise_i[k][: len(u)])
        noisy_v = plus(grad_v, noise_i[k][len(u) :])
        u_next = minus(u_k, times(steps.gamma_u, noisy_u))  # line 6
        v_next = minus(v_k, times(steps.gamma_v, noisy_v))  # line 7: at the old u_k
        path.append((u_next, v_next))
    return path


def aggregate(
    steps: Steps, u: Vector, v: Sequence[Vector], reached: dict[int, tuple[Vector, Vector]]
) -> tuple[Vector, list[Vector]]:
    """Lines 9 to 11: ``reached[i]`` = (u_{i,K}, v_{i,K}) of the participants."""
    total = [0 for _ in u]
    new_v = [list(v_i) for v_i in v]
    for i, (u_end, v_end) in reached.items():
        total = plus(total, u_end)
        new_v[i] = plus(times(1 - steps.eta_v, v[i]), times(steps.eta_v, v_end))
    new_u = plus(times(1 - steps.eta_u, u), times(steps.eta_u, [x / steps.m for x in total]))
    return new_u, new_v


def fedavg_p_round(
    objective: Any,
    steps: Steps,
    u: Vector,
    v: Sequence[Vector],
    participants: Sequence[int],
    noise: Any,
) -> tuple[Vector, list[Vector]]:
    """(u^{t+1}, v^{t+1}) of one round with the given participants and noise."""
    reached = {}
    for i in participants:
        reached[i] = local_path(objective, steps, i, u, v[i], noise[i])[-1]
    return aggregate(steps, u, v, reached)


# ---- table 1 and definition 3.1, for one state and one noise


def table_one(
    objective: Any, steps: Steps, u: Vector, v: Sequence[Vector], noise: Any
) -> dict[str, Any]:
    """Every quantity before its expectation; ``f`` is the objective itself, not its gap."""
    n, m, K = objective.clients, steps.m, steps.K
    gamma = steps.gamma_u * steps.eta_u if u else steps.gamma_v * steps.eta_v
    clients = range(n)
    at_start = [objective.gradient(i, u, v[i]) for i in clients]
    mean_u = mean([grad_u for grad_u, _ in at_start])
    paths = [local_path(objective, steps, i, u, v[i], noise[i]) for i in clients]
    # gradients without noise along the virtual iterates, at[i][k]
    at = [[objective.gradient(i, *paths[i][k]) for k in range(K)] for i in clients]

    t_1u, t_1v, t_2v, t_3u, drift = 0, 0, 0, 0, 0
    everything = [0 for _ in u]
    for i in clients:
        own_v = [0 for _ in v[i]]
        deviation = [0 for _ in u]
        for k in range(K):
            grad_u, grad_v = at[i][k]
            t_1u += dot(mean_u, grad_u)
            t_1v += dot(at_start[i][1], grad_v)
            everything = plus(everything, grad_u)
            own_v = plus(own_v, grad_v)
            mean_k = mean([at[j][k][0] for j in clients])
            deviation = plus(deviation, minus(grad_u, mean_k))
            u_k, v_k = paths[i][k]
            drift += square(minus(u_k, u)) + square(minus(v_k, v[i]))
        t_2v += square(own_v)
        t_3u += square(deviation)
    return {
        "f": steps.one * sum(objective.value(i, u, v[i]) for i in clients) / n,
        "G_u": square(mean_u),
        "G_v": steps.one * sum(square(grad_v) for _, grad_v in at_start) / n,
        "B": sum(square(grad_u) for grad_u, _ in at_start),
        "T_1u": -gamma * t_1u / n,
        "T_1v": -gamma * m * t_1v / n**2,
        "T_2u": gamma**2 * square(everything) / n**2,
        "T_2v": gamma**2 * m * t_2v / n**2,
        "T_3u": t_3u,
        "E": drift,
    }


# ---- expectations by enumeration, for noise whose coordinates are +-scale with probability 1/2


def enumerate_expectations(
    objective: Quadratic,
    steps: Steps,
    u: Vector,
    v: Sequence[Vector],
    scales: Vector,
    rounds: int,
    *,
    jointly: bool = False,
) -> list[dict[str, Any]]:
    """Exact expectations of every quantity in rounds 0, ..., T; ``f`` is E f, not a gap.

    Parameters
    ----------
    scales : sequence of d_u + d_v numbers
        Noise of each coordinate is +-scale.
    rounds : int
        T.
    jointly : bool
        Enumerate the noise of all clients at once in every quantity, instead of using that
        different clients' noise is independent. Far slower; the two must agree.
    """
    states = {(tuple(u), tuple(map(tuple, v))): steps.one}
    paths: dict[Any, Any] = {}
    found = []
    for t in range(rounds + 1):
        expected: dict[str, Any] = {}
        for (u_t, v_t), probability in states.items():
            if jointly:
                seen = _mean_over_all_noise(objective, steps, u_t, v_t, scales)
            else:
                seen = _mean_over_own_noise(objective, steps, u_t, v_t, scales, paths)
            for name, value in seen.items():
                expected[name] = expected.get(name, 0) + probability * value
        found.append(expected)
        if t < rounds:
            states = _next_states(objective, steps, states, scales, paths)
            paths = {}
    return found


def sign_patterns(scales: Vector, K: int) -> Iterator[list[Vector]]:
    """Every noise of one client in a round, as a list over k of vectors."""
    choices = [(scale, -scale) if scale else (scale,) for _ in range(K) for scale in scales]
    d = len(scales)
    for flat in product(*choices):
        yield [list(flat[k * d : (k + 1) * d]) for k in range(K)]


def _mean_over_all_noise(objective: Any, steps: Steps, u: Any, v: Any, scales: Vector) -> Any:
    """E of `table_one` given the state: every noise of every client."""
    own = list(sign_patterns(scales, steps.K))
    total: dict[str, Any] = {}
    for noise in product(own, repeat=objective.clients):
        for name, value in table_one(objective, steps, u, v, noise).items():
            total[name] = total.get(name, steps.one * 0) + value
    return {name: value / len(own) ** objective.clients for name, value in total.items()}


def _client_paths(
    objective: Any, steps: Steps, i: int, u: Any, v_i: Any, scales: Vector, cache: dict[Any, Any]
) -> Any:
    """Paths of one client for every noise of its own; remembered, since states share them."""
    key = (i, u, v_i)
    if key not in cache:
        cache[key] = [
            local_path(objective, steps, i, u, v_i, noise)
            for noise in sign_patterns(scales, steps.K)
        ]
    return cache[key]


def _mean_over_own_noise(
    objective: Any, steps: Steps, u: Any, v: Any, scales: Vector, cache: dict[Any, Any]
) -> Any:
    """The same, from each client's own noise.

    With s_i = sum_k grad_u f_i along client i's path, independent over i given the state,
    E||sum_i s_i||^2 = sum_i E||s_i||^2 + sum_{i != j} <E s_i, E s_j>, and, s the client mean,
    sum_i ||s_i - s||^2 = sum_i ||s_i||^2 - ||sum_i s_i||^2 / n. Nothing else mixes clients.
    """
    n, m, K = objective.clients, steps.m, steps.K
    gamma = steps.gamma_u * steps.eta_u if u else steps.gamma_v * steps.eta_v
    at_start = [objective.gradient(i, u, v[i]) for i in range(n)]
    mean_u = mean([grad_u for grad_u, _ in at_start])
    first: list[Vector] = []  # E s_i
    zero = steps.one * 0
    second, t_1v, t_2v, drift = [], zero, zero, zero
    for i in range(n):
        paths = _client_paths(objective, steps, i, u, v[i], scales, cache)
        sum_s, sum_ss = [zero for _ in u], zero
        for path in paths:
            s_u, s_v = [zero for _ in u], [zero for _ in v[i]]
            for u_k, v_k in path[:K]:
                grad_u, grad_v = objective.gradient(i, u_k, v_k)
                s_u, s_v = plus(s_u, grad_u), plus(s_v, grad_v)
                drift += (square(minus(u_k, u)) + square(minus(v_k, v[i]))) / len(paths)
            sum_s, sum_ss = plus(sum_s, s_u), sum_ss + square(s_u)
            t_1v += steps.one * dot(at_start[i][1], s_v) / len(paths)
            t_2v += steps.one * square(s_v) / len(paths)
        first.append([x / len(paths) for x in sum_s])
        second.append(sum_ss / len(paths))
    crossed = sum(dot(first[i], first[j]) for i in range(n) for j in range(n) if i != j)
    whole = sum(second) + crossed  # E ||sum_i s_i||^2
    return {
        "f": steps.one * sum(objective.value(i, u, v[i]) for i in range(n)) / n,
        "G_u": square(mean_u),
        "G_v": steps.one * sum(square(grad_v) for _, grad_v in at_start) / n,
        "B": sum(square(grad_u) for grad_u, _ in at_start),
        "T_1u": -gamma * sum(dot(mean_u, s_i) for s_i in first) / n,
        "T_1v": -gamma * m * t_1v / n**2,
        "T_2u": gamma**2 * whole / n**2,
        "T_2v": gamma**2 * m * t_2v / n**2,
        "T_3u": sum(second) - whole / n,
        "E": drift,
    }


def _next_states(
    objective: Any, steps: Steps, states: Any, scales: Vector, cache: dict[Any, Any]
) -> dict[Any, Any]:
    """Every state after the round with its probability; equal states are merged."""
    n, m = objective.clients, steps.m
    subsets = list(combinations(range(n), m))
    found: dict[Any, Any] = {}
    for (u, v), probability in states.items():
        ends = [
            [path[-1] for path in _client_paths(objective, steps, i, u, v[i], scales, cache)]
            for i in range(n)
        ]
        for subset in subsets:
            outcomes = list(product(*(ends[i] for i in subset)))
            weight = probability / (len(subsets) * len(outcomes))
            for outcome in outcomes:
                reached = dict(zip(subset, outcome, strict=True))
                new_u, new_v = aggregate(steps, u, v, reached)
                state = (tuple(new_u), tuple(map(tuple, new_v)))
                found[state] = found.get(state, 0) + weight
    return found


def least_value(objective: Quadratic) -> Fraction:
    """min f of a strictly convex quadratic, by elimination in the unknowns (u, v_1, ..., v_n)."""
    n, d_u = objective.clients, objective.d_u
    d_v = len(objective.linear[0]) - d_u
    size = d_u + n * d_v
    # row p of the augmented system says: n times the derivative of f in unknown p is zero
    system = [[Fraction(0)] * (size + 1) for _ in range(size)]
    for i in range(n):
        unknown = [*range(d_u), *range(d_u + i * d_v, d_u + (i + 1) * d_v)]
        for p, row in zip(unknown, objective.hessian[i], strict=True):
            for q, entry in zip(unknown, row, strict=True):
                system[p][q] += entry
        for p, slope in zip(unknown, objective.linear[i], strict=True):
            system[p][size] -= slope
    for p in range(size):  # definite, so no pivot vanishes
        system[p] = [x / system[p][p] for x in system[p]]
        for q in range(size):
            if q != p:
                factor = system[q][p]
                system[q] = [x - factor * y for x, y in zip(system[q], system[p], strict=True)]
    point = [row[size] for row in system]
    u, rest = point[:d_u], point[d_u:]
    v = [rest[i * d_v : (i + 1) * d_v] for i in range(n)]
    return sum(objective.value(i, u, v[i]) for i in range(n)) / n


# ---- expectations in closed form, for scalar decoupled clients


@dataclass(frozen=True)
class Decoupled:
    """f_i(u, v_i) = 1/2 A u^2 + a_i u + 1/2 D_i v_i^2 + d_i v_i with A > 0 and D_i > 0, all scalar.

    The shared curvature A is common; slopes and personal curvatures are each client's own. Noise
    of standard deviation sigma_u, sigma_v, of any law with mean zero.
    """

    A: float
    a: Sequence[float]
    D: Sequence[float]
    d: Sequence[float]
    sigma_u: float
    sigma_v: float


def closed_form(
    problem: Decoupled, steps: Steps, u0: float, v0: Sequence[float], rounds: int
) -> dict[str, list[float]]:
    """Expectations of every quantity in rounds 0, ..., T; ``f`` is the gap E f - inf f.

    One coordinate of one client: a scalar x with curvature c, slope h, local step g. Its gradient
    y_k = c x_k + h along the local steps obeys y_{k+1} = y_k - g c (y_k + e_k) = rho y_k - g c e_k
    with rho = 1 - g c, so with S_k = 1 + rho + ... + rho^{k-1} and Q_k = 1 + rho^2 + ... +
    rho^{2(k-1)} (S_0 = Q_0 = 0):
      y_k        = rho^k y_0 - g c sum_{l<k} rho^{k-1-l} e_l
      x_k - x_0  = (y_k - y_0) / c = -g (S_k y_0 + sum_{l<k} rho^{k-1-l} e_l)
                   because rho^k - 1 = -g c S_k; so E (x_k - x_0)^2 = g^2 (S_k^2 E y_0^2
                   + Q_k sigma^2)
      sum_{k<K} y_k = S_K y_0 - g c sum_l e_l (sum_{k=l+1}^{K-1} rho^{k-1-l})
                    = S_K y_0 - g c sum_{l<=K-2} S_{K-1-l} e_l;  noise variance
                      W = g^2 c^2 sigma^2 sum_{j=1}^{K-1} S_j^2, independent over clients.

    Personal block. With probability m/n the outer step gives v+ - v = eta_v (v_K - v), so the
    gradient y = D_i v_i + d_i moves to R y - gamma D_i (sum_l rho^{K-1-l} e_l) with
    R = 1 - gamma D_i S_K and gamma = gamma_v eta_v, else it stays. Its second moment q_i obeys
      q_i+ = (1 - m/n) q_i + (m/n) (R^2 q_i + gamma^2 D_i^2 Q_K sigma_v^2).

    Shared block. u+ = u - gamma S_K (A u + a_S) - gamma N with a_S the participants' mean slope
    and N the participants' mean of noise sums, E N^2 = Q_K sigma_u^2 / m. From P(i) = m/n and
    P(i and j) = m(m-1)/(n(n-1)), a_S has mean a and, with D2 = sum_i (a_i - a)^2,
      E (a_S - a)^2 = (1/m^2) (m/n - m(m-1)/(n(n-1))) D2          since sum_{i != j} = -D2,
    and is independent of u. So the mean gradient Y = A u + a has mean and variance
      M+ = R M,   P+ = R^2 P + gamma^2 A^2 (S_K^2 E (a_S - a)^2 + Q_K sigma_u^2 / m).
    Client i's shared gradient is Y + (a_i - a).
    """
    n, m, K = len(problem.a), steps.m, steps.K
    gamma = steps.gamma_u * steps.eta_u
    assert abs(gamma - steps.gamma_v * steps.eta_v) < 1e-15
    once = m / n
    both = m * (m - 1) / (n * (n - 1)) if n > 1 else 0.0
    a = sum(problem.a) / n
    slope_spread = sum((a_i - a) ** 2 for a_i in problem.a)
    slope_variance = (once - both) * slope_spread / m**2

    def partial_sums(rho: float) -> tuple[list[float], list[float]]:
        S, Q = [0.0], [0.0]
        for k in range(K):
            S.append(S[-1] + rho**k)
            Q.append(Q[-1] + rho ** (2 * k))
        return S, Q

    S, Q = partial_sums(1 - steps.gamma_u * problem.A)
    R = 1 - gamma * problem.A * S[K]
    W = (steps.gamma_u * problem.A * problem.sigma_u) ** 2 * sum(S[j] ** 2 for j in range(1, K))
    M, P = problem.A * u0 + a, 0.0
    q = [(D * v + d) ** 2 for D, d, v in zip(problem.D, problem.d, v0, strict=True)]
    names = ("f", "G_u", "G_v", "B", "T_1u", "T_1v", "T_2u", "T_2v", "T_3u", "E")
    series: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds + 1):
        G_u = M**2 + P
        B = n * G_u + slope_spread
        E = steps.gamma_u**2 * sum(S[k] ** 2 * B + n * Q[k] * problem.sigma_u**2 for k in range(K))
        f, T_1v, T_2v = G_u / (2 * problem.A), 0.0, 0.0
        for i, D in enumerate(problem.D):
            S_i, Q_i = partial_sums(1 - steps.gamma_v * D)
            W_i = (steps.gamma_v * D * problem.sigma_v) ** 2 * sum(S_i[j] ** 2 for j in range(1, K))
            f += q[i] / (2 * D) / n
            T_1v -= gamma * once / n * S_i[K] * q[i]
            T_2v += gamma**2 * once / n * (S_i[K] ** 2 * q[i] + W_i)
            E += steps.gamma_v**2 * sum(
                S_i[k] ** 2 * q[i] + Q_i[k] * problem.sigma_v**2 for k in range(K)
            )
        seen = (f, G_u, sum(q) / n, B, -gamma * S[K] * G_u, T_1v,
                gamma**2 * (S[K] ** 2 * G_u + W / n), T_2v,
                S[K] ** 2 * slope_spread + (n - 1) * W, E)  # fmt: skip
        for name, value in zip(names, seen, strict=True):
            series[name].append(value)
        noise = Q[K] * problem.sigma_u**2 / m
        P = R**2 * P + (gamma * problem.A) ** 2 * (S[K] ** 2 * slope_variance + noise)
        M = R * M
        for i, D in enumerate(problem.D):
            S_i, Q_i = partial_sums(1 - steps.gamma_v * D)
            moved = (1 - gamma * D * S_i[K]) ** 2 * q[i]
            moved += (gamma * D * problem.sigma_v) ** 2 * Q_i[K]
            q[i] = (1 - once) * q[i] + once * moved
    return series
