"""A chart as case distinctions and substitutions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fedbounds.theory.checker.charts import weaker
from fedbounds.theory.checker.data import Assignment, Certificate, Comparison, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import Reader
from fedbounds.theory.checker.ratios import Ratio
from fedbounds.theory.checker.text import words

from .branch import Script, name_specials
from .errors import Withheld
from .quotients import Quotients
from .terms import Terms, identifier, parameter

_DECIDED = {"split": ("above", "below"), "integer": ("equal", "after")}
_COUNTS = ("integer", "varying")


@dataclass(frozen=True)
class Known:
    """A condition of the lemma and the hypothesis that says it."""

    condition: Comparison
    name: str


def completed(theory: Theory, certificate: Certificate, named: set[str]) -> list[Assignment]:
    """The chart, after counts that it leaves out, as far as the lemma names them."""
    own = {one.name for one in certificate.chart}
    free = [
        Assignment(name, "above", "1")
        for name, sign in theory.symbols.items()
        if sign in _COUNTS and name not in own
    ]
    return [one for one in (*free, *certificate.chart) if one.name in named]


def decisions(chart: Sequence[Assignment]) -> list[int]:
    """Places of the assignments with two branches."""
    return [place for place, one in enumerate(chart) if one.kind in _DECIDED]


def chosen(chart: Sequence[Assignment], branch: int) -> list[str]:
    """The kind of each assignment in a branch: the first decision changes fastest."""
    kinds = [one.kind for one in chart]
    for number, place in enumerate(decisions(chart)):
        kinds[place] = _DECIDED[chart[place].kind][branch >> number & 1]
    return kinds


def cases(script: Script, chart: Sequence[Assignment], place: int, known: Sequence[Known]) -> None:
    """The lines that tell the two branches of an assignment apart."""
    one = chart[place]
    reader = _before(script, chart, place)
    bound, name = (
        _quotients(script).ratio(reader.ratio(one.bound)),
        parameter(reader.theory, one.name),
    )
    if one.kind == "split":
        script.say(f"destruct (Rle_or_lt {bound} {name}) as [C'{place} | C'{place}].")
        return
    whole = "apply whole_count; assumption" if one.bound in reader.theory.symbols else "wholes"
    raw = Terms(reader.theory).text(one.bound)
    if one.bound == "1":
        script.say(f"assert (B'{place} : {bound} <= {name}) by (apply count_at_least; assumption).")
    else:
        _justify(script, one, place, reader, reader.ratio(one.bound), ">=", known)
    script.say(f"assert (D'{place} : {raw} <= {name}) by lra.")
    script.say(
        f"destruct (whole_gap {name} {raw} ltac:(apply whole_count; assumption) ltac:({whole}) "
        f"D'{place}) as [C'{place} | C'{place}]."
    )


def assign(
    script: Script,
    chart: Sequence[Assignment],
    place: int,
    kind: str,
    known: Sequence[Known],
) -> None:
    """The lines after which a parameter is what the chart says."""
    one, reader = chart[place], _before(script, chart, place)
    name, slack = parameter(reader.theory, one.name), identifier(f"{one.name}_")
    sign, proved = f"P'{one.name}_", f"Q'{one.name}"
    theory, quotients = reader.theory, _quotients(script)
    decided = one.kind != kind
    bound = None if kind == "root" else reader.ratio(one.bound)
    shown = "" if bound is None else quotients.ratio(bound)
    count = theory.symbols[one.name] in _COUNTS
    match kind:
        case "above" | "scaled":
            if decided:
                script.say(f"assert (B'{place} : {shown} <= {name}) by exact C'{place}.")
            elif count and one.bound == "1":
                script.say(
                    f"assert (B'{place} : {shown} <= {name}) by (apply count_at_least; assumption)."
                )
            else:
                assert bound is not None
                _justify(script, one, place, reader, bound, ">=", known)
            if kind == "above":
                how = f"above _ _ B'{place}"
            else:
                how = f"scaled {name} {shown} {one.of} ltac:(pos) ltac:(lia) B'{place}"
            script.say(f"destruct ({how}) as [{slack} [{sign} {proved}]].")
        case "below":
            if decided:
                script.say(
                    f"assert (B'{place} : {name} <= {shown}) by (apply Rlt_le; exact C'{place})."
                )
            else:
                assert bound is not None
                _justify(script, one, place, reader, bound, "<=", known)
            how = f"below {name} {shown} ltac:(pos) ltac:(pos) B'{place}"
            script.say(f"destruct ({how}) as [{slack} [{sign} {proved}]].")
        case "root":
            how = f"root_exists {name} {one.bound} ltac:(pos) ltac:(lia)"
            script.say(f"destruct ({how}) as [{slack} [{sign} {proved}]].")
        case "equal" if not decided:
            assert bound is not None
            _justify(script, one, place, reader, bound, "==", known)
            script.say(f"assert ({proved} : {name} = {shown}) by exact B'{place}.")
        case "solve":
            assert bound is not None
            _solve(script, one, reader, shown)
        case "equal":
            raw = Terms(theory).text(one.bound)
            script.say(f"assert ({proved} : {name} = {shown}).")
            script.say(f"{{ transitivity {raw}; [exact C'{place} | {script.rewrite()}same]. }}")
        case "after":
            raw = Terms(theory).text(one.bound)
            script.say(f"assert (E'{place} : {shown} + 1 <= {name}).")
            script.say(f"{{ apply Rle_trans with ({raw} + 1); [right | exact C'{place}].")
            script.say(f"  {script.rewrite()}same. }}")
            script.say(f"destruct (above _ _ E'{place}) as [{slack} [{sign} {proved}]].")
        case _:
            raise Withheld(f"an assignment {kind}")
    script.parameters.append((one.name, proved))


def _solve(script: Script, one: Assignment, reader: Reader, shown: str) -> None:
    """x from the root of a + b x."""
    whole, ring, quotients = reader.ratio(one.of), reader.ring, _quotients(script)
    slope = whole.above.derivative(ring.names.index(one.name))
    b = Ratio(ring, slope, whole.below)
    a = whole - b * ring.variable(one.name)
    name, slack = parameter(reader.theory, one.name), identifier(f"{one.name}_")
    first, second = quotients.ratio(a), quotients.ratio(b)
    text = f"{first} + {second} * {name}"
    script.say(
        f"destruct (solve_root ({text}) ltac:(pos)) as [{slack} [P'{one.name}_ E'{one.name}]]."
    )
    script.say(f"assert (Q'{one.name} : {name} = {shown}).")
    script.say(
        f"{{ rewrite (solve_linear {first} {second} {name} _ ltac:(pos) E'{one.name}). same. }}"
    )


def _justify(
    script: Script,
    one: Assignment,
    place: int,
    reader: Reader,
    bound: Ratio,
    relation: str,
    known: Sequence[Known],
) -> None:
    """That a condition says what the assignment says, up to a positive factor."""
    free = reader.ring.variable(one.name)
    quotients, name, terms = (
        _quotients(script),
        parameter(reader.theory, one.name),
        Terms(reader.theory),
    )
    wanted = bound - free if relation == "<=" else free - bound
    for row in known:
        if not row.name or one.name not in words(row.condition[0], row.condition[2]):
            continue
        for number, (left, r, right) in enumerate(weaker(reader, [row.condition])):
            if (r == "==") != (relation == "=="):
                continue
            low, high = (right, left) if r == ">=" else (left, right)
            try:
                given = reader.ratio(high) - reader.ratio(low)
            except Refused:
                continue
            factor = _factor(given, wanted, relation == "==")
            if factor is None:
                continue
            source = row.name
            if number:
                source = f"V'{place}"
                script.say(f"assert ({source} : {terms.text(low)} <= {terms.text(high)}).")
                script.say(f"{{ weaken {row.name}. }}")
            for side in (low, high):
                name_specials(script, side, reader, terms)
            shown = quotients.ratio(bound)
            if not factor.positive():  # an equation turned round says the same
                factor, low, high = -factor, high, low
            gap = f"{terms.text(high)} - {terms.text(low)}"
            c = quotients.ratio(factor)
            want = f"{shown} - {name}" if relation == "<=" else f"{name} - {shown}"
            proof = f"[ | lra | {script.rewrite()}same]"
            if relation == "==":
                script.say(f"assert (B'{place} : {name} = {shown}).")
                script.say(f"{{ assert (0 = 0) by reflexivity. cut ({want} = 0); [lra | ].")
                script.say(f"  apply (zero_by {c} ({gap})); {proof}. {script.rewrite()}nonzero. }}")
                return
            text = f"{name} <= {shown}" if relation == "<=" else f"{shown} <= {name}"
            script.say(f"assert (B'{place} : {text}).")
            script.say(f"{{ cut (0 <= {want}); [lra | ].")
            script.say(f"  apply (sign_by {c} ({gap})); {proof}. pos. }}")
            return
    raise Withheld("a parameter that may be chosen, since its block is absent")


def _factor(given: Ratio, wanted: Ratio, either: bool) -> Ratio | None:
    """given / wanted, if it is a polynomial of one sign over what is positive."""
    if wanted.is_zero():
        return None
    common = given.above.gcd(wanted.above)
    if not (wanted.above // common).is_constant():
        return None
    factor = given.above // wanted.above
    sign = given.ring.sign(factor)
    if sign != 1 and not (either and sign == -1):
        return None
    return Ratio(given.ring, factor * wanted.below, given.below)


def _before(script: Script, chart: Sequence[Assignment], place: int) -> Reader:
    """How names are read before an assignment."""
    late = {one.name for one in chart[place:]}
    parameters = {n: r for n, r in script.reader.parameters.items() if n not in late}
    return replace(script.reader, parameters=parameters, open_extremes=False)


def _quotients(script: Script) -> Quotients:
    return script.quotients()
