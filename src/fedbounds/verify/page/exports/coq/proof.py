"""The lines of a proof, rule by rule and premise by premise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fedbounds.theory.checker.charts import weaker
from fedbounds.theory.checker.check import (
    Pieces,
    own_times,
    pieces,
    remainder,
    with_variables,
)
from fedbounds.theory.checker.data import (
    Certificate,
    Comparison,
    Premise,
    Scope,
    Statement,
    Theory,
)
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import Reader
from fedbounds.theory.checker.facts import fact_of
from fedbounds.theory.checker.keys import affine_of
from fedbounds.theory.checker.needs import every_part
from fedbounds.theory.checker.text import words
from fedbounds.theory.checker.values import Value

from .branch import Script, name_atoms, name_specials, open_all
from .chart import Known, assign, cases, chosen, completed, decisions
from .errors import Withheld
from .identity import Identity, Used, by_keys
from .setting import Setting
from .statements import (
    Variables,
    comparison,
    indices,
    indices_of,
    is_varying,
    oriented,
    ranges,
    sides,
)
from .sums import sum_of, sum_text
from .terms import Terms, identifier

_LONG = 1000  # characters of an identity that is proved quantity by quantity


@dataclass(frozen=True)
class Proof:
    """The lines of a proof."""

    setting: Setting
    statement: Statement
    certificate: Certificate
    about: Variables
    held: Mapping[int, Comparison]
    cited: tuple[str, ...]
    own: str

    @property
    def theory(self) -> Theory:
        return self.setting.theory

    def scope_of(self, found: Pieces) -> str:
        """The scope in which a branch is read."""
        scope = found.branch.reader.scope
        return next((n for n, one in self.theory.scopes.items() if one is scope), "")

    def known(self) -> list[Known]:
        """Conditions by their hypotheses, in the order in which certificates count them."""
        every = len(self.theory.always)
        found = []
        for place, one in enumerate((*self.theory.always, *self.statement.conditions)):
            if place >= every:
                found.append(Known(one, f"condition_{place - every}"))
            elif (
                place in self.held
                and is_varying(self.theory, one)
                and "t" not in indices(self.theory, self.statement.left, self.statement.right)
            ):
                found.append(Known(one, ""))
            elif place in self.held:
                found.append(Known(one, f"always_{place}"))
            else:
                found.append(Known(one, "R'k" if "k" in words(one[0]) else ""))
        return found

    def head(self) -> Iterator[str]:
        yield f"intros. unfold {self.own}."
        for one in self.cited:
            yield f"unfold {self.setting.names[one]} in by_{self.setting.names[one]}."
        for number, _ in enumerate(self.statement.assumptions):
            yield f"intro assumed_{number}."
        for number, _ in enumerate(self.statement.conditions):
            yield f"intro condition_{number}."
        for name in self.about.symbols:
            if self.theory.symbols[name] == "integer":
                own = identifier(name)
                yield f"pose proof (whole_count {own} sign_{name}) as I'{name}."
                yield f"pose proof (count_positive {own} sign_{name}) as P'{name}."
                yield f"pose proof (count_at_least {own} sign_{name}) as L'{name}."

    def indexed(self) -> Iterator[str]:
        for name, _ in ranges(self.theory, self.statement):
            yield f"intros {name} W'{name} F'{name} R'{name}."
            yield from self.of_index(name)
        yield from self.others()
        yield from self.varying()

    def others(self) -> Iterator[str]:
        """Indices that only the vectors of the certificate have: the first of each."""
        if not any(part.scope for part in every_part(self.certificate)):
            return
        own = indices_of(self.theory, self.statement)
        for name, last in (("t", "T"), ("i", "n"), ("k", "K")):
            if name in own:
                continue
            if name == "t" and self.statement.first:
                raise Withheld("a round that the statement does not name")
            yield f"destruct (named 0) as [{name} O'{name}]."
            yield f"assert (W'{name} : whole {name}) by (rewrite <- O'{name}; exact whole_0)."
            yield f"assert (F'{name} : 0 <= {name}) by lra."
            yield f"assert (R'{name} : {name} <= {last} - 1) by lra."
            yield f"assert (P'{name} : 0 <= {name}) by lra."

    def varying(self) -> Iterator[str]:
        names = [name for name, _ in ranges(self.theory, self.statement)]
        for name in self.about.symbols:
            if self.theory.symbols[name] == "varying" and "t" in names:
                own = f"({identifier(name)} t)"
                yield f"pose proof (sign_{name} t) as L'_{name}."
                yield f"pose proof (whole_count {own} L'_{name}) as I'{name}."
                yield f"pose proof (count_positive {own} L'_{name}) as P'{name}."
                yield f"pose proof (count_at_least {own} L'_{name}) as L'{name}."
        for place, one in self.held.items():
            if "t" in names and is_varying(self.theory, one):
                yield f"specialize (always_{place} t)."

    def of_index(self, name: str) -> Iterator[str]:
        if name == "t" and self.statement.first == 1:
            yield f"assert (P'{name} : 0 < {name}) by lra."
        else:
            yield f"assert (P'{name} : 0 <= {name}) by (apply whole_nonneg; assumption)."

    def combined(self) -> list[str]:
        return [*self.head(), *self.indexed(), *self.tree(self.certificate, {}, None)]

    def induced(self) -> list[str]:
        x, base = self.certificate.variable, self.certificate.base
        assert base is not None
        lines = [*self.head()]
        rows = ranges(self.theory, self.statement)
        if x not in [name for name, _ in rows]:
            raise Withheld("an induction over what the statement does not name")
        start = str(self.statement.first) if x == "t" else "0"
        last = "T - 1" if x == "t" else "K - 1"
        for name, _ in rows:
            lines.append(f"intros {name} W'{name} F'{name} R'{name}.")
        lines.append(f"revert {x} W'{x} F'{x} R'{x}.")
        lines += [line for name, _ in rows if name != x for line in self.of_index(name)]
        lines.append("apply whole_induction; [wholes | | ].")
        lines.append("{ cbv beta.")
        lines += self.tree(base, {x: start}, None)
        lines.append("}")
        lines.append(f"intros {x} W'{x} F'{x} N'{x} before.")
        lines += self.of_index(x)
        lines.append(f"assert (R'{x} : {x} <= {last}) by lra.")
        lines += self.tree(self.certificate, {x: f"{x}+1"}, self.statement)
        return lines

    def tree(
        self, certificate: Certificate, at: Mapping[str, str], hypothesis: Statement | None
    ) -> list[str]:
        """Case distinctions, with the proof of every branch."""

        def read(powers: dict[str, bool]) -> list[list[list[str]]]:
            theory, statement = self.theory, self.statement
            earlier = {k: v for k, v in self.setting.earlier.items()}
            every = pieces(theory, statement, certificate, earlier, at, hypothesis, powers)
            rows = []
            for number, found in enumerate(every):
                rest = remainder(theory, statement, certificate, found, number).value
                rows.append(self.branch(certificate, found, number, rest, at))
            return rows

        segments = with_variables(read)
        return _nested(segments, 0, 0)

    def branch(
        self,
        certificate: Certificate,
        found: Pieces,
        number: int,
        rest: Value,
        at: Mapping[str, str],
    ) -> list[list[str]]:
        """The lines of a branch, cut where the next case distinction is made."""
        script = Script(found.branch.reader)
        named = {*self.about.symbols}
        if "t" not in indices(self.theory, self.statement.left, self.statement.right):
            named -= {n for n, s in self.theory.symbols.items() if s == "varying"}
        chart = completed(self.theory, certificate, named)
        kinds, cuts = chosen(chart, number), []
        splits = set(decisions(chart))
        for place, kind in enumerate(kinds):
            if place in splits:
                cases(script, chart, place, self.known())
                cuts.append(len(script.lines))
            assign(script, chart, place, kind, self.known())
        self.conclude(script, certificate, found, number, rest, at)
        starts = [0, *cuts]
        return [script.lines[a:b] for a, b in zip(starts, [*cuts, len(script.lines)], strict=True)]

    def conclude(
        self,
        script: Script,
        certificate: Certificate,
        found: Pieces,
        number: int,
        rest: Value,
        at: Mapping[str, str],
    ) -> None:
        """The identity, and the sign of each of its summands."""
        reader, exact = found.branch.reader, self.statement.relation == "=="
        scope = certificate.scope
        terms = Terms(self.theory, scope=scope).at(at)
        keys = [*found.gap.terms]
        for piece in found.premises:
            keys += piece.value.terms
        name_atoms(script, list(dict.fromkeys(keys)), Terms(self.theory, scope=scope))
        open_all(script)
        vectors = bool(self.statement.scope)
        gap_reader = replace(reader.stating(vectors=vectors), index=_index(at))
        low, _, high = oriented(sides(self.statement))
        for side in (low, high):
            name_specials(script, side, gap_reader, terms)
        summands, proofs, used = [], [], list[Used]()
        for place, premise in enumerate(certificate.premises):
            times = reader.read(own_times(premise.times, number))
            if not times.terms:
                continue
            bottom, top, equal = self.premise(script, found, premise, place, at)
            used.append(
                Used(place, f"({top} - {bottom})", times, found.premises[place].value, equal)
            )
            own = script.quotients().value(times)
            summands.append(f"{own} * ({top} - {bottom})")
            if exact:
                proofs.append(f"apply times_eq; exact use_{place}.")
            elif equal:
                proofs.append(f"apply times_eq_le; exact use_{place}.")
            else:
                proofs.append(f"apply times_le; [pos | exact use_{place}].")
        for place, square in enumerate(certificate.squares, len(certificate.premises)):
            times = reader.read(own_times(square.times, number))
            if not times.terms:
                continue
            text = f"sq({square.vector})"
            name_specials(script, text, reader, terms)
            shown = terms.text(text)
            script.say(f"assert (use_{place} : 0 <= {shown}) by apply ip_nonneg.")
            summands.append(f"{script.quotients().value(times)} * ({shown} - 0)")
            proofs.append(f"apply times_le; [pos | exact use_{place}].")
            value = found.squares[place - len(certificate.premises)]
            used.append(Used(place, f"({shown} - 0)", times, value, False))
        if rest.terms:
            summands.append(script.quotients().value(rest))
            proofs.append("pos.")
        total = " + ".join(summands) or "0"
        if len(total) > _LONG and all(one.times.is_plain() for one in used):
            gap = f"({terms.text(high)} - {terms.text(low)})"
            by_keys(script, Identity(gap, found.gap, tuple(used), rest, exact))
            return
        script.say(f"apply {'eq_by' if exact else 'le_by'} with ({total}).")
        script.say(f"{{ {script.rewrite()}same. }}")
        if not summands:
            script.say("{ lra. }")
            return
        for proof in reversed(proofs[1:]):
            joint = "sum_zero" if exact else "Rplus_le_le_0_compat"
            script.say(f"apply {joint}; [ | {proof[:-1]}].")
        script.say(proofs[0])

    def premise(
        self, script: Script, found: Pieces, premise: Premise, place: int, at: Mapping[str, str]
    ) -> tuple[str, str, bool]:
        """The smaller and the larger side of a premise, which U_place compares."""
        reader, theory = found.branch.reader, self.theory
        index = dict(premise.at)
        scope = self.scope_of(found)
        terms = Terms(theory, scope=scope).at(index)
        inner = replace(reader.stating(vectors=False), index=_index(index))
        if premise.kind == "condition":
            return self.condition(script, found, premise, place)
        if premise.kind == "hypothesis":
            cited, proof = self.statement, "exact before."
        elif premise.kind == "fact":
            cited = fact_of(theory.scopes[scope] if scope else Scope(), premise)
            inner = replace(reader, index=_index(index))
            proof = self.fact(script, found, premise, cited, inner, terms)
        else:
            cited = self.setting.earlier[premise.name]
            if premise.arguments:
                raise Withheld("the tangent of a root")
            inner = replace(reader.stating(vectors=bool(cited.scope)), index=_index(index))
            proof = self.step(script, found, premise, cited, inner, terms)
        low, relation, high = oriented(sides(cited))
        if premise.over:
            return self.summed(script, premise, place, cited, inner, terms, proof)
        for side in (low, high):
            name_specials(script, side, inner, terms)
        bottom, top = terms.text(low), terms.text(high)
        script.say(f"assert (use_{place} : {bottom} {relation} {top}).")
        script.say(f"{{ {proof} }}")
        return bottom, top, relation == "="

    def summed(
        self,
        script: Script,
        premise: Premise,
        place: int,
        cited: Statement,
        inner: Reader,
        terms: Terms,
        proof: str,
    ) -> tuple[str, str, bool]:
        """A step summed over rounds, clients, or clients and steps."""
        low, relation, high = oriented(sides(cited))
        gap, over = f"({high}) - ({low})", premise.over
        text = sum_text(terms, gap, over, cited.first)
        lemma = "sum_all_zero" if relation == "=" else "sum_zero_nonneg"
        own = "zero_of" if relation == "=" else "gap_of"
        each = {"t": "intros t W't F't R't", "i": "intros i W'i F'i R'i"}.get(
            over, f"intros i W'i F'i R'i; apply {lemma}; [wholes | intros k W'k F'k R'k]"
        )
        what = f"{text} = 0" if relation == "=" else f"0 <= {text}"
        script.say(f"assert (all_{place} : {what}).")
        script.say(f"{{ apply {lemma}; [wholes | {each}].")
        script.say(f"  apply {own}. {proof} }}")
        target = f"0 = {text}" if relation == "=" else what
        script.say(f"assert (use_{place} : {target}).")
        script.say(f"{{ {'symmetry; ' if relation == '=' else ''}exact all_{place}. }}")
        sum_of(script, gap, over, inner, terms, text, cited.first if over == "t" else 0)
        return "0", text, relation == "="

    def condition(
        self, script: Script, found: Pieces, premise: Premise, place: int
    ) -> tuple[str, str, bool]:
        at, *how = premise.name.split()
        known = self.known()
        row = known[int(at)]
        if not row.name:
            raise Withheld("a condition of an index that the statement does not name")
        terms = Terms(self.theory)
        left, relation, right = row.condition
        reader = found.branch.reader
        proof = f"exact {row.name}."
        if how and how[0].isdigit():
            left, relation, right = [*weaker(reader, (row.condition,))][int(how[0])]
            if how[0] != "0":
                proof = f"weaken {row.name}."
        low, relation, high = oriented((left, relation, right))
        for side in (low, high):
            name_specials(script, side, reader.stating(vectors=False), terms)
        bottom, top = terms.text(low), terms.text(high)
        if "squared" in how:
            value = script.quotients().ratio(reader.ratio(low))
            script.say(f"assert (T'{place} : {bottom} {relation} {top}).")
            script.say(f"{{ {proof} }}")
            proof = (
                f"apply squares_le; [apply le_by with {value}; [{script.rewrite()}same | pos] "
                f"| exact T'{place}]."
            )
            bottom, top = f"({bottom} ^ 2)", f"({top} ^ 2)"
            if relation == "=":
                raise Withheld("an equation squared")
        script.say(f"assert (use_{place} : {bottom} {relation} {top}).")
        script.say(f"{{ {proof} }}")
        return bottom, top, relation == "="

    def fact(
        self,
        script: Script,
        found: Pieces,
        premise: Premise,
        cited: Statement,
        inner: Reader,
        terms: Terms,
    ) -> str:
        goals = [self.implied(script, found, one, inner, terms) for one in cited.conditions]
        if premise.name in ("smooth", "variance", "dissimilarity"):
            given = " ".join(
                ["_"] * len(cited.assumptions) + [*"t", "_ _ _", "i", "_ _ _", "k", "_ _ _"]
            )
            tactics = " | ".join(
                ["assumption"] * len(cited.assumptions) + ["wholes", "lra", "lra"] * 3
            )
            return f"refine ({fact_name(premise)} {given}); [{tactics}]."
        match premise.name:
            case "root_grows" | "power_grows":
                tactics = " | ".join(goal[:-1] for goal in goals)
                return f"apply fact_{premise.name}; [{tactics}]."
            case "largest" | "least":
                return "extremes."
        assumed = "; [assumption]" if cited.assumptions else ""
        return f"apply fact_{premise.name}{assumed}."

    def step(
        self,
        script: Script,
        found: Pieces,
        premise: Premise,
        cited: Statement,
        inner: Reader,
        terms: Terms,
    ) -> str:
        index = dict(premise.at)
        given, goals = [], []
        for _ in cited.assumptions:
            given.append("_")
            goals.append("assumption.")
        for one in cited.conditions:
            given.append("_")
            goals.append(self.implied(script, found, one, inner, terms))
        own = indices_of(self.theory, self.statement)
        if self.scope_of(found):
            own = ("t", "i", "k")
        for name, _ in ranges(self.theory, cited):
            at = terms.text(name) if name != "i" else "i"
            if name in premise.over:
                at = "(t + 1)" if name == "t" and cited.first else name
            elif name not in index and name not in own:
                raise Withheld("a step of rounds that the statement does not name")
            given += [at, "_", "_", "_"]
            goals += ["wholes.", "lra.", "lra."]
        applied_ = " ".join([f"by_{self.setting.names[premise.name]}", *given])
        tactics = " | ".join(goal[:-1] for goal in goals)
        if not goals:
            return f"exact ({applied_})."
        return f"refine ({applied_}); [{tactics}]."

    def implied(
        self, script: Script, found: Pieces, condition: Comparison, inner: Reader, terms: Terms
    ) -> str:
        """The proof of a condition of what is cited."""
        plain = Terms(self.theory)
        low, relation, high = oriented(condition)
        wanted = comparison(terms, condition)
        for row in self.known():
            if row.name and comparison(plain, row.condition) == wanted:
                return f"exact {row.name}."
            for number, one in enumerate(weaker(found.branch.reader, (row.condition,))):
                if row.name and number and comparison(plain, one) == wanted:
                    return f"weaken {row.name}."
        try:
            for side in (low, high):
                name_specials(script, side, inner, terms)
            gap = inner.ratio(high) - inner.ratio(low)
        except Refused as error:
            raise Withheld("a condition of what is cited") from error
        value = script.quotients().ratio(gap)
        lemma = "eq_by" if relation == "=" else "le_by"
        end = "reflexivity" if relation == "=" else "pos"
        if relation == "=" and gap.is_zero():
            value = "0"
        if relation != "=" and not gap.nonnegative():
            raise Withheld("a condition of what is cited")
        return f"apply {lemma} with {value}; [{script.rewrite()}same | {end}]."


def fact_name(premise: Premise) -> str:
    """The hypothesis that says what an assumption says."""
    own = "_".join(("", *premise.arguments))
    return f"fact_{premise.name}{own}"


def _index(at: Mapping[str, str]) -> dict[str, dict[str, int]]:
    return {name: affine_of(text) for name, text in at.items()}


def _nested(segments: Sequence[list[list[str]]], depth: int, branch: int) -> list[str]:
    """The tree of case distinctions: the first changes fastest."""
    own = segments[branch]
    lines = [*own[depth]]
    if depth + 1 == len(own):
        return lines
    for bit in (0, 1):
        inside = _nested(segments, depth + 1, branch + (bit << depth))
        lines += ["{", *(f"  {line}" for line in inside), "}"]
    return lines
