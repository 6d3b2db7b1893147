"""Processor instructions that numba has no function for."""

from numba import types
from numba.extending import intrinsic


@intrinsic
def count_ones(typing_context, x):
    """How many bits of a uint64 are set: uint64, one instruction where the processor has it."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate
