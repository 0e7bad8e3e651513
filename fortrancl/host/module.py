"""``--emit module``: a module ``<module>_cl`` whose procedures launch and can report a status, for new callers.

The user's file stays as it is: the wrapper calls its procedure where the launcher asks for the body. So it can only
wrap what another module may use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fortrancl.host.compiled import heading_span, refusal
from fortrancl.host.face import Face
from fortrancl.host.fortran import Statement, after_call, after_interface, fortran_lines, interface, launch_call
from fortrancl.host.made import body_names, calls_of_parts, declarations, dummy_arguments, kinds_needed

_OWN_NAMES = ("stat", "errmsg", "present", "len", "int")


def module_file(faces: Sequence[Face]) -> str:
    """Free-form text: one module for each module of the input that has compiled procedures.

    Raises FCL604 for what no other module can call: externals, private and generic ones, functions.
    """
    by_module: dict[str, list[Face]] = {}
    for face in faces:
        by_module.setdefault(_module_of(face), []).append(face)
    parts = ["\n".join(_module_lines(name, members)) for name, members in by_module.items()]
    return "\n\n".join(parts) + "\n" if parts else ""


def _module_of(face: Face) -> str:
    procedure = face.compiled.procedure
    problem = None
    if procedure.module is None:
        problem = "is in no module"
    elif not procedure.is_public:
        problem = "is private"
    elif procedure.is_generic_or_bound:
        problem = "is called by a generic name or through a type"
    elif procedure.kind == "function":
        problem = "is a function"
    elif taken := [d.name for d in procedure.dummies if d.name.lower() in _OWN_NAMES or d.name.lower()[:4] == "fcl_"]:
        problem = f"has a dummy argument '{taken[0]}', a name that the new procedure needs"
    if problem is not None or procedure.module is None:
        raise refusal(
            "FCL604",
            f"--emit module cannot wrap '{procedure.name}': it {problem}",
            heading_span(procedure),
            hints=("leave --emit out: in place, every call keeps its meaning",),
        )
    return procedure.module


def _module_lines(module: str, faces: Sequence[Face]) -> Iterator[str]:
    name = f"{module}_cl" if len(module) <= 60 else f"{module[:60]}_cl"
    public = ", ".join(face.compiled.procedure.name for face in faces)
    yield f"! Written by fortrancl: launching counterparts of module {module}. It carries no licence obligations."
    head = [Statement(0, f"module {name}"), Statement(1, "implicit none"), Statement(1, "private")]
    yield from fortran_lines([*head, Statement(1, f"public :: {public}")], "free")
    yield ""
    yield "contains"
    for face in faces:
        yield ""
        yield from fortran_lines(_wrapper(module, face), "free")
    yield ""
    yield f"end module {name}"


def _wrapper(module: str, face: Face) -> Iterator[Statement]:
    procedure = face.compiled.procedure
    arguments = dummy_arguments(procedure)
    names = [argument.name for argument in arguments]
    bodies = body_names(procedure, names)
    yield Statement(1, "! Failures come back in stat (0: none, else the number of the FCL code) where it is given.")
    yield Statement(1, f"subroutine {procedure.name}({', '.join([*names, 'stat', 'errmsg'])})")
    yield Statement(2, f"use, intrinsic :: iso_c_binding, only: {kinds_needed(arguments)}")
    renamed = ", ".join(f"{body} => {name}" for name, body in bodies.items())
    yield Statement(2, f"use {module}, only: {renamed}")
    yield from (Statement(2, text) for text in declarations(arguments))
    yield Statement(2, "integer, intent(out), optional :: stat")
    yield Statement(2, "character(*), intent(inout), optional :: errmsg")
    yield from _launch(face)
    yield from (Statement(2, text) for text in calls_of_parts(procedure, bodies))
    yield from _compare(face)
    yield Statement(1, f"end subroutine {procedure.name}")


def _launch(face: Face) -> Iterator[Statement]:
    call = launch_call(face)
    yield Statement(2, "block")
    yield from (Statement(3, use) for use in call.uses)
    yield Statement(3, "use, intrinsic :: iso_c_binding, only: fcl_c_int => c_int, fcl_c_char => c_char")
    yield Statement(3, "use, intrinsic :: iso_c_binding, only: fcl_c_long => c_int64_t")
    yield Statement(3, "interface")
    yield from interface(face, 4)
    yield from _status_interfaces()
    yield Statement(3, "end interface")
    yield from (Statement(3, text) for text in call.declarations)
    yield Statement(3, "integer(fcl_c_int) :: fcl_status")
    yield Statement(3, "character(1024, fcl_c_char) :: fcl_text")
    yield Statement(3, "if (present(stat)) call fcl_catch_errors()")
    yield from (Statement(3, text) for text in (*call.before, call.call, *call.after))
    yield Statement(3, "if (present(stat)) then")
    yield Statement(4, "fcl_status = fcl_caught_error(fcl_text, 1024_fcl_c_long)")
    yield Statement(4, "stat = int(fcl_status)")
    yield Statement(4, "if (fcl_status /= 0 .and. present(errmsg)) errmsg = fcl_text")
    yield Statement(4, "if (fcl_status /= 0) return")
    yield Statement(3, "end if")
    yield Statement(3, f"if ({call.todo} == 0) return")
    yield Statement(2, "end block")


def _status_interfaces() -> Iterator[Statement]:
    yield Statement(4, 'subroutine fcl_catch_errors() bind(c, name="fcl_catch_errors")')
    yield Statement(4, "end subroutine fcl_catch_errors")
    yield Statement(4, 'function fcl_caught_error(text, length) bind(c, name="fcl_caught_error") result(code)')
    yield Statement(5, "use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t")
    yield Statement(5, "character(kind=c_char), intent(out) :: text(*)")
    yield Statement(5, "integer(c_int64_t), value :: length")
    yield Statement(5, "integer(c_int) :: code")
    yield Statement(4, "end function fcl_caught_error")


def _compare(face: Face) -> Iterator[Statement]:
    if not face.results:
        return
    call = after_call(face)
    yield Statement(2, "block")
    yield from (Statement(3, use) for use in call.uses)
    yield Statement(3, "interface")
    yield from after_interface(face, 4)
    yield Statement(3, "end interface")
    yield from (Statement(3, text) for text in (*call.declarations, *call.before, call.call))
    yield Statement(2, "end block")
