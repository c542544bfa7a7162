"""How a user's file declares a theory: quantities, what is taken as given, claims and proofs.

Every mistake is told where it was made: the file and line of the call come first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.facts import Constant, Fact
from fedbounds.theory.checker.names import fault_of, identifier
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.glossary import Glossary, Meaning
from fedbounds.theory.language.setups import Says, Shown
from fedbounds.theory.language.symbols import SHARED
from fedbounds.theory.language.typed import names_of

from ..measure.clients import Clients
from ..measure.contract import BLOCK_U, BLOCK_V, MODEL
from ..measure.enumerated import one_state
from ..measure.functions import OfState
from ..measure.spaces import PAST
from ..measure.subject import AFTER, Subject
from ..measure.unknowns import RootError
from .definitions import read_definition, read_statement
from .families import Pair, quadratics, unlike
from .formulas import some_of, without_arrays
from .lines import caller, told_at
from .pairs import begun, checked
from .statements import Piece, Statement, Use, stated
from .vocabulary import OWN

CONTROL_VARIATES = "control variates"
_OF_PROBLEMS = {identifier(name) for name in Constant} | {"n", "d_u", "d_v", "T", "t", "sigma2"}
_INDICES = ("i", "k")  # a client, a local step; in the order of the axes of what is shown
_Indices = dict[str, tuple[str, ...]]
# the model before a round and after it, or its blocks
_MODEL: _Indices = {MODEL: (), MODEL + AFTER: ()}
_BLOCKS: _Indices = {BLOCK_U: (), BLOCK_U + AFTER: (), BLOCK_V: ("i",), BLOCK_V + AFTER: ("i",)}
_KNOWN_PARAMETERS = {"m": "1:n", "K": (1, 2)}


@dataclass(eq=False)
class Theory:
    """A theory of one's own; made by `theory`, filled by its methods.

    Attributes
    ----------
    key : str
        Ids are "key/name".
    algorithm : Algorithm
    parameters : dict
        Values of the algorithm's parameters; see `theory`.
    problems : tuple of pairs (problem, start)
    rounds : tuple of int
        Horizons T, and `horizon`, a longer one.
    """

    key: str
    algorithm: Algorithm
    title: str
    parameters: dict[str, Any]
    problems: tuple[Pair, ...]
    rounds: tuple[int, ...]
    horizon: int
    line: str
    varied: bool = False  # its problems are the default ones, of which there may be others
    laws: tuple[str, ...] = ()
    quantities: dict[str, OfState] = field(default_factory=dict)
    definitions: dict[str, sp.Expr] = field(default_factory=dict)
    within: set[str] = field(default_factory=lambda: {"Du_2"})
    vectors: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    weights: dict[str, str] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)
    constants: dict[str, Callable[..., Any]] = field(default_factory=dict)
    assumptions: dict[str, Callable[..., Any]] = field(default_factory=dict)
    of_runs: dict[str, sp.Expr] = field(default_factory=dict)
    stated: dict[str, tuple[Says, ...]] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    glossary: Glossary = OWN

    @property
    def algorithm_name(self) -> str:
        """What joins claims and runs: no other theory's, and no paper's, is called so."""
        return f"{self.algorithm.name} ({self.key})"

    @property
    def models(self) -> _Indices:
        """The model before and after a round, with its indices; or its blocks."""
        personal = any(problem.personal_dimension for problem, _ in self.problems)
        return _BLOCKS if personal else _MODEL

    @property
    def shown(self) -> Shown:
        """How vectors and random objects are read off a round."""
        vectors = {**self.models, **self.vectors}
        over = [index for index in _INDICES if any(index in x for x in vectors.values())]
        indices = {index: self.weights.get(index, "") for index in over}
        return Shown(self.sources, indices, vectors)

    def parameter(
        self, name: str, meaning: str, values: Any = "edges", *, positive: bool = True
    ) -> None:
        """A parameter of the algorithm: one that every theory knows, or one's own.

        Parameters
        ----------
        name : str
            One of `fedbounds symbols` has the meaning and the sign that it has there.
        values : "edges", "a:b" or a sequence of numbers and formulas
            See `theory`.
        positive : bool
            Whether 0 is excluded, which proofs may use.
        """
        with told_at(caller()):
            if name not in SHARED.constants or name in _OF_PROBLEMS:
                self._symbol(name, meaning, **{"positive" if positive else "nonnegative": True})
            elif name in self.parameters:
                raise FedboundsError(f"{name!r} is a parameter of the algorithm already")
            self.parameters[name] = without_arrays(values)

    def constant(
        self,
        name: str,
        meaning: str,
        value: Callable[..., Any] | None = None,
        *,
        is_: str | None = None,
        positive: bool = False,
    ) -> None:
        """A constant: ``value(problem, start)`` or ``value(problem, start, p)``, an exact number.

        Parameters
        ----------
        value : function (problem, start) or (problem, start, p) -> number
            ``problem`` as the algorithm sees it; ``start`` of shape (d,); ``p`` has the parameters
            by name, and the number of rounds as p["T"].
        is_ : str
            Instead a definition, of what a run visits or tends to: "Largest(dot(g, g))",
            "sq(x)" of round 0, "Settled(sq(x))".
        """
        line = caller()
        with told_at(line):
            if (value is None) == (is_ is None):
                raise FedboundsError(f"{name!r} is given by a function or by is_; expected one")
            self._symbol(name, meaning, **{"positive" if positive else "nonnegative": True})
            if name in self.parameters:
                raise FedboundsError(f"{name!r} is a parameter of the algorithm already")
            if is_ is None:
                assert value is not None
                self.constants[name] = value
                return
            self.of_runs[name] = read_definition(is_, *self._spoken_of, of_run=True)
            self.lines[name] = line

    def assumption(
        self, name: str, holds: Callable[..., Any] | None = None, *, says: str | None = None
    ) -> None:
        """An assumption beside those that problems answer, for claims that name it.

        Parameters
        ----------
        holds : function (problem, start) or (problem, start, p) -> True, False, or None
            Arguments as of `constant`. None: not known, so that nothing is judged.
        says : str
            Instead a relation of what a run visits: "Largest(dot(g, g)) <= 4", or, of every
            outcome and round, "dot(g, g) <= 4".
        """
        with told_at(caller()):
            if not isinstance(name, str) or not name.strip() or not name.isprintable():
                raise FedboundsError(f"name of an assumption {name!r}; expected a line of text")
            if name in {*Fact, *self.assumptions, *self.stated}:
                raise FedboundsError(f"assumption {name!r} has a meaning already")
            if (holds is None) == (says is None):
                raise FedboundsError(f"{name!r} is a function, or what says=... says; expected one")
            if says is not None:
                self.stated[name] = (read_statement(says, *self._spoken_of),)
                return
            assert holds is not None
            self.assumptions[name] = holds

    def vector(self, name: str, meaning: str, over: str = "", weights: str = "") -> None:
        """A vector of a round, for quantities by definition: what ``see(name=...)`` of step shows.

        A field of the state is one too, and with ``_next`` after its name what it is after the
        round; so are ``x`` and ``x_next``, the model, which need not be declared. Where a problem
        has personal blocks, these are ``u``, ``u_next``, ``v`` and ``v_next``, the last two over
        clients.

        Parameters
        ----------
        over : str
            The axes between rows and coordinates: "i" for clients, "k" for local steps, "ik" for
            both. A product of vectors is a mean over them.
        weights : str
            A parameter with a number for each client, by which the mean over clients is weighted;
            otherwise all weigh the same.
        """
        line = caller()
        with told_at(line):
            self._name_of_round(name)
            if list(over) != [index for index in _INDICES if index in over]:
                raise FedboundsError(f'over is {over!r}; expected "", "i", "k" or "ik"')
            if weights:
                if "i" not in over or weights not in self.parameters:
                    known = ", ".join(self.parameters)
                    raise FedboundsError(
                        f"weights {weights!r} of {name!r} over {over!r}; expected a parameter "
                        f"({known}) for a vector over clients"
                    )
                if self.weights.setdefault("i", weights) != weights:
                    raise FedboundsError(
                        f"clients have the weights {self.weights['i']!r} already; given {weights!r}"
                    )
            self.vectors[name] = tuple(over)
            self.lines[name] = line

    def source(self, name: str, *draws: str) -> None:
        """A random object that `given` may speak of, and which arrays of ``draw`` it is.

        What is declared is what there is: arrays of other draws are then an error.
        """
        line = caller()
        with told_at(line):
            self._name_of_round(name)
            if not draws or not all(isinstance(one, str) for one in draws):
                raise FedboundsError(f"{name!r} is the draws {draws!r}; expected names of arrays")
            self.sources[name] = draws
            self.lines[name] = line

    def _name_of_round(self, name: str) -> None:
        fault = fault_of(name) if isinstance(name, str) else "expected text"
        if fault is not None:
            raise FedboundsError(f"name {name!r}: {fault}")
        taken = {*self.models, *_INDICES, PAST, *self.vectors, *self.sources}
        if name in taken | {identifier(x) for x in self.glossary.meanings}:
            raise FedboundsError(f"{name!r} has a meaning already; choose another name")

    def quantity(
        self,
        name: str,
        meaning: str,
        value: OfState | None = None,
        *,
        is_: str | None = None,
        signed: bool = False,
    ) -> None:
        """A measured quantity: by a function of the state, or by definition.

        Parameters
        ----------
        value : function (problem, state) or (problem, state, p) -> one number per row
            The quantity is its expectation.
        is_ : str
            A text in ``sq``, ``ip`` and ``given`` of vectors: "n*K*sq(y - x)". Products are
            expectations, and means over the indices that vectors have. A mean of a number of every
            outcome is one too: "given(sqrt(dot(x, x)))", "most(dot(y, y), i)".
        signed : bool
            Whether it may be negative; otherwise proofs may drop it from a right side's lower end.
        """
        line = caller()
        with told_at(line):
            if (value is None) == (is_ is None):
                raise FedboundsError(f"{name!r} is given by a function or by is_; expected one")
            self._declare(name, meaning, {}, frozenset({name} if signed else ()))
            self.lines[name] = line
            if is_ is None:
                assert value is not None
                self.quantities[name] = value
                return
            names, vectors, sources = self._spoken_of
            self.definitions[name] = read_definition(is_, names, vectors, sources)
            spoken_of = {x.name for x in self.definitions[name].free_symbols} & vectors
            if not spoken_of <= self._fields():
                self.within.add(name)

    @property
    def _spoken_of(self) -> tuple[Mapping[str, sp.Symbol], set[str], set[str]]:
        """Constants, vectors and sources that a definition may name."""
        vectors, sources = {*self.models, *self.vectors}, {PAST, *_INDICES, *self.sources}
        return names_of(self.glossary).constants, vectors, sources

    def _fields(self) -> set[str]:
        """Names of what a state has."""
        problem, start = self.problems[0]
        values = {name: some_of(given) for name, given in self.parameters.items()}
        subject = Subject(self.algorithm, Clients(problem), start, values, 0)
        try:
            return set(one_state(subject))
        except RootError:
            return set(one_state(subject.in_balls()))

    def given(
        self,
        name: str,
        formula: Any,
        why: str,
        *,
        conditions: Sequence[Any] = (),
        assumptions: Sequence[str] = (),
        first: int = 0,
    ) -> None:
        """Something that proofs may use and that is measured, not proved."""
        line = caller()
        with told_at(line):
            common = Piece(None, conditions, assumptions, first=first)
            found = stated(self, name, formula, common, line, statement=why, given=True)
            self.statements.append(found)

    def claim(
        self,
        name: str,
        formula: Any,
        *,
        statement: str = "",
        conditions: Sequence[Any] = (),
        assumptions: Sequence[str] = (),
        uses: Sequence[Use] | None = None,
        by: str = "",
        first: int = 0,
        readings: Mapping[str, Sequence[str]] | None = None,
        source: str = "verbatim",
    ) -> None:
        """A claim, with a proof if ``uses`` is there.

        Parameters
        ----------
        formula : str, relation of SymPy, or mapping from names to such
            "left <= right" or "left == right"; or the same in the symbols of
            `fedbounds.theory.language.symbols`, an identity as ``Eq(left, right)``. A mapping has
            a formula for each part, or what `part` makes of one, with premises and proof of its
            own; what is given here is then said of every part. Proofs cite a part as "thm-1:rate".
        conditions : strings, or relations of SymPy
            On parameters and constants: "eta <= 1/L".
        assumptions : strings
            Words of `fedbounds.facts.Fact`, and names declared by `assumption`.
        uses : sequence or None
            Names of claims and givens declared before, "conditions", or premises and squares of
            `fedbounds.theory.proof.language`. None: no proof.
        by : str
            "induction" over rounds; else a combination of what it uses.
        first : int
            From this round on.
        readings : mapping from names to names of parts
            Ways to read the claim; the first is the headline's.
        source : "verbatim", "restored", "reconstructed" or "ours"
            How far the text is the authors' own: "reconstructed" is what could not be read, and a
            verdict on it says nothing about them.
        """
        line = caller()
        with told_at(line):
            common = Piece(None, conditions, assumptions, uses, by, first)
            found = stated(
                self,
                name,
                formula,
                common,
                line,
                statement=statement,
                readings=readings,
                source=source,
            )
            self.statements.append(found)

    def _symbol(self, name: str, meaning: str, **signs: bool) -> None:
        self._declare(name, meaning, {name: sp.Symbol(name, **signs)}, frozenset())

    def _declare(
        self,
        name: str,
        meaning: str,
        constants: Mapping[str, sp.Symbol],
        signed: frozenset[str],
    ) -> None:
        """Give a name its meaning in this theory, which changes nothing in another."""
        fault = fault_of(name) if isinstance(name, str) else "expected text"
        if fault is not None:
            raise FedboundsError(f"name {name!r}: {fault}")
        if name in {identifier(x) for x in OWN.meanings}:
            raise FedboundsError(
                f"{name!r} is a shared name; `fedbounds symbols` lists them; choose another"
            )
        if name in {*self.glossary.meanings, *self.vectors, *self.sources}:
            raise FedboundsError(f"{name!r} is declared twice; choose another name")
        latex = rf"\mathrm{{{name}}}".replace("_", r"\_")
        own = Glossary({name: Meaning(meaning, latex)}, constants, signed)
        self.glossary = self.glossary | own


def theory(
    key: str,
    algorithm: Algorithm,
    *,
    title: str = "",
    parameters: Mapping[str, Any] | None = None,
    problems: Iterable[Pair] | None = None,
    rounds: Sequence[int] = (1, 2, 3),
    horizon: int = 20,
    laws: Sequence[str] = (),
) -> Theory:
    """A theory of one's own about an algorithm of one's own.

    Parameters
    ----------
    key : str
        Short name; claims are called "key/name".
    algorithm : Algorithm
    parameters : mapping from name to values
        Of the algorithm. Values are a sequence of numbers and formulas in n, constants and earlier
        parameters, such as ``("1/(4*L)", "1/L")``, or tuples with a number for each client; or
        "a:b", all whole numbers from a to b, which may be formulas; or "edges", the largest values
        that the claims' conditions allow, and half of them; where a claim has no such condition,
        4/L too. Default: m of 1 to n, and K of 1 and 2.
    problems : iterable of pairs (problem, start)
        From `quadratics`, `unlike`, `bent` or `quadratic`; default: the first two, and where a
        claim assumes only smooth or convex functions the third, if the algorithm runs on it.
    rounds : sequence of int
        Horizons T.
    horizon : int
        T of longer runs. A run is measured by every outcome of its draws where there are few, else
        by exact moments, which need a step that is affine in the state; a run that neither can
        measure is counted, with the reasons.
    laws : sequence of str
        Beside the common ones: "control variates", for algorithms that correct clients' drift.
    """
    line = caller()
    with told_at(line):
        if not key.isidentifier() or key in PAPERS:
            raise FedboundsError(
                f"key {key!r}; expected letters, digits and _, and none of {', '.join(PAPERS)}"
            )
        if not isinstance(algorithm, Algorithm):
            raise FedboundsError(
                f"algorithm is {type(algorithm).__name__}; expected Algorithm(init, draw, step)"
            )
        default = (*quadratics(), *unlike()) if problems is None else problems
        pairs = tuple(checked(pair) for pair in default)
        if not pairs:
            raise FedboundsError("problems is empty; expected pairs (problem, start)")
        for law in laws:
            if law != CONTROL_VARIATES:
                raise unknown_name("law", law, [CONTROL_VARIATES])
        given = _KNOWN_PARAMETERS if parameters is None else parameters
        values = {name: without_arrays(own) for name, own in given.items()}
        pairs = tuple(
            begun(algorithm, *pair, {name: some_of(given) for name, given in values.items()})
            for pair in pairs
        )
        for name in values.keys() & _OF_PROBLEMS:
            raise FedboundsError(
                f"parameter {name!r} is a number of the problem or of the run, which is measured; "
                "name the algorithm's own otherwise"
            )
        for name in values:
            fault = fault_of(name) if isinstance(name, str) else "expected text"
            if fault is not None:
                raise FedboundsError(f"parameter {name!r}: {fault}")
        for count in (*rounds, horizon):
            if not isinstance(count, int) or count < 1:
                raise FedboundsError(f"rounds {count!r}; expected whole numbers from 1")
        return Theory(
            key,
            algorithm,
            title or key,
            values,
            pairs,
            tuple(rounds),
            horizon,
            line,
            problems is None,
            tuple(laws),
        )
