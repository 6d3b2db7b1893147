"""Which exceptions a mistake in this program raises."""

# Where texts are unlike all that the program was tried on, a part of it may break: a kind of
# findings, a search for whose texts are alike, the names of topics. Whoever catches these goes on
# without that part, writes the error to the log and says on a page what is missing, since hours of
# training shall not fail for a heading. What is no mistake ends the work, as always: a database or
# a store that is away, a full disk, a lack of memory, a stop.
MISTAKES: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
