"""`njit` for this package: numba's, but what it compiles is kept by its content
(inference/runtime/kernel_files.py).

numba itself keeps compiled code beside the source file, and compiles it again when that file
changes. It does not see when a function that is called changes in another file, and each checkout
compiles everything again. Here the name of a file is a hash of all that the compiled code follows
from: the function's bytecode, constants and options, those of every function that it calls, the
values of the global names that they use, the types of the arguments, the processor, and the
versions of Python, numba, llvmlite and numpy. So nothing that is kept can be out of date: an edit
compiles what it changes, and every checkout, worker and test shares the rest.
"""

import dis
import logging
import pickle
import platform
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from types import CodeType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba.core import caching, config, serialize, sigutils, types
from numba.core.compiler import CompileResult
from numba.core.cpu import ParallelOptions
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaPerformanceWarning
from numba.extending import _Intrinsic

from inference.runtime import kernel_files

# Modules whose versions are part of every key
VERSIONED = {
    "builtins",
    "llvmlite",
    "math",
    "numba",
    "numpy",
}
_SETTINGS = (
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "LOOP_VECTORIZE",
    "OPT",
    "SLP_VECTORIZE",
    "USING_SVML",
)
# Named in full
_TYPES = (
    types.Array,
    types.Boolean,
    types.Literal,
    types.NoneType,
    types.Number,
    types.UnicodeType,
)
# Shown in full
_CONSTANTS = (
    bool,
    bytes,
    complex,
    float,
    int,
    np.dtype,
    np.generic,
    str,
    type(None),
    types.Type,
)
# The processors that a wheel's kernels are compiled for, as LLVM names them, by family: those of
# 2013 and later, and every 64-bit ARM
SHIPPED_FOR = {"x86_64": "x86-64-v3", "arm64": "generic"}
FAMILY_OF_MACHINE = {"x86_64": "x86_64", "amd64": "x86_64", "arm64": "arm64", "aarch64": "arm64"}
# What a processor needs for them
_FEATURES = {
    "x86_64": (
        "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 sse4.2 ssse3 xsave"
    ).split(),
    "arm64": ["neon"],
}
# For `parallel`, of kernels that are called in each step: only loops by prange are divided among
# threads. True wakes them for each small array that is filled, too.
PRANGE = ParallelOptions(dict.fromkeys(ParallelOptions.__slots__[1:-1], False))
# Of a kernel with PRANGE numba compiles an array expression, such as `a[rows + 1] - a[rows]`, as a
# function of one number, with the kernel's options and as if it stood in line 1 of the file; and
# warns that nothing in that function can be divided among threads. Nothing is to be done about it.
# A kernel without a loop for its threads is still warned of, by its own line.
warnings.filterwarnings(
    "ignore",
    r"(?s).*no transformation for parallel execution was possible.*, line 1:",
    NumbaPerformanceWarning,
)
_callbacks: list[Callable[[], None]] = []
_log = logging.getLogger(__name__)


class Unknown(Exception):
    """Something that compiled code may depend on in a way that can't be read from here: the code is
    not kept."""


def njit(*signatures: Any, cache: bool = False, **options: Any) -> Callable[[Callable], Any]:
    """numba.njit with its options. With `cache`, compiled code is kept by its content."""

    def decorate(function: Callable) -> Any:
        dispatcher: Any = numba.njit(**options)(function)
        if cache and hasattr(dispatcher, "py_func"):  # a plain function under NUMBA_DISABLE_JIT
            dispatcher._cache = Kept(dispatcher)
        for signature in signatures:
            dispatcher.compile(signature)
        if signatures:
            dispatcher.disable_compile()
        return dispatcher

    return decorate


@contextmanager
def told_of_compiling(call: Callable[[], None]) -> Iterator[None]:
    """Meanwhile, call this before each kernel that this process compiles, or that it waits for as
    another one does."""
    _callbacks.append(call)
    try:
        yield
    finally:
        _callbacks.remove(call)


class Kept(caching._Cache):
    """Compiled code of one function, as numba asks for it: loaded by the types of the arguments,
    and saved."""

    def __init__(self, dispatcher: Dispatcher):
        self._dispatcher = dispatcher
        self._claims: dict[str, int | None] = {}  # what this process compiles now

    @property
    def cache_path(self) -> str | None:
        """The folder of compiled kernels; None where there is none."""
        folder = kernel_files.folder()
        return str(folder) if folder else None

    def enable(self) -> None:
        """Nothing: numba asks for this and the next, and never calls them."""

    def disable(self) -> None:
        """Nothing."""

    def flush(self) -> None:
        """Nothing: what is kept by its content is never out of date."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for these types of arguments, or None where it must be compiled. Waits
        for another process that compiles it."""
        target_context.refresh()
        name = self._name(sig, target_context.codegen().magic_tuple())
        if name is None:
            return None
        if (
            result := self._load(name, sig, target_context) or self._shipped(sig, target_context)
        ) is not None:
            return result
        for call in _callbacks:
            call()
        handle = kernel_files.claim(name)
        if handle is not None and (result := self._load(name, sig, target_context)) is not None:
            kernel_files.release(name, handle)
            return result
        self._claims[name] = handle
        return None

    def _load(self, name: str, sig: Any, target_context: Any) -> Any:
        """What is kept under a name, or None."""
        if (content := kernel_files.read(name)) is None:
            return None
        try:
            return _rebuilt(content, sig, target_context)
        except Exception as error:  # whatever it is, the kernel can still be compiled
            kernel_files.drop(name, repr(error))
            return None

    def _shipped(self, sig: Any, target_context: Any) -> Any:
        """What the wheel carries for processors like this one, or None."""
        triple, processor, _ = target_context.codegen().magic_tuple()
        if processor != binding.get_host_cpu_name() or not serves_this_processor():
            return None
        name = self._name(sig, (triple, SHIPPED_FOR[processor_family()], ""))
        try:
            content = name and kernel_files.read_shipped(name)
            return _rebuilt(content, sig, target_context) if content else None
        except Exception as error:
            _log.warning("The shipped kernel %s can't be loaded, and is compiled: %r", name, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for these types of arguments."""
        if (name := self._name(sig, data.codegen.magic_tuple())) is None:
            return
        if data.lifted or data.library.has_dynamic_globals:
            _log.warning(
                "%s can't be kept: it has addresses of this process in it", self._dispatcher.py_func
            )
        else:
            kernel_files.write(name, serialize.dumps(data._reduce()))
        kernel_files.release(name, self._claims.pop(name, None))

    def _name(self, sig: Any, target: tuple[str, str, str]) -> str | None:
        """A name that is another one when anything is that the compiled code follows from; None: it
        is not kept.

        target: (system, processor, its features), as of numba's codegen."""
        function = self._dispatcher.py_func
        arguments, returned = sigutils.normalize_signature(sig)
        try:
            of_types = [describe_type(argument) for argument in arguments]
            parts_of_name = (
                versions(),
                target,
                fingerprint(self._dispatcher),
                of_types,
                str(returned),
            )
        except Unknown as error:
            _log.warning("What is compiled of %s is not kept: %s", function, error)
            return None
        module = function.__module__.rpartition(".")[2]
        return f"{module}.{function.__name__}-{sha256(repr(parts_of_name).encode()).hexdigest()}"


def _rebuilt(content: bytes, sig: Any, target_context: Any) -> Any:
    """A kernel from what was kept of it. Raises whatever is wrong with it."""
    result = CompileResult._rebuild(target_context, *pickle.loads(content))
    if tuple(result.signature.args) != tuple(sigutils.normalize_signature(sig)[0]):
        raise TypeError(f"it was compiled for {result.signature}")
    return result


@cache
def versions() -> tuple[str | None, ...]:
    """Versions of everything that compiles, and numba's settings that change what is compiled. Of
    Python and numpy what their corrections share: 3.11, 2.4."""
    numpy = np.__version__.rpartition(".")[0]
    settings = (f"{name}={getattr(config, name, None)}" for name in _SETTINGS)
    return sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, numpy, *settings


def processor_family() -> str:
    """The family of this machine's processor, as SHIPPED_FOR names it; "" for one of which nothing
    is shipped."""
    return FAMILY_OF_MACHINE.get(platform.machine().lower(), "")


@cache
def serves_this_processor() -> bool:
    """Whether this processor has what kernels that are shipped need."""
    family = processor_family()
    features = binding.get_host_cpu_features()
    return bool(family) and all(features.get(feature) for feature in _FEATURES[family])


_fingerprints: dict[Dispatcher, str] = {}
# Whose fingerprints are being taken; numba's lock for compiling is held meanwhile
_at_work: list[Dispatcher] = []


def fingerprint(dispatcher: Dispatcher) -> str:
    """A hash of a function's content, options, and everything that it calls or reads. Raises
    Unknown."""
    if dispatcher in _at_work:
        if dispatcher is _at_work[-1]:
            return "itself"
        raise Unknown(f"{dispatcher.py_func} and another function call each other")
    if dispatcher not in _fingerprints:
        _at_work.append(dispatcher)
        try:
            parts = [
                *_function(dispatcher.py_func),
                *sorted(map(repr, dispatcher.targetoptions.items())),
                repr(dispatcher.locals),
            ]
            _fingerprints[dispatcher] = sha256("\n".join(parts).encode()).hexdigest()
        finally:
            _at_work.pop()
    return _fingerprints[dispatcher]


def _function(function: Any) -> Iterator[str]:
    """What a Python function does, and the values that it finds by name. Raises Unknown."""
    code = function.__code__
    read: set[str] = set()
    attributes: set[str] = set()
    yield f"{function.__module__}.{function.__qualname__}"
    yield from _code(code, function.__doc__, read, attributes)
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items(), *cells):
        yield _value(value, attributes)
    for name in sorted(read):  # what is not there is one of Python's own
        yield (
            f"{name}"
            f" {_value(function.__globals__[name], attributes) if name in function.__globals__ else ''}"
        )


def _code(code: CodeType, doc: str | None, read: set[str], attributes: set[str]) -> Iterator[str]:
    """Bytecode and constants, but neither line numbers nor the docstring. Adds the names of global
    variables that it reads, and of attributes."""
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags))
    yield repr(code.co_exceptiontable)
    read |= {
        step.argval
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    attributes |= set(code.co_names)
    for i, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            yield from _code(constant, None, read, attributes)
        else:
            yield _value(
                None if i == 0 and doc is not None and constant == doc else constant, attributes
            )


def _value(value: Any, attributes: set[str]) -> str:
    """A constant, or what a name stands for, so that another value gives another text. Raises
    Unknown."""
    match value:
        case Dispatcher():
            return fingerprint(value)
        case _ if isinstance(value, _CONSTANTS):
            return f"{type(value).__name__} {value!r}"
        case tuple() if type(value) is tuple:
            return f"({', '.join(_value(nested, attributes) for nested in value)})"
        case np.ndarray() if not value.dtype.hasobject:
            return (
                f"{value.dtype} {value.shape} {value.strides} {sha256(value.tobytes()).hexdigest()}"
            )
        case _Intrinsic():
            return "\n".join(_function(value._defn))
        case type() if issubclass(value, tuple) and hasattr(value, "_fields"):
            return f"{value.__module__}.{value.__qualname__} {value._fields}"
        case ModuleType() if value.__name__.partition(".")[0] not in VERSIONED:
            values_by_name = {
                name: getattr(value, name) for name in sorted(attributes) if hasattr(value, name)
            }
            return "\n".join(
                f"{name} {_value(nested, attributes)}" for name, nested in values_by_name.items()
            )
    module = str(getattr(value, "__module__", None) or getattr(value, "__name__", ""))
    if module.partition(".")[0] in VERSIONED or isinstance(value, np.ufunc):
        return f"{module}.{getattr(value, '__qualname__', '')}.{getattr(value, '__name__', '')}"
    raise Unknown(f"it uses {value!r}")


def describe_type(argument: Any) -> str:
    """The type of an argument, so that another type gives another text. Raises Unknown. argument:
    numba's type of it."""
    match argument:
        case types.BaseTuple():
            kind = type(argument).__name__
            fields = getattr(argument, "fields", ())
            # Which what is kept names, too
            if instance_class := getattr(argument, "instance_class", None):
                kind = f"{kind} {instance_class.__module__}.{instance_class.__qualname__}"
            inner_types = getattr(argument, "types")  # noqa: B009
            return f"{kind} {fields} ({', '.join(map(describe_type, inner_types))})"
        case types.Omitted():
            return f"omitted {_value(argument.value, set())}"
        case types.Optional():
            return f"optional {describe_type(argument.type)}"
        case _ if isinstance(argument, _TYPES):
            return str(argument)
    raise Unknown(f"it takes {argument}")
