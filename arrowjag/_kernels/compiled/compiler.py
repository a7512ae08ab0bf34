"""From a loop to machine code: numba makes LLVM's intermediate code of it, llvmlite an object file.

Everything else than the loop itself is left out of the object, so that it needs nothing of numba or Python when it is loaded, and
no symbol but those of the mathematical library of C.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arrowjag._kernels.compiled.loop import SYMBOL, Variant, wide_type
from arrowjag._kernels.compiled.loops import loop_named
from arrowjag._kernels.compiled.machine import target_machine
from arrowjag.errors import JagTypeError

__all__ = ["compile_loop"]

_MATHEMATICS = frozenset({"exp", "expf", "log", "logf", "sin", "cos", "pow", "sqrt", "memset", "memcpy", "memmove"})
"""The functions of the C library that an object may leave to the process that loads it."""


def compile_loop(variant: Variant) -> bytes:
    """The object file of one function; raises whatever the compiler raises."""
    loop = loop_named(variant.name)
    return _object_of(loop.make(variant.type[0], variant.nulls), [_argument(kind, variant.type) for kind in loop.arguments])


def _argument(kind: str, type: str) -> Any:
    """The type of an argument as numba names it. Booleans are bytes."""
    import numba

    name = kind.removesuffix("*")
    code = {"item": type, "wide": wide_type(type)}.get(name, name)
    code = "u1" if code == "b1" else code
    kinds = {"i": "int", "u": "uint", "f": "float"}
    found = getattr(numba.types, f"{kinds[code[0]]}{8 * int(code[1:])}")
    return numba.types.CPointer(found) if kind.endswith("*") else found


def _object_of(function: Callable[..., int], arguments: list[Any]) -> bytes:
    import llvmlite.binding as llvm
    import numba

    compiled = numba.cfunc(numba.types.int64(*arguments), nopython=True, error_model="numpy")(function)
    machine = target_machine()
    module = llvm.parse_assembly(compiled.inspect_llvm())
    inner = compiled.native_name.removeprefix("cfunc.")  # what numba wraps in code that reports exceptions to Python
    for found in module.functions:
        if not found.is_declaration and found.name != inner:
            found.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0)))
    _check_symbols(module)
    module.get_function(inner).name = SYMBOL
    code: bytes = machine.emit_object(module)
    return code


def _check_symbols(module: Any) -> None:
    """Refuse code that calls what a process without numba doesn't have: allocations and exceptions do."""
    needed = {found.name for found in module.functions if found.is_declaration and not found.name.startswith("llvm.")}
    if unknown := needed - _MATHEMATICS:
        raise JagTypeError(f"a loop may not allocate or raise, but calls {', '.join(sorted(unknown))}")
