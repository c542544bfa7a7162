"""What the checker reads: statements, steps and certificates, as text."""

from dataclasses import dataclass, field

Comparison = tuple[str, str, str]  # left, "<=" or ">=" or "==", right


@dataclass(frozen=True)
class Need:
    """What must be assumed for vectors to be what their scope says of them."""

    vectors: tuple[str, ...]
    assumptions: tuple[str, ...] = ()
    conditions: tuple[Comparison, ...] = ()


@dataclass(frozen=True)
class Scope:
    """Vectors that a step may speak of.

    Attributes
    ----------
    sources : names of the independent random objects; i and k are a uniform client and step
    atoms : pairs (vector, sources it depends on)
    centred : pairs (vector, source whose average makes it vanish)
    derived : pairs (vector, expression in others)
    gradients : (vector, block, point u, point v): a client's gradient in a block
    noises : pairs (vector, constant that bounds its mean square)
    differences : noises that are martingale differences in the order of (i, k)
    values : (name, point u, point v): mean over clients of the expected objective
    sampled : whether the indicator of i in S occurs
    algorithm : whose updates the vectors follow; empty for any
    needs : what the vectors' derivations, independence and vanishing means suppose
    """

    sources: tuple[str, ...] = ()
    atoms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    centred: tuple[tuple[str, str], ...] = ()
    derived: tuple[tuple[str, str], ...] = ()
    gradients: tuple[tuple[str, str, str, str], ...] = ()
    noises: tuple[tuple[str, str], ...] = ()
    differences: tuple[str, ...] = ()
    values: tuple[tuple[str, str, str], ...] = ()
    sampled: bool = False
    algorithm: str = ""
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True)
class Statement:
    """``left relation right`` under conditions on parameters and assumptions on the problem.

    Attributes
    ----------
    first : int
        For every round t from here to T - 1 where t occurs.
    scope : str
        Whose vectors it speaks of; empty for none.
    algorithm : str
        Of whose runs it is claimed; empty for any.
    """

    left: str
    relation: str
    right: str
    conditions: tuple[Comparison, ...] = ()
    assumptions: tuple[str, ...] = ()
    first: int = 0
    scope: str = ""
    algorithm: str = ""


@dataclass(frozen=True)
class Assignment:
    """A parameter in terms of a new variable, its name with an underscore appended.

    ``above``: bound + y; ``below``: bound / (1 + y); ``equal``: bound; ``root``: y^bound;
    ``scaled``: bound * (1 + y)^of, an integer power, for ``name >= bound`` with bound > 0;
    ``solve``: bound, which makes ``of`` equal to y^2; ``split``: above in one branch and below in
    the other; ``integer``: bound in one branch and bound + 1 + y in the other.
    """

    name: str
    kind: str
    bound: str
    of: str = ""


@dataclass(frozen=True)
class Premise:
    """A step, fact or condition that a step uses, with its multiplier.

    Attributes
    ----------
    kind : "step", "fact", "condition" or "hypothesis" (of an induction)
    name : str
        Id of the step, name of the fact, or position of the condition.
    times : tuple of str
        One multiplier for every branch of the chart, or one for all.
    arguments : tuple of str
        Of a fact; or of a step that bounds by a root, the number at which its tangent is taken.
    at : pairs (index variable, expression)
        Where a step is used: t at t - 1.
    over : str
        Summed over "t", over clients "i", or over clients and steps "ik".
    """

    kind: str
    name: str
    times: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    at: tuple[tuple[str, str], ...] = ()
    over: str = ""


@dataclass(frozen=True)
class Square:
    """A multiplier times the squared norm of a vector."""

    times: tuple[str, ...]
    vector: str


@dataclass(frozen=True)
class Certificate:
    """Why a step follows.

    ``combine``: right - left is the sum of the premises' differences, times their multipliers,
    and of squares and terms that are not negative. ``induction``: the same at 0, and from
    ``variable`` to its successor. ``given``: a definition or an assumption. ``unroll``: the sum
    over rounds of a recursion for ``variable``, with ``origin`` its factor. ``root``: a bound by a
    root, as ``combine`` gives every tangent of it, at any_d. ``scope`` names the vectors that
    premises and squares speak of.
    """

    rule: str
    chart: tuple[Assignment, ...] = ()
    premises: tuple[Premise, ...] = ()
    squares: tuple[Square, ...] = ()
    scope: str = ""
    variable: str = ""
    base: "Certificate | None" = None
    origin: str = ""


@dataclass(frozen=True)
class Step:
    """A statement with its certificate."""

    id: str
    statement: Statement
    certificate: Certificate


@dataclass(frozen=True)
class Absent:
    """What holds where a block has dimension 0, and what a run then does not depend on.

    Attributes
    ----------
    dimension : str
    free : names of its step sizes, and of constants that bound nothing
    holds : conditions
    assumptions : those about this block alone
    """

    dimension: str
    free: tuple[str, ...]
    holds: tuple[Comparison, ...]
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Theory:
    """Everything that certificates speak of.

    Attributes
    ----------
    symbols : dict from name to "integer" (at least 1), "positive", "nonnegative", "index" or
        "varying": an integer of at least 1 that each round has its own of, written ``name(t)``
    quantities : dict from name to whether it is non-negative
    per_client, per_step : names of the quantities with a client axis, and with a step axis too
    scopes : dict of Scope
    absent : what the absence of a block means
    always : conditions that hold everywhere: m <= n, and steps k run from 0 to K - 1
    """

    symbols: dict[str, str]
    quantities: dict[str, bool]
    per_client: frozenset[str] = frozenset()
    per_step: frozenset[str] = frozenset()
    scopes: dict[str, Scope] = field(default_factory=dict)
    always: tuple[Comparison, ...] = ()
    absent: tuple[Absent, ...] = ()
