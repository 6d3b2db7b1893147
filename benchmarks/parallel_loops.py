"""Processor time within and outside of the loops that numba divides among threads, measured by one
thread: the shares of many threads are worked through one after the spent.

numba calls one function for each such loop, with the shares of the iterations that its threads are
to take. Here another function takes its place: it works through the shares itself, and times each.
So neither idle cores nor a quiet machine are needed, and the results are the same bits.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ctypes import CFUNCTYPE, POINTER, c_int, c_size_t, c_void_p, cast
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any
from unittest import mock

import numba
from llvmlite import binding
from numba.core.dispatcher import Dispatcher
from numba.np.ufunc import parallel

SIZES = POINTER(c_size_t)
ADDRESSES = POINTER(c_void_p)
# What numba compiles of a loop's body: arguments, sizes, steps, data
BODY = CFUNCTYPE(None, ADDRESSES, SIZES, SIZES, c_void_p)
# Its function for a loop: the body, arguments, sizes, steps, data, inner dimensions, number of
# arguments, number of threads
LOOP = CFUNCTYPE(None, c_void_p, ADDRESSES, SIZES, SIZES, c_void_p, c_size_t, c_size_t, c_int)
SYMBOL = "numba_parallel_for"
# Of a loop in which threads take whatever is next: the first share finds nearly all of it
FOUND_ALL = 0.9
now = time.thread_time


@dataclass
class Spent:
    """Seconds of the processor: in all, outside of loops that are divided, and in the longest
    shares of these loops. calls: of the kernel."""

    seconds: float = 0.0
    serial: float = 0.0
    longest: float = 0.0
    calls: int = 0

    def add(self, spent: "Spent") -> None:
        self.seconds += spent.seconds
        self.serial += spent.serial
        self.longest += spent.longest
        self.calls += spent.calls


class Loops:
    """Works through loops in the place of numba's threads. threads: how many it plays. inside:
    seconds of loops so far, with what timing them costs; worked: of their bodies alone; longest:
    of their longest shares."""

    def __init__(self, threads: int):
        self.threads = threads
        self.inside = 0.0
        self.worked = 0.0
        self.longest = 0.0
        self.in_turn = False  # whether the kernel's threads take whatever is next
        self.loop = LOOP(self._work)

    def _work(
        self,
        body: int,
        arguments: Any,
        sizes: Any,
        steps: Any,
        data: int,
        dimensions: int,
        number: int,
        threads: int,
    ) -> None:
        began = now()
        work = BODY(body)
        shares = sizes[0]
        share_sizes = (c_size_t * (dimensions + 1))(*sizes[: dimensions + 1])
        share_sizes[0] = 1
        share_arguments = (c_void_p * number)()
        seconds = []
        for share in range(shares):
            for i in range(number):
                share_arguments[i] = (arguments[i] or 0) + steps[i] * share
            share_began = now()
            work(cast(share_arguments, ADDRESSES), cast(share_sizes, SIZES), steps, data)
            seconds.append(now() - share_began)
        worked = sum(seconds)
        longest = max(seconds, default=0.0)
        if self.in_turn and seconds and seconds[0] >= FOUND_ALL * worked:
            longest = worked / self.threads
        self.worked += worked
        self.longest += longest
        self.inside += now() - began

    @contextmanager
    def timed(self, in_turn: bool = False) -> Iterator[Spent]:
        """Meanwhile, count what is spent. in_turn: whether threads take whatever is next."""
        spent = Spent(calls=1)
        before = self.inside, self.worked, self.longest, self.in_turn
        self.in_turn = in_turn
        began = now()
        yield spent
        seconds = now() - began
        inside, worked, longest, self.in_turn = before
        spent.serial = seconds - (self.inside - inside)
        spent.seconds = spent.serial + self.worked - worked
        spent.longest = self.longest - longest


class Kernels:
    """A module of kernels whose calls from Python are timed. kernels: by name, what each spent."""

    def __init__(
        self, module: ModuleType, loops: Loops, kernels: dict[str, Spent], in_turn: set[str]
    ):
        self._module = module
        self._loops = loops
        self._kernels = kernels
        self._in_turn = in_turn

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, Dispatcher):
            short = self._module.__name__.rpartition(".")[2]
            value = partial(self._call, f"{short}.{name}", value)
        setattr(self, name, value)
        return value

    def _call(self, name: str, kernel: Callable, *arguments: Any, **options: Any) -> Any:
        with self._loops.timed(name in self._in_turn) as spent:
            result = kernel(*arguments, **options)
        self._kernels[name].add(spent)
        return result


@contextmanager
def played(threads: int) -> Iterator[Loops]:
    """Meanwhile, this thread does what so many would; before any kernel is loaded. Loops of kernels
    that are loaded meanwhile are worked through by the same object ever after."""
    parallel._launch_threads()
    loops = Loops(threads)
    binding.add_symbol(SYMBOL, cast(loops.loop, c_void_p).value)
    numba.set_num_threads(threads)
    yield loops


@contextmanager
def watched(
    modules: list[ModuleType], package: str, loops: Loops, in_turn: set[str]
) -> Iterator[dict[str, Spent]]:
    """Meanwhile, time the kernels that these modules call: by name, what each spent. package: of
    the kernels. in_turn: names of those whose threads take whatever is next."""
    kernels: dict[str, Spent] = defaultdict(Spent)
    with ExitStack() as stack:
        for module in modules:
            for name, value in list(vars(module).items()):
                if isinstance(value, ModuleType) and value.__name__.startswith(package):
                    timed_module = Kernels(value, loops, kernels, in_turn)
                    stack.enter_context(mock.patch.object(module, name, timed_module))
        yield kernels
