"""The processor that code is made for, and code in memory that can be called."""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import Any

__all__ = ["describe", "load", "target_machine"]

_engines: list[Any] = []
"""What owns the memory of loaded code: kept as long as the process lives."""

_lock = threading.Lock()


@functools.cache
def _processor() -> tuple[str, str, str]:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def describe() -> str:
    """Triple, name and features of this processor: code for another one is never run."""
    return "\n".join(_processor())


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
        _engines.append(engine)
    return address


def as_function(address: int, arguments: tuple[str, ...]) -> Any:
    """The function at an address as ctypes calls it: result, exception and the arguments; it runs without the GIL."""
    scalars: dict[str, Any] = {"i8": ctypes.c_int64, "f8": ctypes.c_double, "u8": ctypes.c_uint64}
    kinds: list[Any] = [ctypes.c_void_p if kind.endswith("*") else scalars[kind] for kind in arguments]
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *kinds)(address)
