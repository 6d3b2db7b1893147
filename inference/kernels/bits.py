"""Processor instructions that numba has no function for."""

from numba import types
from numba.core.cgutils import create_struct_proxy
from numba.extending import intrinsic


@intrinsic
def count_ones(typing_context, x):
    """How many bits of a uint64 are set: uint64, one instruction where the processor has it."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def bits_of(typing_context, x):
    """The bits of a float64 as an int64."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


@intrinsic
def of_bits(typing_context, bits):
    """The float64 that has the bits of an int64."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@intrinsic
def next_number(typing_context, counter):
    """The first of counter, int64[n], which is one more afterwards: each thread that asks gets
    another number."""

    def generate(context, builder, signature, arguments):
        array = create_struct_proxy(signature.args[0])(context, builder, value=arguments[0])
        return builder.atomic_rmw(
            "add", array.data, context.get_constant(types.int64, 1), "monotonic"
        )

    return types.int64(counter), generate
