"""Random steps of a script, drawn to fit the kernel they meet, and what must hold whether they are taken or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fortrancl import transform
from fortrancl.analysis.legality import LegalityError, require_legal
from fortrancl.diagnostics import CompileError, StepError
from fortrancl.ir.expr import Subscript, subscripts
from fortrancl.ir.interpret import interpret
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.tree import Loop, runs, walk
from fortrancl.ir.verify import verify
from fortrancl.schedule.build import finalise, plan
from fortrancl.schedule.execute import execute
from fortrancl.schedule.plan import LaunchPlan
from tests.property.kernels import Case
from tests.property.witnesses import check_witness
from tests.support.launch import run_plan

Step = tuple[str, tuple[Any, ...], dict[str, Any]]
"""A transformation by its name, with its arguments."""


def apply(kernel: Kernel, step: Step) -> Kernel:
    """The kernel after a step; tests may see it in a failure's text."""
    name, arguments, options = step
    result = transform.TRANSFORMATIONS[name](kernel, *arguments, **options)
    assert isinstance(result, Kernel)
    return result


def step_text(step: Step) -> str:
    name, arguments, options = step
    return f"{name}({', '.join([*map(repr, arguments), *(f'{k}={v!r}' for k, v in options.items())])})"


KINDS = tuple(
    "split split tag tag tag tag prioritize prioritize distribute distribute join rule inline prefetch prefetch buffer "
    "barrier atomic reassociate fix injective assume parallelize untag".split()
)
"""All kinds of steps, the common ones more often."""


# -- drawing ----------------------------------------------------------------------------------------------------
@dataclass
class StepMaker:
    """Draws steps that make sense for a kernel; whether they are legal is for the judge to say."""

    draw: Any

    def pick(self, choices: Any) -> Any:
        return self.draw(st.sampled_from(list(choices)))

    def step(self, kernel: Kernel, kinds: Sequence[str]) -> Step | None:
        made: Step | None = getattr(self, self.pick(kinds))(kernel)
        return made

    def loops(self, kernel: Kernel) -> list[str]:
        return list(dict.fromkeys(node.iname for _, _, node in walk(kernel.tree) if isinstance(node, Loop)))

    def tiling(self, kernel: Kernel) -> list[Step]:
        """A split of each outer loop, and perhaps of an inner one."""
        order = [loops for _, loops in kernel.paths.values()]
        outer = min(order, key=len)
        steps: list[Step] = []
        for axis, name in enumerate(outer):
            tags = {"outer_tag": f"g.{axis}", "inner_tag": f"l.{axis}"}
            steps.append(("split_iname", (name, self.pick([2, 3, 4])), tags))
        for name in max(order, key=len)[len(outer) :]:
            if self.pick([True, False]):
                steps.append(("split_iname", (name, 2), {}))
        return steps

    def split(self, kernel: Kernel) -> Step | None:
        loops = self.loops(kernel)
        if not loops:
            return None
        tags = self.pick([{}, {}, {"outer_tag": "g.0", "inner_tag": "l.0"}, {"inner_tag": "l.0"}, {"inner_tag": "unr"}])
        return "split_iname", (self.pick(loops), self.pick([2, 2, 3, 4])), tags

    def join(self, kernel: Kernel) -> Step | None:
        pairs = [
            (node.iname, child.iname)
            for _, _, node in walk(kernel.tree)
            if isinstance(node, Loop)
            for child in node.body.children
            if isinstance(child, Loop)
        ]
        return ("join_inames", (self.pick(pairs),), {}) if pairs else None

    def tag(self, kernel: Kernel) -> Step | None:
        loops = self.loops(kernel)
        if not loops:
            return None
        chosen = {name: self.pick(["g.0", "g.0", "g.1", "l.0", "l.0", "l.1", "unr", "l.auto"]) for name in
                  self.draw(st.lists(st.sampled_from(loops), min_size=1, max_size=3, unique=True))}  # fmt: skip
        return "tag_inames", (chosen,), {}

    def untag(self, kernel: Kernel) -> Step | None:
        tagged = [iname.name for iname in kernel.inames if iname.tag is not None]
        return ("untag_inames", (self.pick(tagged),), {}) if tagged else None

    def prioritize(self, kernel: Kernel) -> Step | None:
        nests = [loops for _, loops in kernel.paths.values() if len(loops) > 1]
        if not nests:
            return None
        return "prioritize_loops", (self.draw(st.permutations(self.pick(nests))),), {}

    def distribute(self, kernel: Kernel) -> Step | None:
        loops = self.loops(kernel)
        if not loops:
            return None
        name = self.pick(loops)
        users = [s.id for s in kernel.statements if name in s.inames]
        within = " or ".join(f"id:{u}" for u in self.draw(st.lists(st.sampled_from(users), min_size=1, unique=True)))
        if self.pick([True, False]):
            return "duplicate_inames", (name,), {"within": within}
        return "rename_iname", (name, kernel.fresh_name(f"{name}_r")), {"within": within}

    def rule(self, kernel: Kernel) -> Step | None:
        """extract_subst of one array's reads, or precompute of a rule that is there."""
        if kernel.rules and self.pick([True, True, False]):
            rule = self.pick(kernel.rules)
            users = [s for s in kernel.statements if rule.name in str(s.value) + str(s.target)]
            return "precompute", (rule.name, self.sweep(users)), {"default_tag": self.pick(["l.auto", "l.auto", None])}
        arrays = sorted({(x.array, len(x.indices)) for s in kernel.statements for x in subscripts(s.value)})
        arrays = [(name, rank) for name, rank in arrays if not name.startswith("b")]
        if not arrays:
            return None
        name, rank = self.pick(arrays)
        parameters = ", ".join(f"v{axis}" for axis in range(rank))
        return "extract_subst", (kernel.fresh_name(f"{name}_rule"), f"{name}[{parameters}]"), {"parameters": parameters}

    def inline(self, kernel: Kernel) -> Step | None:
        found = [t.name for t in kernel.temporaries if t.origin == "fortran" and t.name in kernel.written]
        return ("assignment_to_subst", (self.pick(found),), {}) if found else None

    def prefetch(self, kernel: Kernel) -> Step | None:
        read = sorted({x.array for s in kernel.statements for x in subscripts(s.value)})
        read = [name for name in read if name in kernel.argument_by_name]
        if not read:
            return None
        name = self.pick(read)
        users = [s for s in kernel.statements if any(x.array == name for x in subscripts(s.value))]
        if self.pick([True, False]):
            users = [self.pick(users)]
        options = {"default_tag": self.pick(["l.auto", "l.auto", None]), "fetch_bounding_box": self.pick([False, True])}
        if len(users) == 1:
            options["within"] = f"id:{users[0].id}"
        return "add_prefetch", (name, self.sweep(users)), options

    def sweep(self, users: list[Statement]) -> list[str]:
        """Inames that a copy may hold whole, preferably: those of constant length in all statements."""
        inames = sorted({name for s in users for name in s.inames})
        short = [n for n in inames if all(s.domain.range(n)[1] is not None for s in users if n in s.inames)]
        chosen = short if short and self.pick([True, True, True, False]) else inames
        return self.draw(st.lists(st.sampled_from(chosen), unique=True, max_size=3)) if chosen else []

    def buffer(self, kernel: Kernel) -> Step | None:
        found = [s for s in kernel.statements if isinstance(s.target, Subscript)]
        found = [s for s in found if s.target_name in kernel.argument_by_name]
        if not found:
            return None
        statement = self.pick(found)
        init = self.pick([{}, {}, {"init_expression": "0", "store_expression": "base + buffer"}])
        tag = {"default_tag": self.pick([None, "l.auto"])}
        return "buffer_array", (statement.target_name, self.sweep([statement])), {**tag, **init}

    def barrier(self, kernel: Kernel) -> Step | None:
        if len(kernel.statements) < 2:
            return None
        order = list(runs(kernel.tree))
        place = self.draw(st.integers(1, len(order) - 1))
        kind = {"synchronization_kind": self.pick(["global", "global", "local"])}
        return "add_barrier", (f"id:{order[place - 1]}", f"id:{order[place]}"), kind

    def atomic(self, kernel: Kernel) -> Step | None:
        return "set_atomic", (self.pick([s.target_name for s in kernel.statements]),), {}

    def reassociate(self, kernel: Kernel) -> Step | None:
        return "allow_reassociation", (self.pick([s.target_name for s in kernel.statements]),), {}

    def fix(self, kernel: Kernel) -> Step | None:
        return ("fix_parameters", (), {"n": self.pick([3, 4])}) if not kernel.fixed else None

    def injective(self, kernel: Kernel) -> Step | None:
        return "assume_injective", ("map",), {}

    def assume(self, kernel: Kernel) -> Step | None:
        return "assume", ("n >= 1",), {}

    def share(self, kernel: Kernel) -> Step | None:
        found = sorted(t.name for t in kernel.temporaries if t.name in kernel.written)
        if len(found) < 2:
            return None
        return (
            "alias_temporaries",
            (self.draw(st.lists(st.sampled_from(found), min_size=2, max_size=3, unique=True)),),
            {},
        )

    def privatize(self, kernel: Kernel) -> Step | None:
        found = [t.name for t in kernel.temporaries if t.name in kernel.written]
        loops = sorted({name for s in kernel.statements for name in s.inames})
        if not found or not loops:
            return None
        return "privatize_temporaries_with_inames", (self.pick(loops), self.pick(found)), {}

    def part(self, kernel: Kernel) -> Step | None:
        loops = self.loops(kernel)
        outer = self.draw(st.lists(st.sampled_from(loops), unique=True, max_size=1)) if loops else []
        return "distribute_loops", (f"id:{self.pick(kernel.statements).id}", outer), {}

    def chunk(self, kernel: Kernel) -> Step | None:
        loops = self.loops(kernel)
        return ("chunk_iname", (self.pick(loops), self.pick([1, 2, 3])), {}) if loops else None

    def skew(self, kernel: Kernel) -> Step | None:
        nests = [loops for _, loops in kernel.paths.values() if len(loops) > 1]
        if not nests:
            return None
        start = self.draw(st.integers(0, len(nests[0]) - 2))
        i, j = nests[0][start : start + 2]
        a, b = kernel.fresh_name(f"{i}_m"), kernel.fresh_name(f"{j}_m")
        ties = self.pick(
            [f"{a} = {i} + {j} and {b} = {j}", f"{a} = {j} and {b} = {i}", f"{a} = {i} and {b} = {j} - {i}"]
        )
        return "map_domain", (f"{{ [{i}, {j}] -> [{a}, {b}] : {ties} }}",), {}

    def fold(self, kernel: Kernel) -> Step | None:
        return self.pick(["fold_constants", "simplify_indices", "remove_unused_inames"]), (), {}

    def parallelize(self, kernel: Kernel) -> Step | None:
        return "auto_parallelize", (self.pick([2, 4]),), {}


# -- judging ----------------------------------------------------------------------------------------------------
@dataclass
class Outcome:
    """What became of a random script."""

    taken: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    final: str = ""
    witnesses: int = 0


def run_script(
    draw: Any,
    case: Case,
    kinds: Sequence[str] = KINDS,
    most: int = 6,
    *,
    tiled: bool = False,
    on_device: bool = False,
) -> Outcome:
    """Draw and apply steps; then everything that must hold does, or an exception says what does not.

    ``tiled``: first cut the outer loops into groups and lanes. ``on_device``: run what is accepted as OpenCL on PoCL,
    not by the strict reference.
    """
    outcome, kernel = Outcome(), case.kernel
    maker = StepMaker(draw)
    for step in maker.tiling(kernel) if tiled else ():
        kernel = take(case, kernel, step, outcome)
    for _ in range(draw(st.integers(1, most))):
        step = maker.step(kernel, kinds)
        if step is not None:
            kernel = take(case, kernel, step, outcome)
    accepted = judge(case, kernel, outcome)
    if accepted is not None:
        run = run_plan if on_device else execute
        compare(case, kernel, accepted, run)
    return outcome


def take(case: Case, kernel: Kernel, step: Step, outcome: Outcome) -> Kernel:
    """The kernel after a step, or as it was where the step is refused; a witness must be true."""
    try:
        changed = apply(kernel, step)
    except StepError as error:
        outcome.refused.append(f"{error.code} {step_text(step)}")
        if isinstance(error, LegalityError) and error.witness is not None:
            check_refusal(kernel, step, error, outcome)
        return kernel
    verify(changed)
    outcome.taken.append(step_text(step))
    return changed


STAGING = {"precompute", "add_prefetch", "buffer_array"}
"""Steps that ask the judge about statements of their own making, which the kernel before them lacks."""


def check_refusal(kernel: Kernel, step: Step, error: LegalityError, outcome: Outcome) -> None:
    """The witness is true of the kernel before the step."""
    assert error.witness is not None
    name, arguments, options = step
    if name == "split_iname" and options:
        kernel = apply(kernel, (name, arguments, {}))  # splitting alone is always legal: the tag was refused
    ends = {error.witness.source_statement, error.witness.sink_statement}
    if name == "map_domain":
        return  # its witness counts in the new loops, which the kernel before it lacks
    if name in STAGING and not ends <= set(kernel.statement_by_id):
        return
    outcome.witnesses += 1
    check_witness(kernel, error.witness, error.code)


def judge(case: Case, kernel: Kernel, outcome: Outcome) -> LaunchPlan | None:
    """The launches of a kernel that is accepted; what is refused says why, with a true witness."""
    final = kernel
    try:
        final = finalise(kernel)
        verify(final)
        require_legal(final)
        made = plan(final)
    except (StepError, CompileError) as error:
        outcome.final = error.code if isinstance(error, StepError) else error.diagnostics[0].code
        if isinstance(error, LegalityError) and error.witness is not None:
            outcome.witnesses += 1
            check_witness(final, error.witness, error.code)
        return None
    outcome.final = "accepted"
    return made


def compare(case: Case, kernel: Kernel, made: LaunchPlan, run: Callable[..., dict[str, Any]]) -> None:
    """The launches compute what the Fortran computes; so does the kernel itself where it is still sequential."""
    sequential = not any(iname.tag is not None and iname.tag.is_lane for iname in kernel.inames)
    for n in sizes(kernel):
        arrays, scalars = case.data(n)
        wanted = interpret(case.kernel, arrays, scalars)
        # A device run gives only what the launches were passed: all else is as it was.
        found = {**arrays, "s": scalars["s"], **run(made, arrays, scalars)}
        same(wanted, found, f"n={n}, launches")
        if sequential:
            same(wanted, interpret(kernel, arrays, scalars), f"n={n}, kernel")


def sizes(kernel: Kernel) -> Iterator[int]:
    """Sizes that a kernel allows."""
    if kernel.fixed:
        value = kernel.fixed[0].value.value
        assert isinstance(value, int)
        yield value
        return
    for n in (0, 1, 2, 5):
        if not kernel.assumptions.where({"n": n}).is_empty():
            yield n


def same(wanted: dict[str, Any], found: dict[str, Any], where: str) -> None:
    for name, value in wanted.items():
        assert np.array_equal(value, found[name]), f"{where}: '{name}' is {found[name]}, not {value}"
