"""Steps on loops and their order: what the tree becomes, and what is refused."""

from __future__ import annotations

import pytest

from fortrancl.analysis.privatise import privatise
from fortrancl.diagnostics import StepError
from fortrancl.ir.build import build_kernel
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.pretty import dump_tree
from fortrancl.ir.text import expr_text, parse_expression
from fortrancl.ir.verify import verify
from fortrancl.transform import TRANSFORMATIONS as lp


def tree(kernel: Kernel) -> list[str]:
    verify(kernel)
    return dump_tree(kernel).splitlines()


def refusal(step: str, *arguments: object, **options: object) -> StepError:
    with pytest.raises(StepError) as refused:
        lp[step](*arguments, **options)
    return refused.value


def fill(loops: dict[str, str] | None = None) -> Kernel:
    return build_kernel("k", "n; x(n,n)", [("x[i,j]", "i + j", loops or {"j": "n", "i": "n"})])


# -- split ------------------------------------------------------------------------------------------------------
def test_split_guards_the_remainder_and_keeps_the_order():
    assert tree(lp["split_iname"](fill(), "I", 16)) == [
        "for j = 0 .. n - 1",
        "  for i_outer = 0 .. (n - 1)/16",
        "    for i_inner = 0 .. min(15, n - 16*i_outer - 1)",
        "      s0: x[i_inner + 16*i_outer, j] = i_inner + 16*i_outer + j",
    ]


def test_split_names_avoid_clashes():
    kernel = build_kernel("k", "n; x(n); i_outer", [("x[i]", "i_outer", {"i": "n"})])
    kernel = lp["split_iname"](kernel, "i", 4)
    assert [iname.name for iname in kernel.inames] == ["i_outer_0", "i_inner"]


def test_split_takes_names_and_tags():
    kernel = lp["split_iname"](fill(), "i", 8, outer_iname="io", inner_iname="ii", outer_tag="g.0", inner_tag="l.0")
    assert {iname.name: str(iname.tag) for iname in kernel.inames} == {"j": "None", "io": "g.0", "ii": "l.0"}


def test_what_was_split_keeps_its_meaning_in_strings():
    kernel = lp["split_iname"](fill(), "i", 4)
    kernel = lp["split_iname"](kernel, "i_outer", 2)
    assert expr_text(parse_expression("x[i,j]", kernel)) == "x[i_inner + 4*(i_outer_inner + 2*i_outer_outer), j]"
    kernel = lp["rename_iname"](kernel, "i_outer_outer", "far")
    assert expr_text(parse_expression("i", kernel)) == "i_inner + 4*(i_outer_inner + 2*far)"


def test_a_split_loop_owns_its_locals_in_both_parts():
    kernel = build_kernel("k", "n; x(n); temp t", [("t", "x[i]", {"i": "n"}), ("x[i]", "t", {"i": "n"})])
    kernel = lp["split_iname"](privatise(kernel), "i", 4)
    assert kernel.temporary_by_name["t"].private_to == ("i_outer", "i_inner")


def test_split_rewrites_rules():
    kernel = lp["extract_subst"](build_kernel("k", "n; x(n); y(n)", [("y[i]", "x[i]", {"i": "n"})]), "r", "x[i]")
    kernel = lp["split_iname"](kernel, "i", 4)
    assert expr_text(kernel.rule_by_name["r"].body) == "x[i_inner + 4*i_outer]"


@pytest.mark.parametrize(
    ("arguments", "options", "code", "argument"),
    [
        (("k", 4), {}, "FCL251", "split_iname"),
        (("i", 0), {}, "FCL252", "inner_length"),
        (("i", 4), {"slabs": (0, 1)}, "FCL252", "slabs"),
        (("i", 4), {"outer_iname": "j"}, "FCL252", "outer_iname"),
        (("i", 4), {"inner_iname": "2x"}, "FCL252", "inner_iname"),
        (("i", 4), {"within": "writes:y"}, "FCL252", "within"),
        (("i", 4), {"inner_tag": "l.9"}, "FCL255", "inner_tag"),
    ],
)
def test_split_refuses(arguments, options, code, argument):
    error = refusal("split_iname", fill(), *arguments, **options)
    assert (error.code, error.argument) == (code, argument)


def test_a_tagged_loop_is_not_split():
    assert refusal("split_iname", lp["tag_inames"](fill(), {"i": "g.0"}), "i", 4).code == "FCL254"


# -- join -------------------------------------------------------------------------------------------------------
def test_join_runs_through_both_in_order():
    kernel = build_kernel("k", "n; x(8,n)", [("x[i,j]", "0", {"j": "n", "i": "8"})])
    kernel = lp["join_inames"](kernel, ["j", "i"])
    assert tree(kernel) == [
        "for j_and_i = 0 .. 8*n - 1",
        "  s0: x[floormod(j_and_i, 8), floordiv(j_and_i, 8)] = 0",
    ]
    assert expr_text(parse_expression("i + j", kernel)) == "floormod(j_and_i, 8) + floordiv(j_and_i, 8)"


def test_join_needs_constant_inner_lengths_and_a_nest():
    assert refusal("join_inames", fill(), "j, i").code == "FCL257"
    kernel = build_kernel("k", "n; x(8); y(8,8)", [("x[j]", "0", {"j": "8"}), ("y[i,j]", "1", {"j": "8", "i": "8"})])
    assert refusal("join_inames", kernel, "j, i").code == "FCL257"
    assert refusal("join_inames", kernel, "j").code == "FCL252"


# -- tags -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"i*": "g.0"}, {"j": "None", "i": "g.0"}),
        ({"I": "G.0", "J": "L.1"}, {"j": "l.1", "i": "g.0"}),
        ("i:g.0, j:l.0", {"j": "l.0", "i": "g.0"}),
        ([("i", "unr"), ("j", "ord")], {"j": "for", "i": "unr"}),
        ({"i": "l.auto", "j": None}, {"j": "None", "i": "l.auto"}),
        ({"*": "unr"}, {"j": "unr", "i": "unr"}),
    ],
)
def test_tags(tags, expected):
    kernel = lp["tag_inames"](fill(), tags)
    verify(kernel)
    assert {iname.name: str(iname.tag) for iname in kernel.inames} == expected


def test_lanes_leave_the_tree_and_auto_stays():
    assert tree(lp["tag_inames"](fill(), {"j": "g.0", "i": "l.auto"})) == [
        "lanes: j (g.0) = 0 .. n - 1",
        "for i = 0 .. n - 1  (l.auto)",
        "  s0: x[i, j] = i + j",
    ]


@pytest.mark.parametrize(
    ("tags", "code"),
    [({"z": "g.0"}, "FCL251"), ({"i": "q"}, "FCL255"), ({"i": "g.0", "j": "g.0"}, "FCL256"), ([("i",)], "FCL252")],
)
def test_tags_refuse(tags, code):
    assert refusal("tag_inames", fill(), tags).code == code


def test_unknown_loops_may_be_passed_over():
    assert (
        lp["tag_inames"](fill(), {"z": "g.0", "i": "g.0"}, ignore_nonexistent=True).iname_by_name["i"].tag is not None
    )


def test_soft_tags_are_replaced_and_lanes_are_not():
    kernel = lp["tag_inames"](lp["tag_inames"](fill(), {"i": "l.auto"}), {"i": "l.0"})
    assert str(kernel.iname_by_name["i"].tag) == "l.0"
    assert lp["tag_inames"](kernel, {"i": "l.0"}) == kernel
    assert refusal("tag_inames", kernel, {"i": "g.0"}).code == "FCL254"


def test_untag_puts_the_loop_back_round_its_statements():
    kernel = build_kernel("k", "n; x(n,n); y(n)", [("x[i,j]", "0", {"j": "n", "i": "n"}), ("y[j]", "1", {"j": "n"})])
    lanes = lp["tag_inames"](kernel, {"i": "l.0"})
    assert tree(lp["untag_inames"](lanes, "i")) == tree(kernel)
    assert lp["untag_inames"](lp["tag_inames"](kernel, {"i": "unr"}), "i").iname_by_name["i"].tag is None


def test_untag_refuses_a_stranger_in_between():
    kernel = build_kernel(
        "k", "n; x(n); y(n); s", [("x[i]", "0", {"i": "n"}), ("y[0]", "1", {}), ("y[i]", "2", {"i": "n"})]
    )
    kernel = lp["tag_inames"](kernel, {"i": "l.0"})
    assert refusal("untag_inames", kernel, "i").code == "FCL257"


# -- order ------------------------------------------------------------------------------------------------------
def test_priorities_permute_only_the_named_loops():
    kernel = build_kernel("k", "n; x(n,n,n)", [("x[i,j,k]", "0", {"i": "n", "j": "n", "k": "n"})])
    assert [line.split()[1] for line in tree(lp["prioritize_loops"](kernel, "k,i"))[:3]] == ["k", "j", "i"]
    assert lp["set_loop_priority"](kernel, ["i", "k"]).tree == kernel.tree


def imperfect() -> Kernel:
    return build_kernel(
        "k",
        "n; x(n); y(n,n)",
        [("x[j]", "0", {"j": "n"}), ("x[j]", "x[j] + y[i,j]", {"j": "n", "i": "n"})],
    )


def test_an_order_that_holds_already_distributes_nothing():
    assert lp["prioritize_loops"](imperfect(), "j, i").tree == imperfect().tree


def test_an_imperfect_nest_is_distributed_before_it_is_permuted():
    assert tree(lp["prioritize_loops"](imperfect(), "i, j")) == [
        "for j = 0 .. n - 1",
        "  s0: x[j] = 0",
        "for i = 0 .. n - 1",
        "  for j = 0 .. n - 1",
        "    s1: x[j] = x[j] + y[i, j]",
    ]


def test_triangular_loops_are_interchanged():
    kernel = build_kernel("k", "n; x(n,n)", [("x[i,j]", "0", {"j": "n", "i": "j+1"})])
    assert tree(lp["prioritize_loops"](kernel, "i, j"))[:2] == ["for i = 0 .. n - 1", "  for j = i .. n - 1"]


def test_an_interchange_that_turns_a_dependence_is_refused():
    kernel = build_kernel("k", "n; x(n,n)", [("x[i,j+1]", "x[i+1,j]", {"j": "n-1", "i": "n-1"})])
    error = refusal("prioritize_loops", kernel, "i, j")
    assert (error.code, error.argument) == ("FCL301", "loop_priority")


# -- distribution -----------------------------------------------------------------------------------------------
def two(first: str, second: str, more: str = "") -> Kernel:
    return build_kernel(
        "k", f"n; x(n+1); y(n+1){more}", [(*first.split(" = "), {"i": "n"}), (*second.split(" = "), {"i": "n"})]
    )


def test_renaming_everywhere_renames_in_place():
    kernel = lp["rename_iname"](two("x[i] = 1", "y[i] = 2"), "i", "p")
    assert tree(kernel) == ["for p = 0 .. n - 1", "  s0: x[p] = 1", "  s1: y[p] = 2"]
    assert expr_text(parse_expression("i", kernel)) == "p"


def test_a_loop_of_its_own_comes_first_where_it_may():
    kernel = lp["rename_iname"](two("x[i] = 1", "y[i] = 2"), "i", "p", within="writes:y")
    assert tree(kernel) == ["for p = 0 .. n - 1", "  s1: y[p] = 2", "for i = 0 .. n - 1", "  s0: x[i] = 1"]


def test_a_loop_of_its_own_comes_after_where_it_must():
    kernel = lp["rename_iname"](two("x[i] = 1", "y[i] = x[i]"), "i", "p", within="writes:y")
    assert tree(kernel) == ["for i = 0 .. n - 1", "  s0: x[i] = 1", "for p = 0 .. n - 1", "  s1: y[p] = x[p]"]


def test_distribution_both_ways_wrong_is_refused():
    kernel = two("x[i] = y[i]", "y[i+1] = x[i]")
    error = refusal("rename_iname", kernel, "i", "p", within="writes:y")
    assert (error.code, error.argument) == ("FCL301", "within")


def test_statements_join_a_sibling_of_that_name():
    kernel = lp["rename_iname"](two("x[i] = 1", "y[i] = 2"), "i", "p", within="writes:y")
    joined = lp["rename_iname"](kernel, "i", "p", existing_ok=True, within="writes:x")
    assert tree(joined) == ["for p = 0 .. n - 1", "  s1: y[p] = 2", "  s0: x[p] = 1"]
    apart = lp["rename_iname"](kernel, "i", "p", existing_ok=True)
    assert tree(apart) == ["for p = 0 .. n - 1", "  s1: y[p] = 2", "for p = 0 .. n - 1", "  s0: x[p] = 1"]


def test_a_taken_name_needs_consent_and_equal_bounds():
    kernel = build_kernel("k", "n; x(n+1); y(n+1)", [("x[i]", "1", {"i": "n"}), ("y[j]", "2", {"j": "n+1"})])
    assert refusal("rename_iname", kernel, "i", "j").code == "FCL252"
    assert "bounds" in refusal("rename_iname", kernel, "i", "j", existing_ok=True).message
    assert refusal("rename_iname", kernel, "i", "x").code == "FCL252"


def test_duplicates_get_the_suffix_or_a_free_name():
    kernel = two("x[i] = 1", "y[i] = 2")
    assert "i_0" in lp["duplicate_inames"](kernel, "i", "writes:y").iname_by_name
    kernel = lp["duplicate_inames"](kernel, "i", "writes:y", suffix="_y", tags={"i": "unr"})
    assert str(kernel.iname_by_name["i_y"].tag) == "unr"
    assert refusal("duplicate_inames", kernel, "i", "writes:z").code == "FCL261"
    assert refusal("duplicate_inames", kernel, "i", "writes:x", new_inames="a,b").code == "FCL252"


def test_rules_of_moved_statements_become_copies():
    kernel = build_kernel("k", "n; x(n); y(n); z(n)", [("y[i]", "x[i]", {"i": "n"}), ("z[i]", "x[i]", {"i": "n"})])
    kernel = lp["extract_subst"](kernel, "r", "x[i]")
    kernel = lp["duplicate_inames"](kernel, "i", "writes:z", new_inames="p")
    assert {rule.name: expr_text(rule.body) for rule in kernel.rules} == {"r": "x[i]", "r_0": "x[p]"}
    kernel = lp["rename_iname"](kernel, "i", "p", existing_ok=True)
    assert [expr_text(rule.body) for rule in kernel.rules] == ["x[p]"]


def test_a_parameter_is_no_iname():
    kernel = lp["extract_subst"](two("x[i] = 1", "y[i] = x[i]"), "r", "x[i]", parameters="i")
    kernel = lp["rename_iname"](kernel, "i", "p")
    assert [(rule.parameters, expr_text(rule.body)) for rule in kernel.rules] == [(("i",), "x[i]")]
    verify(kernel)
