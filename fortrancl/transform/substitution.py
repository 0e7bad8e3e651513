"""Steps on substitution rules: from reads, from assignments, and back."""

from __future__ import annotations

from dataclasses import replace

from fortrancl.analysis.accesses import accesses_of, expand_rules, references
from fortrancl.analysis.dependences import index_affs
from fortrancl.analysis.legality import Moment, reads_of, require_unchanged, single_definitions
from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.affine import to_aff
from fortrancl.ir.expr import (
    Convert,
    Expr,
    Literal_,
    RuleCall,
    Subscript,
    Var,
    children,
    scalar_names,
    substitute,
    transform,
    walk,
)
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Kernel, Rule, Statement
from fortrancl.ir.match import matches
from fortrancl.ir.text import find_rule, parse_expression
from fortrancl.ir.tree import Node, Run, rebuild
from fortrancl.ir.typeof import type_of
from fortrancl.poly import AffLike
from fortrancl.transform.arguments import Names, find_inames, name_list, new_name
from fortrancl.transform.rules import drop_uncalled, expand_only, rewrite_statements


def extract_subst(
    kernel: Kernel, subst_name: str, template: str, parameters: Names = (), within: str | None = None
) -> Kernel:
    """Make a rule of every read that looks like a template, whose ``parameters`` stand for any expression.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n,n); y(n)", [("y[i]", "y[i] + x[i+1,3]", {"i": "n-1"})])
    >>> print(dump_tree(extract_subst(kernel, "x_acc", "x[a,b]", parameters="a, b")))
    for i = 0 .. n - 2
      s0: y[i] = y[i] + x_acc(i + 1, 3)

    Errors: FCL250 (template), FCL252 (name taken), FCL261 (nothing looks like it). Source: ARRAY'16, section 3.
    """
    name = new_name(kernel, subst_name, subst_name, "subst_name")
    names = name_list(parameters)
    pattern = parse_expression(template, kernel, names=names, argument="template")
    unused = [parameter for parameter in names if parameter not in scalar_names(pattern)]
    if unused:
        raise StepError("FCL252", f"parameter '{unused[0]}' does not occur in the template", argument="parameters")
    found = 0

    def call(node: Expr) -> Expr | None:
        nonlocal found
        bound = unify(pattern, node, frozenset(names), kernel)
        if bound is None:
            return None
        found += 1
        return RuleCall(name, tuple(bound[parameter] for parameter in names))

    def in_statement(statement: Statement) -> Statement:
        target: Var | Subscript = statement.target
        if isinstance(target, Subscript):
            target = Subscript(target.array, tuple(transform(index, call) for index in target.indices))
        return replace(statement, target=target, value=transform(statement.value, call))

    chosen = matches(kernel, within)
    with_rule = replace(kernel, rules=(*kernel.rules, Rule(name, names, pattern)))
    changed = with_rule.with_statements({s.id: in_statement(s) for s in kernel.statements if s.id in chosen})
    if within is None:
        changed = replace(
            changed,
            rules=tuple(replace(r, body=transform(r.body, call)) if r.name != name else r for r in changed.rules),
        )
    if not found:
        raise StepError("FCL261", f"no read looks like '{template}'", argument="template")
    return changed


def unify(pattern: Expr, node: Expr, parameters: frozenset[str], kernel: Kernel) -> dict[str, Expr] | None:
    """What the parameters stand for where ``node`` is an instance of ``pattern``; index expressions are compared by
    value (``i + 1 - 1`` is ``i``)."""
    bound: dict[str, Expr] = {}
    return bound if _unify(pattern, node, parameters, kernel, bound) else None


def _unify(pattern: Expr, node: Expr, parameters: frozenset[str], kernel: Kernel, bound: dict[str, Expr]) -> bool:
    if isinstance(pattern, Var) and pattern.name in parameters:
        known = bound.setdefault(pattern.name, node)
        return known == node or _equal(known, node, kernel)
    if isinstance(pattern, Literal_) and isinstance(node, Literal_):
        return pattern.type == node.type and pattern.value == node.value
    if not scalar_names(pattern) & parameters and (pattern == node or _equal(pattern, node, kernel)):
        return True
    mine, theirs = children(pattern), children(node)
    return (
        type(pattern) is type(node)
        and len(mine) == len(theirs)
        and _head(pattern) == _head(node)
        and all(_unify(a, b, parameters, kernel, bound) for a, b in zip(mine, theirs, strict=True))
    )


def _head(expr: Expr) -> object:
    """What a node is, apart from its operands."""
    for attribute in ("array", "op", "function", "rule", "type"):
        value = getattr(expr, attribute, None)
        if value is not None:
            return value
    return None


def _equal(left: Expr, right: Expr, kernel: Kernel) -> bool:
    known = {*kernel.iname_by_name, *kernel.parameters}
    one, two = to_aff(left, known.__contains__), to_aff(right, known.__contains__)
    return one is not None and two is not None and (one - two).constant() == 0


def expand_subst(kernel: Kernel, within: str | None = None) -> Kernel:
    """Replace rule calls by what they mean, in the statements of ``within``.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n); y(n)", [("y[i]", "2*x[i]", {"i": "n"})])
    >>> expand_subst(extract_subst(kernel, "xa", "x[a]", parameters="a")).statements == kernel.statements
    True
    """
    chosen = matches(kernel, within)
    changed = {
        s.id: map_expressions(s, lambda expr: expand_rules(expr, kernel)) for s in kernel.statements if s.id in chosen
    }
    return drop_uncalled(kernel.with_statements(changed))


def assignment_to_subst(
    kernel: Kernel,
    lhs_name: str,
    extra_arguments: Names = (),
    within: str | None = None,
    force_retain_argument: bool = False,
) -> Kernel:
    """Turn the assignments of a local variable into rules, and its uses into calls.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> from fortrancl.analysis.privatise import privatise
    >>> kernel = build_kernel("k", "n; x(n); temp t", [("t", "2*x[i]", {"i": "n"}), ("x[i]", "t + 1", {"i": "n"})])
    >>> print(dump_tree(assignment_to_subst(privatise(kernel), "t")))
    for i = 0 .. n - 1
      s1: x[i] = t_subst() + 1

    Errors: FCL262 (no such local, or its subscripts are not distinct loop variables), FCL307 (what the right-hand side
    reads changes before a use), FCL308 (several definitions reach a use). Source: ARRAY'16, section 3.
    """
    name = next((t.name for t in kernel.temporaries if t.name.lower() == lhs_name.lower()), None)
    if name is None:
        raise StepError(
            "FCL262",
            f"'{lhs_name}' is no local variable of kernel '{kernel.name}'",
            argument="lhs_name",
            hints=did_you_mean(lhs_name, kernel.temporary_by_name),
        )
    definitions = [s for s in kernel.statements if s.target_name == name]
    reaching = single_definitions(kernel, name, argument="lhs_name")
    chosen = matches(kernel, within)
    uses = [s for s in reaching if s in chosen]
    if not definitions or not uses:
        raise StepError("FCL261", f"'{name}' is not both assigned and used", argument="lhs_name")
    extra = find_inames(kernel, extra_arguments, "extra_arguments")
    rules: dict[str, Rule] = {}
    current = kernel
    for definition in _innermost_first(kernel, name, definitions, reaching):
        # A definition that uses an earlier one calls its rule.
        if definition.id in uses:
            source = reaching[definition.id]
            current = _use_rule(kernel, current, name, definition.id, kernel.statement_by_id[source], rules[source])
        rule = _rule_of(current, current.statement_by_id[definition.id], name, extra)
        rules[definition.id] = rule
        current = replace(current, rules=(*current.rules, rule))
    for use in uses:
        if use not in rules:
            source = reaching[use]
            current = _use_rule(kernel, current, name, use, kernel.statement_by_id[source], rules[source])
    return drop_uncalled(_without_definitions(current, name, definitions))


def _innermost_first(
    kernel: Kernel, name: str, definitions: list[Statement], reaching: dict[str, str]
) -> list[Statement]:
    """Definitions in an order in which each comes after the one it uses."""
    ordered: list[Statement] = []
    waiting = list(definitions)
    while waiting:
        ready = [s for s in waiting if all(reaching.get(s.id) != other.id for other in waiting)]
        if not ready:
            raise StepError(
                "FCL262",
                f"the assignments of '{name}' need each other's values, so they are no rules",
                argument="lhs_name",
            )
        ordered.extend(ready)
        waiting = [s for s in waiting if s not in ready]
    return ordered


def _rule_of(kernel: Kernel, definition: Statement, name: str, extra: tuple[str, ...]) -> Rule:
    target = definition.target
    indices = target.indices if isinstance(target, Subscript) else ()
    names = [index.name for index in indices if isinstance(index, Var) and index.name in definition.inames]
    if len(set(names)) != len(indices):
        raise StepError(
            "FCL262",
            f"the subscripts of '{name}' on the left-hand side are not distinct loop variables",
            argument="lhs_name",
        )
    declared = kernel.declaration(name).type
    body = definition.value
    if type_of(body, kernel) != declared:
        body = Convert(declared, body)
    return Rule(kernel.fresh_name(f"{name}_subst"), (*names, *(e for e in extra if e not in names)), body)


def _use_rule(original: Kernel, current: Kernel, name: str, use: str, definition: Statement, rule: Rule) -> Kernel:
    """Calls in one statement, proved: the rule reads at the use what the assignment read before."""
    statement = original.statement_by_id[use]
    if not set(definition.guards) <= set(statement.guards):
        raise StepError(
            "FCL262", f"'{name}' is assigned under a condition that its use does not share", argument="lhs_name"
        )
    if any(other == name for other, _ in references(rule.body, current)):
        raise StepError(
            "FCL262",
            f"an assignment of '{name}' that reads it has to become a rule with its uses",
            argument="within",
            hints=("let within= hold that assignment too",),
        )
    for access in (a for a in accesses_of(original, name) if a.statement == use and not a.is_write):
        _prove_use(original, current, name, statement, definition, rule, access.indices)

    def call(node: Expr) -> Expr | None:
        if isinstance(node, Subscript) and node.array == name:
            extra = tuple(Var(p) for p in rule.parameters[len(node.indices) :])
            return RuleCall(rule.name, (*node.indices, *extra))
        if isinstance(node, Var) and node.name == name:
            return RuleCall(rule.name, tuple(Var(p) for p in rule.parameters))
        return None

    # What the statement itself assigns is no use.
    target = current.statement_by_id[use].target
    aside: Var | Subscript = target
    if statement.target_name == name:
        aside = Subscript("$target", target.indices) if isinstance(target, Subscript) else Var("$target")
    current = current.with_statements({use: replace(current.statement_by_id[use], target=aside)})
    changed = rewrite_statements(current, [use], lambda expr: transform(expr, call), keep_rules=True)
    own = changed.statement_by_id[use]
    if statement.target_name == name:
        restored = Subscript(name, own.target.indices) if isinstance(own.target, Subscript) else Var(name)
        changed = changed.with_statements({use: replace(own, target=restored)})
    return changed


def _prove_use(
    kernel: Kernel,
    current: Kernel,
    name: str,
    use: Statement,
    definition: Statement,
    rule: Rule,
    indices: tuple[Expr, ...],
) -> None:
    bound = dict(zip(rule.parameters, indices, strict=False))
    body = expand_rules(substitute(rule.body, bound), current)
    free = scalar_names(body) & frozenset(kernel.iname_by_name)
    if not free <= set(use.inames):
        missing = ", ".join(sorted(free - set(use.inames)))
        raise StepError("FCL262", f"a use of '{name}' runs outside loop {missing}", argument="lhs_name")
    affs = dict(zip(rule.parameters, index_affs(kernel, indices, (), prime=False), strict=False))
    path, loops = kernel.paths[definition.id]
    # Within a loop that owns the variable, each iteration reads its own value; of other loops only a subscript tells
    # which iteration assigned it, and that need not be the iteration of the use.
    owners = set(kernel.temporary_by_name[name].private_to) & set(use.inames)
    for loop in definition.inames:
        known = affs[loop] is not None if loop in affs else loop in owners
        if not known and (loop in affs or loop in scalar_names(expand_rules(rule.body, current))):
            raise StepError(
                "FCL262",
                f"a use of '{name}' does not tell which iteration of loop '{loop}' assigned it",
                argument="lhs_name",
            )
    values: list[AffLike] = []
    for loop in loops:
        value = affs.get(loop, loop if loop in owners else None)
        if value is None:
            break
        values.append(value)
    use_path, use_loops = kernel.paths[use.id]
    require_unchanged(
        kernel,
        reads_of(body, kernel),
        use.domain,
        Moment(path, tuple(values)),
        Moment(use_path, use_loops),
        argument="lhs_name",
        what=f"making '{name}' a rule",
    )


def _without_definitions(kernel: Kernel, name: str, definitions: list[Statement]) -> Kernel:
    """Assignments go where nothing reads the variable any more."""
    if any(not access.is_write for access in accesses_of(kernel, name)):
        return kernel
    gone = {definition.id for definition in definitions}

    def change(node: Node) -> tuple[Node, ...] | None:
        return () if isinstance(node, Run) and node.statement in gone else None

    return replace(
        kernel,
        statements=tuple(s for s in kernel.statements if s.id not in gone),
        temporaries=tuple(t for t in kernel.temporaries if t.name != name),
        tree=rebuild(kernel.tree, change),
    )


def find_rules(kernel: Kernel, pattern: str) -> tuple[str, ...]:
    """Names of rules that a glob means, case-blind."""
    from fnmatch import fnmatchcase

    return tuple(rule.name for rule in kernel.rules if fnmatchcase(rule.name.lower(), pattern.lower()))


def require_rule(kernel: Kernel, name: str, argument: str) -> Rule:
    """A rule by name. Errors: FCL268."""
    found = find_rule(kernel, name.strip())
    if found is None:
        raise StepError(
            "FCL268",
            f"no rule named '{name.strip()}' in kernel '{kernel.name}'",
            argument=argument,
            value=name.strip(),
            notes=(f"its rules are {', '.join(kernel.rule_by_name)}",) if kernel.rules else (),
            hints=did_you_mean(name, kernel.rule_by_name) or ("lp.extract_subst makes one",),
        )
    return kernel.rule_by_name[found]


def calls_in(expr: Expr, rule: str) -> tuple[RuleCall, ...]:
    """Calls of one rule in an expression."""
    return tuple(node for node in walk(expr) if isinstance(node, RuleCall) and node.rule == rule)


__all__ = [
    "assignment_to_subst",
    "calls_in",
    "expand_only",
    "expand_subst",
    "extract_subst",
    "find_rules",
    "require_rule",
    "unify",
]
