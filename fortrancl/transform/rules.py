"""Rules under change: copies for the statements that a step touches, and no rule that nobody calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from fortrancl.ir.expr import Expr, RuleCall, Var, rule_names, scalar_names, substitute, transform
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Kernel, Rule, Statement

_COPY = re.compile(r"^(.*_(?:subst|rule))(?:_\d+)+$")


def rewrite_statements(
    kernel: Kernel, statements: Iterable[str], change: Callable[[Expr], Expr], *, keep_rules: bool = False
) -> Kernel:
    """Apply ``change`` to chosen statements and to the rules that they call; called rules that change become copies,
    so that other statements keep theirs (design 4.1). Copies with equal parameters and body are one rule. Rules that
    nobody calls go, unless ``keep_rules`` says that calls are still to come; the last copy of a rule has its name."""
    chosen = set(statements)
    rules = list(kernel.rules)
    renamed: dict[str, str] = {}

    def in_expression(expr: Expr) -> Expr:
        return change(transform(expr, redirect))

    def in_body(rule: Rule) -> Rule:
        # A parameter is no iname, even where both have one name: it gets another where the change brings that iname in.
        hidden: dict[str, Expr] = {name: Var(f"${name}") for name in rule.parameters}
        body = in_expression(substitute(rule.body, hidden))
        free = scalar_names(body)
        parameters = tuple(kernel.fresh_name(f"{name}_", free) if name in free else name for name in rule.parameters)
        shown: dict[str, Expr] = {f"${old}": Var(new) for old, new in zip(rule.parameters, parameters, strict=True)}
        return Rule(rule.name, parameters, substitute(body, shown))

    def redirect(node: Expr) -> Expr | None:
        if not isinstance(node, RuleCall):
            return None
        name = copy_of(node.rule)
        return None if name == node.rule else RuleCall(name, node.arguments)

    def copy_of(name: str) -> str:
        if name not in renamed:
            rule = next((rule for rule in rules if rule.name == name), None)
            if rule is None:
                renamed[name] = name
                return name
            new = in_body(rule)
            if new.body == rule.body:
                renamed[name] = name
            else:
                twin = next((r for r in rules if r.parameters == new.parameters and r.body == new.body), None)
                if twin is None:
                    # Copies of copies do not pile numbers up.
                    base = _COPY.sub(r"\1", name)
                    twin = replace(new, name=replace(kernel, rules=tuple(rules)).fresh_name(base))
                    rules.append(twin)
                renamed[name] = twin.name
        return renamed[name]

    changed = {s.id: map_expressions(s, in_expression) for s in kernel.statements if s.id in chosen}
    rewritten = replace(kernel.with_statements(changed), rules=tuple(rules))
    return rewritten if keep_rules else _with_own_names(kernel, drop_uncalled(rewritten), renamed)


def _with_own_names(before: Kernel, after: Kernel, renamed: dict[str, str]) -> Kernel:
    """A copy that is all that is left of a rule takes its name: scripts know the rule by it."""
    live, known = set(after.rule_by_name), set(before.rule_by_name)
    back = {copy: name for name, copy in renamed.items() if copy in live - known and name not in live}
    if not back:
        return after

    def called(node: Expr) -> Expr | None:
        return RuleCall(back[node.rule], node.arguments) if isinstance(node, RuleCall) and node.rule in back else None

    def change(expr: Expr) -> Expr:
        return transform(expr, called)

    return replace(
        after,
        statements=tuple(map_expressions(statement, change) for statement in after.statements),
        rules=tuple(Rule(back.get(r.name, r.name), r.parameters, change(r.body)) for r in after.rules),
    )


def drop_uncalled(kernel: Kernel) -> Kernel:
    """The kernel without rules that no statement reaches."""
    live: set[str] = set()
    waiting = [name for statement in kernel.statements for name in statement_rules(statement)]
    while waiting:
        name = waiting.pop()
        if name not in live and name in kernel.rule_by_name:
            live.add(name)
            waiting.extend(rule_names(kernel.rule_by_name[name].body))
    return replace(kernel, rules=tuple(rule for rule in kernel.rules if rule.name in live))


def statement_rules(statement: Statement) -> frozenset[str]:
    """Rules that a statement calls directly."""
    parts: list[Expr] = [statement.target, statement.value]
    parts.extend(index for guard in statement.guards for index in guard.indices)
    return frozenset(name for part in parts for name in rule_names(part))


def expand_only(expr: Expr, kernel: Kernel, names: frozenset[str]) -> Expr:
    """Calls of the named rules replaced by their bodies; other calls stay."""

    def expand(node: Expr) -> Expr | None:
        if isinstance(node, RuleCall) and node.rule in names:
            rule = kernel.rule_by_name[node.rule]
            body = substitute(rule.body, dict(zip(rule.parameters, node.arguments, strict=True)))
            return expand_only(body, kernel, names)
        return None

    return transform(expr, expand)


def callers(kernel: Kernel, name: str) -> frozenset[str]:
    """Rules that call a rule, directly or through others."""
    found: set[str] = set()
    changed = True
    while changed:
        changed = False
        for rule in kernel.rules:
            called = rule_names(rule.body)
            if rule.name not in found and (name in called or called & found):
                found.add(rule.name)
                changed = True
    return frozenset(found)
