"""Instructions of processors that numba has no name for."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def count_ones(typing_context, x):
    """How many bits of a uint64 are set: uint64, one instruction where the processor has it."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def fetch_early(typing_context, array, i, j):
    """Have the processor bring array[i, j] near, as it will be read soon. i, j: uint64, within the array."""

    def generate(context, builder, signature, arguments):
        of = signature.args[0]
        here = context.make_array(of)(context, builder, arguments[0])
        item = cgutils.get_item_pointer(context, builder, of, here, [arguments[1], arguments[2]])
        address, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address, number, number, number])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", [address], kind)
        to_read, near, data = number(0), number(3), number(1)
        builder.call(instruction, [builder.bitcast(item, address), to_read, near, data])
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.uint64), generate
