"""From a loop to machine code: numba makes LLVM's intermediate code of it, llvmlite an object file, which is loaded into memory.

Everything else than the loop itself is left out of the object, so that it needs nothing of numba or Python when it is loaded, and
no symbol but those of the mathematical library of C.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any

from arrowjag._kernels.compiled.loop import HELPERS, SYMBOL, Loop, Variant, wide_type
from arrowjag._kernels.compiled.pieces import teach_numba as teach_pieces
from arrowjag._kernels.compiled.vectors import teach_numba as teach_vectors
from arrowjag._kernels.compiled.words import teach_numba as teach_words
from arrowjag.errors import JagTypeError

__all__ = ["compile_loop", "describe", "has_multiply_add", "load", "target_machine"]

_MATHEMATICS = frozenset({"exp", "expf", "log", "logf", "sin", "cos", "pow", "sqrt", "sqrtf", "memset", "memcpy", "memmove"})
"""The functions of the C library that an object may leave to the process that loads it."""


def compile_loop(loop: Loop, variant: Variant) -> bytes:
    """The object file of one function of a loop; raises whatever the compiler raises."""
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

    teach_words()
    teach_vectors()
    teach_pieces()
    while HELPERS:
        numba.extending.register_jitable(forceinline=True, error_model="numpy")(HELPERS.pop())
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


_lock = threading.RLock()


@functools.cache
def _processor() -> tuple[str, str, str]:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def describe() -> str:
    """Triple, name and features of this processor: code for another one is never run."""
    return "\n".join(_processor())


@functools.cache
def has_multiply_add() -> bool:
    """Whether this processor multiplies and adds floats with one rounding; else a function of the C library does, which is slow."""
    triple, _, features = _processor()
    return "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64"))


def target_machine() -> Any:
    """llvmlite's machine for this processor, as numba sets it up."""
    import llvmlite.binding as llvm

    triple, name, features = _processor()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=name, features=features, opt=3, reloc="default", codemodel="jitdefault", jit=True)


def load(code: bytes, symbol: str) -> int:
    """The address of a function of an object file, linked into this process.

    Raises
    ------
    RuntimeError
        If llvmlite can't read or link the object.
    """
    import llvmlite.binding as llvm

    with _lock:
        machine = target_machine()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        address = int(engine.get_function_address(symbol))
        if not address:
            raise RuntimeError(f"the object has no symbol {symbol}")
        engine.detach()  # its memory is kept until the process ends, also of one that is ending
    return address


def as_function(address: int, arguments: tuple[str, ...]) -> Any:
    """The function at an address as ctypes calls it: result, exception and the arguments; it runs without the GIL."""
    scalars: dict[str, Any] = {"i8": ctypes.c_int64, "f8": ctypes.c_double, "u8": ctypes.c_uint64}
    kinds: list[Any] = [ctypes.c_void_p if kind.endswith("*") else scalars[kind] for kind in arguments]
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *kinds)(address)
