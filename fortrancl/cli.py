"""The command line: options in, results to stdout, diagnostics to stderr. Heavy rooms are imported when needed."""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from fortrancl.version import VERSION

if TYPE_CHECKING:
    from fortrancl.diagnostics import Diagnostic
    from fortrancl.driver import Compilation, Request

_FORMATS = click.Choice(["text", "json", "sarif"])
# A file that cannot be read is told by what reads it (FCL101), not by click as wrong usage.
_PATH = click.Path(readable=False)
_OK, _DIAGNOSTICS, _USAGE, _INTERNAL = 0, 1, 2, 70


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, "--version", message="fortrancl %(version)s")
def main() -> None:
    """Fortran with a !$loopy script in; OpenCL kernels, a C launcher and the same Fortran, launching them, out."""


def _input_options(command: Callable[..., None]) -> Callable[..., None]:
    options = [
        click.argument("files", nargs=-1, required=True, type=_PATH),
        click.option("--kernel", "kernels", multiple=True, metavar="NAME", help="Compile only this procedure."),
        click.option("--transform", metavar="SCRIPT", type=_PATH, help="A script in a file of its own."),
        click.option("--set", "variables", multiple=True, metavar="NAME=VALUE", help="Set a variable of the script."),
        click.option("-D", "defines", multiple=True, metavar="NAME[=V]", help="Define a preprocessor name."),
        click.option(
            "-I", "include_dirs", multiple=True, metavar="DIR", help="Search included files and modules here."
        ),
        click.option("--emit", type=click.Choice(["inplace", "module", "c"]), default="inplace", show_default=True),
        click.option("--target", type=click.Choice(["opencl", "opencl-nvidia"]), default="opencl", show_default=True),
        click.option("--prefix", default="", metavar="P", help="Put P into every C name."),
        click.option("--error-format", type=_FORMATS, default="text", show_default=True),
        click.option("-Werror", "warnings_are_errors", is_flag=True, help="Warnings are errors."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@main.command("compile")
@_input_options
@click.option("-o", "--output-dir", default=".", metavar="DIR", show_default=True, help="Where the files go.")
@click.option(
    "--depfile", "-MF", "depfile", metavar="FILE", help="Write what the outputs depend on, for make and ninja."
)
def compile_command(output_dir: str, depfile: str | None, **options: Any) -> None:
    """Compile FILES: for foo.f90, DIR/foo.f90, DIR/foo_fcl.c and DIR/foo.cl."""
    _guarded(options, lambda say: _compile(options, output_dir, depfile, say))


@main.command("check")
@_input_options
def check_command(**options: Any) -> None:
    """Do all that compile does, but write nothing."""
    _guarded(options, lambda say: _compile(options, None, None, say))


@main.command("show")
@_input_options
@click.option(
    "--stage", "what", type=click.Choice(["kernel", "steps", "schedule", "opencl"]), default="kernel", show_default=True
)
def show_command(what: str, **options: Any) -> None:
    """Print a stage of the compilation of FILES."""
    _guarded(options, lambda say: _show(options, what, say))


@main.command("config")
@click.option("--cflags", is_flag=True, help="Options for compiling generated C.")
@click.option("--libs", is_flag=True, help="Libraries to link.")
@click.option("--runtime-source", is_flag=True, help="The run-time library's C file.")
@click.option("--version", "version", is_flag=True, help="The version alone.")
def config_command(cflags: bool, libs: bool, runtime_source: bool, version: bool) -> None:
    """Print what a build needs to know."""
    parts = []
    if version:
        parts.append(VERSION)
    if runtime_source:
        parts.append(str(_runtime() / "fortrancl_rt.c"))
    if cflags:
        parts.append(f"-I{_runtime()}")
    if libs:
        parts.append("-lOpenCL -lpthread -lm")
    if not parts:
        raise click.UsageError("say one of --cflags, --libs, --runtime-source, --version")
    click.echo(" ".join(parts))


def _runtime() -> Any:
    from pathlib import Path

    return Path(__file__).parent / "host" / "runtime"


@main.command("devices")
@click.option("--env", is_flag=True, help="Print shell commands that make the embedded PoCL visible.")
def devices_command(env: bool) -> None:
    """List the OpenCL devices that a program would find."""
    from fortrancl import devices

    if env:
        click.echo(devices.shell_exports())
        return
    try:
        found = devices.list_devices()
    except devices.OpenCLMissing as missing:
        click.echo(str(missing), err=True)
        sys.exit(_DIAGNOSTICS)
    if not found:
        click.echo('no OpenCL device; eval "$(fortrancl devices --env)" makes the embedded PoCL visible', err=True)
        sys.exit(_DIAGNOSTICS)
    click.echo(devices.format_devices(found))


@main.command("explain")
@click.argument("code", required=False)
def explain_command(code: str | None) -> None:
    """Say what a diagnostic code means and what to do; without CODE, list all."""
    from fortrancl.codes import CODES

    if code is None:
        for entry in CODES.values():
            click.echo(f"{entry.code}  {entry.title}")
        return
    wanted = code.upper() if code.upper().startswith("FCL") else f"FCL{code}"
    found = CODES.get(wanted)
    if found is None:
        raise click.UsageError(f"there is no code {code!r}; 'fortrancl explain' lists them")
    click.echo(f"{found.code}: {found.title}\n\n{found.explanation}")
    if found.example:
        click.echo("\nExample:\n\n" + "\n".join(f"    {line}" for line in found.example.rstrip().splitlines()))


def _guarded(options: dict[str, Any], action: Callable[[list[Diagnostic]], None]) -> None:
    """Run a command; print its messages; exit with the code that fits. Nothing but an exit leaves here."""
    messages: list[Diagnostic] = []
    status = _OK
    _require_distinct(options["files"])
    _require_printable(*options["files"])
    if not re.fullmatch(r"[A-Za-z]?\w*", options["prefix"], re.ASCII):
        raise click.UsageError(f"--prefix takes letters, digits and '_', not '{options['prefix']}'")
    from fortrancl.diagnostics import CompileError

    try:
        action(messages)
    except CompileError as error:
        messages.extend(error.diagnostics)
    except click.ClickException:
        raise
    except Exception as error:
        status = _INTERNAL
        messages.append(_internal(error))
    if options["warnings_are_errors"]:
        messages[:] = [_as_error(message) for message in messages]
    if status == _OK and any(message.severity == "error" for message in messages):
        status = _DIAGNOSTICS
    _print(messages, options["error_format"])
    sys.exit(status)


def _require_distinct(files: Sequence[str]) -> None:
    names: dict[str, str] = {}
    for path in files:
        stem = os.path.splitext(os.path.basename(path))[0].lower()
        if stem in names:
            raise click.UsageError(f"'{names[stem]}' and '{path}' would be written to files of one name")
        names[stem] = path


def _require_printable(*paths: str) -> None:
    """Generated files name their input in comments and line markers."""
    for path in paths:
        if not path.isprintable():
            shown = path.encode("ascii", "backslashreplace").decode()
            raise click.UsageError(f"a file name must be text without control characters, not '{shown}'")


def _internal(error: Exception) -> Diagnostic:
    from fortrancl.diagnostics import Diagnostic

    stage = getattr(error, "stage", "command line")
    cause = getattr(error, "cause", error)
    told = next(iter(str(cause).splitlines()), "")
    if os.environ.get("FORTRANCL_DEBUG"):
        import traceback

        traceback.print_exception(cause)
    return Diagnostic(
        "FCL900",
        f"internal error in stage '{stage}': {type(cause).__name__}: {told}",
        notes=("this is a fault of fortrancl; nothing was written",),
        hints=("please report it with the input file; FORTRANCL_DEBUG=1 prints where it happened",),
    )


def _as_error(message: Diagnostic) -> Diagnostic:
    from dataclasses import replace

    return replace(message, severity="error") if message.severity == "warning" else message


def _print(messages: Sequence[Diagnostic], form: Any) -> None:
    if not messages and form != "sarif":
        return
    from fortrancl.render import render

    click.echo(render(messages, form, VERSION), nl=False, err=True)


def _requests(options: dict[str, Any], output_dir: str | None) -> list[Request]:
    from fortrancl.driver import Request
    from fortrancl.frontend import FrontendOptions

    variables = dict(_variable(text) for text in options["variables"])
    for text in options["defines"]:
        if not re.fullmatch(r"[A-Za-z_]\w*(\([\w\s,.]*\))?(=.*)?", text, re.ASCII | re.DOTALL):
            raise click.UsageError(f"-D takes NAME or NAME=VALUE, not {text!r}")
    frontend = FrontendOptions(tuple(options["defines"]), tuple(options["include_dirs"]))
    return [
        Request(
            path,
            tuple(options["kernels"]),
            options["transform"],
            variables,
            frontend,
            options["emit"],
            options["target"],
            options["prefix"],
            None if output_dir is None else _output_names(path, output_dir)[0],
        )
        for path in options["files"]
    ]


def _variable(text: str) -> tuple[str, Any]:
    """``NAME=VALUE``: a Python literal if VALUE is one, else the string."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise click.UsageError(f"--set takes NAME=VALUE, not '{text}'")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            literal = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return name, value
    if not _is_script_value(literal):
        raise click.UsageError(f"--set takes numbers, strings, lists, tuples and dictionaries, not '{text}'")
    return name, literal


def _is_script_value(value: Any) -> bool:
    """What scripts compute with; Python's own sets have no order, and bytes and complex numbers no meaning there."""
    if isinstance(value, dict):
        return all(map(_is_script_value, (*value.keys(), *value.values())))
    if isinstance(value, list | tuple):
        return all(map(_is_script_value, value))
    return value is None or isinstance(value, bool | int | float | str)


def _output_names(path: str, output_dir: str) -> tuple[str, str, str]:
    """The Fortran, C and OpenCL file of an input, spelled as ``-o`` was given."""
    base = os.path.basename(path)
    stem = os.path.splitext(base)[0]
    return tuple(os.path.join(output_dir, name) for name in (base, f"{stem}_fcl.c", f"{stem}.cl"))  # type: ignore[return-value]


def _compile(options: dict[str, Any], output_dir: str | None, depfile: str | None, say: list[Diagnostic]) -> None:
    from fortrancl.diagnostics import CompileError
    from fortrancl.driver import compile_file

    if output_dir is not None:
        _require_own_places(options, output_dir, depfile, options["files"])
    done = []
    problems: list[Diagnostic] = []
    for request in _requests(options, output_dir):
        try:
            done.append(compile_file(request))
        except CompileError as error:
            problems.extend(error.diagnostics)
    messages = [message for result in done for message in result.messages]
    if options["warnings_are_errors"] and any(message.severity == "warning" for message in messages):
        problems = [*(message for message in messages if message.code != "FCL000"), *problems]
    if problems:
        raise CompileError(problems)
    if output_dir is not None:
        _require_own_places(options, output_dir, depfile, [path for result in done for path in result.inputs])
        _write(done, output_dir, depfile)
    # Last, so that nothing is said to be offloaded when its files could not be written.
    say.extend(messages)


def _write(done: Sequence[Compilation], output_dir: str, depfile: str | None) -> None:
    from fortrancl.output import dependency_text, write_all

    texts: dict[str, str] = {}
    for result in done:
        names = _output_names(result.request.path, output_dir)
        contents = (result.files.fortran_text, result.files.c_text, result.files.cl_text)
        texts.update({name: text for name, text in zip(names, contents, strict=True) if text is not None})
    outputs = list(texts)
    if depfile is not None:
        texts[depfile] = dependency_text(outputs, [path for result in done for path in result.inputs])
    write_all(texts)


def _require_own_places(options: dict[str, Any], output_dir: str, depfile: str | None, inputs: Sequence[str]) -> None:
    """No output stands where an input or another output does."""
    if depfile == "":
        raise click.UsageError("--depfile takes the name of a file")
    taken = {os.path.realpath(path): f"the input '{path}'" for path in inputs}
    if options["transform"] is not None:
        taken[os.path.realpath(options["transform"])] = f"the script '{options['transform']}'"
    outputs = [name for path in options["files"] for name in _output_names(path, output_dir)[options["emit"] == "c" :]]
    for name in (*outputs, *((depfile,) if depfile is not None else ())):
        place = os.path.realpath(name)
        if place in taken:
            way_out = "name another file" if name == depfile else "choose another folder with -o"
            raise click.UsageError(f"'{name}' would overwrite {taken[place]}; {way_out}")
        taken[place] = f"the output '{name}'"


def _show(options: dict[str, Any], what: str, say: list[Diagnostic]) -> None:
    from fortrancl.driver import compile_file, transformed

    for request in _requests(options, None):
        if what in ("kernel", "steps"):
            from fortrancl.ir.pretty import dump_kernel, dump_tree

            _, result, _, messages = transformed(request)
            say.extend(messages)
            if what == "kernel":
                click.echo("\n".join(dump_kernel(kernel) for kernel in result.kernels), nl=False)
            for step in result.steps if what == "steps" else ():
                click.echo(f"# {step.span.source.path}:{step.span.line}: {step.call}")
                click.echo(
                    f"before:\n{_indented(dump_tree(step.before))}\nafter:\n{_indented(dump_tree(step.after))}\n"
                )
            continue
        compiled = compile_file(request)
        say.extend(compiled.messages)
        if what == "opencl":
            click.echo(compiled.files.cl_text, nl=False)
        else:
            from fortrancl.schedule.describe import dump_plan

            click.echo("\n".join(dump_plan(item.plan) for item in compiled.compiled), nl=False)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


if __name__ == "__main__":
    main()
