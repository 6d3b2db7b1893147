"""UTF-8, bit by bit, as kernels write and read it (Unicode, chapter 3.9)."""

# The code points from which on a character takes so many bytes
TWO_BYTES_FROM = 0x80
THREE_BYTES_FROM = 0x800
FOUR_BYTES_FROM = 0x10000
# The first byte of a character of so many bytes, but for the code point's own bits
LEAD_OF_TWO = 0xC0
LEAD_OF_THREE = 0xE0
LEAD_OF_FOUR = 0xF0
# A byte that follows has six bits of the code point
FOLLOWING = 0x80
FOLLOWING_MASK = 0xC0  # the bits by which one is known
BITS_OF_ONE = 6
BITS_OF_TWO = 12
BITS_OF_THREE = 18
OWN_BITS = 0x3F
