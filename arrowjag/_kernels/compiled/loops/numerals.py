"""Numbers in text: eight digits are converted at once, and floats are rounded to the nearest.

The product of all digits and a power of ten of 128 bits tells the nearest float, by the algorithm of Eisel and Lemire ("Number
parsing at a gigabyte per second"; Mushtak and Lemire prove in "Fast number parsing without fallback" that it always does). Numbers
of too many digits, and floats that are next to 0 or infinite, count as unknown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper
from arrowjag._kernels.compiled.loops.counts import word_from
from arrowjag._kernels.compiled.validity import ones_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64
f4: Any = np.float32

LOWEST_POWER, HIGHEST_POWER = -342, 308
"""Powers of ten that a product of at most 19 digits may need."""

LEAST_SINGLE, MOST_SINGLE = 2.0**-126, (2 - 2.0**-23) * 2.0**127
"""The smallest float32 of full precision, and the largest one."""

_MINUS, _PLUS, _DOT, _ZERO, _SMALL_E, _BIG_E = b"-+.0eE"


@helper
def digits_from(data: Any, size: Any, x: Any, stop: Any) -> Any:
    """The number that the digits from x on are, at most eight of them, and how many they are."""
    word = word_from(data, size, x) ^ u8(0x3030303030303030)
    others = ((word + u8(0x7676767676767676)) | word) & u8(0x8080808080808080)
    rest = stop - x
    if rest < u8(8):
        others |= u8(0x80) << (rest << u8(3))
    n = u8(8)
    if others != u8(0):
        n = ones_of((others & (u8(0) - others)) - u8(1)) >> u8(3)
    if n == u8(0):
        return u8(0), n
    word <<= (u8(8) - n) << u8(3)
    word = word * u8(10) + (word >> u8(8))
    upper, lower = (word >> u8(16)) & u8(0x000000FF000000FF), word & u8(0x000000FF000000FF)
    number = (lower * u8(0x000F424000000064) + upper * u8(0x0000271000000001)) >> u8(32)
    return number, n


@helper
def product_of(one: Any, two: Any) -> Any:
    """The product of two words as two words, the upper one first."""
    half = u8(0xFFFFFFFF)
    low = (one & half) * (two & half)
    middle = (one >> u8(32)) * (two & half) + (low >> u8(32))
    other = (one & half) * (two >> u8(32)) + (middle & half)
    high = (one >> u8(32)) * (two >> u8(32)) + (middle >> u8(32)) + (other >> u8(32))
    return high, (other << u8(32)) | (low & half)


@helper
def nearest(digits: Any, power: Any, powers: Any, scales: Any, mask: Any, middle: Any) -> Any:
    """The float64 that is nearest to digits times a power of ten, and whether it is known: those near 0 or infinity are not.

    Nor is one whose mantissa ends in `middle`, of the bits of `mask`: where another rounding follows, it may be a tie or near one.
    """
    if digits == u8(0):
        return f8(0.0), True
    if (power < i8(LOWEST_POWER)) | (power > i8(HIGHEST_POWER)):
        return f8(0.0), False
    filled = digits | (digits >> u8(1))
    filled |= filled >> u8(2)
    filled |= filled >> u8(4)
    filled |= filled >> u8(8)
    filled |= filled >> u8(16)
    filled |= filled >> u8(32)
    zeros = u8(64) - ones_of(filled)
    digits <<= zeros
    place = u8(power - i8(LOWEST_POWER)) * u8(2)
    high, low = product_of(digits, powers[place])
    if (high & u8(0x1FF)) == u8(0x1FF):
        more, _ = product_of(digits, powers[place + u8(1)])
        low += more
        if more > low:
            high += u8(1)
    top = high >> u8(63)
    shift = top + u8(9)
    mantissa = high >> shift
    exponent = ((i8(217706) * power) >> i8(16)) + i8(63) + i8(top) - i8(zeros) + i8(1023)
    is_half = (low <= u8(1)) & (power >= i8(-4)) & (power <= i8(23)) & ((mantissa & u8(3)) == u8(1))
    if is_half and (mantissa << shift) == high:
        mantissa &= ~u8(1)
    mantissa = (mantissa + (mantissa & u8(1))) >> u8(1)
    if (exponent < i8(1)) | (exponent > i8(2045)) | ((mantissa & mask) == middle):
        return f8(0.0), False
    return f8(mantissa) * scales[u8(exponent - i8(1))], True


@helper
def number_from(text: Any, size: Any, x: Any, stop: Any, tens: Any, number: Any) -> Any:
    """Append the digits from x on to a number: the number, the place behind them, and whether it fits 64 bits."""
    fits, n = True, u8(8)
    while n == u8(8):
        more, n = digits_from(text, size, x, stop)
        fits = fits and number <= tens[n + u8(9)]
        number = number * tens[n] + more
        x += n
    return number, x, fits


@helper
def integer_at(
    text: Any,
    size: Any,
    x: Any,
    stop: Any,
    least: Any,
    most: Any,
    tens: Any,
    _powers: Any,
    _scales: Any,
    out: Any,
    at: Any,
) -> Any:
    """Write the integer from x on, and return the place behind it; 0 if there is none, or if it isn't within the bounds."""
    is_negative = text[x] == _MINUS
    begin = x + u8(1) if is_negative else x
    number, end, fits = number_from(text, size, begin, stop, tens, u8(0))
    is_wrong = (end == begin) | (not fits) | (number > u8(0x7FFFFFFFFFFFFFFF)) | (is_negative & (least == i8(0)))
    if is_wrong or (end > begin + u8(1) and text[begin] == _ZERO):
        return u8(0)
    signed = -i8(number) if is_negative else i8(number)
    if (signed < least) | (signed > most):
        return u8(0)
    out[at] = signed
    return end


@helper
def decimal_from(text: Any, size: Any, x: Any, stop: Any, tens: Any) -> Any:
    """The digits of the number from x on, the power of ten to multiply by, and the place behind them; 0 if there is none."""
    none = u8(0), i8(0), u8(0)
    number, end, fits = number_from(text, size, x, stop, tens, u8(0))
    if end == x or (end > x + u8(1) and text[x] == _ZERO):
        return none
    power = i8(0)
    if end < stop and text[end] == _DOT:
        begin = end + u8(1)
        number, end, fits_too = number_from(text, size, begin, stop, tens, number)
        fits = fits and fits_too
        if end == begin:
            return none
        power = i8(begin) - i8(end)
    if end < stop and ((text[end] == _SMALL_E) | (text[end] == _BIG_E)):
        end += u8(1)
        falls = end < stop and text[end] == _MINUS
        if falls or (end < stop and text[end] == _PLUS):
            end += u8(1)
        more, n = digits_from(text, size, end, stop)
        if n == u8(0):
            return none
        power += -i8(more) if falls else i8(more)
        end += n
    return (number, power, end) if fits else none


@helper
def float_at(
    text: Any,
    size: Any,
    x: Any,
    stop: Any,
    _least: Any,
    _most: Any,
    tens: Any,
    powers: Any,
    scales: Any,
    out: Any,
    at: Any,
) -> Any:
    """Write the float64 from x on, and return the place behind it; 0 if there is none, or if its nearest float is not known."""
    is_negative = text[x] == _MINUS
    digits, power, end = decimal_from(text, size, x + u8(1) if is_negative else x, stop, tens)
    value, is_known = nearest(digits, power, powers, scales, u8(0), u8(1))
    out[at] = -value if is_negative else value
    return end if is_known else u8(0)


@helper
def single_at(
    text: Any,
    size: Any,
    x: Any,
    stop: Any,
    _least: Any,
    _most: Any,
    tens: Any,
    powers: Any,
    scales: Any,
    out: Any,
    at: Any,
) -> Any:
    """Write the float32 from x on, and return the place behind it; 0 if there is none, or if its nearest float is not known.

    It is rounded twice, which is exact unless the float64 is in the middle of two float32.
    """
    is_negative = text[x] == _MINUS
    digits, power, end = decimal_from(text, size, x + u8(1) if is_negative else x, stop, tens)
    value, is_known = nearest(digits, power, powers, scales, u8(0x1FFFFFFF), u8(0x10000000))
    is_known = is_known and (digits == u8(0) or (value >= f8(LEAST_SINGLE)) & (value <= f8(MOST_SINGLE)))
    out[at] = f4(-value if is_negative else value) if is_known else f4(0.0)
    return end if is_known else u8(0)
