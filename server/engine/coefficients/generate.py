#!/usr/bin/env python3
"""Makes server/engine/coefficients.h: the constants and approximations of the engine.

Run from the top of the repository (needs only mpmath; takes well under a minute):

    /usr/bin/python3 server/engine/coefficients/generate.py > server/engine/coefficients.h

The header goes to stdout, already in clang-format layout, and is the same on every run.
The error of every table goes to stderr. Approximations are minimax in relative error, found
by the Remez exchange on a fixed grid, with the lowest degree that meets the goal. Their
errors are measured after the coefficients have been rounded, in PRECISION-bit arithmetic
and on another, denser grid.
"""

import dataclasses
import sys
import textwrap
from typing import Callable

from mpmath import mp, mpf

PRECISION = 480  # Bits of working precision; the header is the same with more.
FIT_POINTS, CHECK_POINTS = 30, 101  # Grid points per oscillation of the error.
mp.prec = PRECISION

REDUCED_EXP = mp.ln(2) / 2 + mpf(2) ** -20
REDUCED_SIN = mp.pi / 4 + mpf(2) ** -20


# ---------------------------------------------------------------- Rounding and printing.


def rounded(value, bits=53):
    """The nearest number of that many significant bits, ties to even."""
    with mp.workprec(bits):
        return +value


def parts_of(value, bits):
    """Parts of bits[0], bits[1], ... significant bits, each the nearest to what remains."""
    parts = []
    for count in bits:
        parts.append(rounded(value, count))
        value -= parts[-1]
    return parts


def log2_bound(error):
    """log2 of the error rounded up to tenths, allowing 0.2 % for peaks between grid points."""
    return f'2^{float(mp.ceil(10 * mp.log(error * mpf("1.002"), 2)) / 10):.1f}'


def literal(value):
    """A C++17 hexadecimal literal of a number that is exactly a double."""
    assert mpf(float(value)) == value
    mantissa, exponent = float(value).hex().split('p')
    return f'{mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa}p{exponent}'


def print_comment(text):
    print()
    for line in textwrap.wrap(text, 97):
        print('//', line)


def print_array(kind, name, entries, symbol=None):
    """Prints one entry on a line, the k-th with the comment symbol^k if there is a symbol."""
    opening, closing = ('{{', '}}') if kind == 'Constant' else ('{', '}')
    extent = '' if kind == 'Constant' else '[]' if symbol else f'[{len(entries)}]'
    print(f'inline constexpr {kind} {name}{extent} = {opening}')
    texts = [('{%s},' if len(e) > 1 else '%s,') % ', '.join(map(literal, e)) for e in entries]
    width = max(map(len, texts))
    for k, text in enumerate(texts):
        print('    ' + (f'{text:{width}}  // {symbol}^{k}' if symbol else text))
    print(f'{closing};')


def report(text):
    print(text, file=sys.stderr, flush=True)


# ------------------------------------------------------------------------ Approximations.


@dataclasses.dataclass
class Problem:
    """f(x) ~ base(x) + scale(x) p(y)/q(y), y = x^power, low <= x <= high."""

    formula: str
    domain: str
    f: Callable
    low: mpf
    high: mpf
    base: Callable = lambda x: mpf(0)
    scale: Callable = lambda x: mpf(1)
    power: int = 1
    center: mpf = None  # If given, grids are Chebyshev's in (x - center)/(x + center).

    def grid(self, count):
        """Chebyshev points, with the ends, without those where the approximation is exact."""
        c, r = self.center, self.power
        fold = (lambda x: (x - c) / (x + c)) if c else (lambda x: x**r)
        unfold = (lambda u: c * (1 + u) / (1 - u)) if c else (lambda u: mp.sqrt(u) if r == 2 else u)
        low, high = fold(self.low), fold(self.high)
        cosines = [mp.cospi(mpf(count - k) / count) for k in range(1, count)]
        inner = [unfold((low + high) / 2 + (high - low) / 2 * u) for u in cosines]
        return [x for x in [self.low, *inner, self.high] if self.scale(x) != 0]

    def error(self, p, q):
        """The largest relative error on the checking grid."""
        largest = mpf(0)
        for x in self.grid(CHECK_POINTS * (len(p) + len(q))):
            ratio = horner(p, x**self.power) / horner(q, x**self.power)
            whole = self.base(x) + self.scale(x) * ratio
            largest = max(largest, abs(whole / self.f(x) - 1))
        return largest


def horner(coefficients, x):
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def solve(n, m, samples, q):
    """p, q and E with w (p/q - g) = +E, -E, ... at the samples (y, g, w), given an earlier q."""
    rows = []
    for k, (y, g, w) in enumerate(samples):
        levelled = (-1) ** k * horner(q, y) / w
        powers = [y**j for j in range(max(n, m) + 1)]
        rows.append(powers[: n + 1] + [-g * power for power in powers[1 : m + 1]] + [levelled])
    x = list(mp.lu_solve(mp.matrix(rows), mp.matrix([g for _, g, _ in samples])))
    return x[: n + 1], [mpf(1)] + x[n + 1 : -1], abs(x[-1])


def peaks(errors):
    """The index of the largest error in every run of equal sign."""
    found = []
    for i, e in enumerate(errors):
        if found and (errors[found[-1]] > 0) == (e > 0):
            found[-1] = max(found[-1], i, key=lambda j: abs(errors[j]))
        else:
            found.append(i)
    return found


def remez(problem, n, m):
    """The coefficients of p (degree n) and q (degree m, q(0) = 1) of least relative error."""
    count = n + m + 2
    samples = []
    for x in problem.grid(FIT_POINTS * count + 1):
        f, scale = problem.f(x), problem.scale(x)
        samples.append((x**problem.power, (f - problem.base(x)) / scale, abs(scale / f)))
    nodes = [(2 * i + 1) * len(samples) // (2 * count) for i in range(count)]
    q = [mp.binomial(m, k) / (problem.center or 1) ** k for k in range(m + 1)]
    for step in range(40):
        for _ in range(1 if m == 0 else 2 if step else 6):  # q weighs the next solution.
            p, q, level = solve(n, m, [samples[i] for i in nodes], q)
        errors = [w * (horner(p, y) / horner(q, y) - g) for y, g, w in samples]
        nodes = peaks(errors)
        while len(nodes) > count:
            nodes.pop(min(0, -1, key=lambda end: abs(errors[nodes[end]])))
        assert len(nodes) == count, 'the error does not alternate'
        if max(map(abs, errors)) < level * mpf('1.0001'):
            return p, q
    raise ArithmeticError('the exchange does not converge')


def approximate(problem, names, first, goal, symbol, kind='double'):
    """Prints the tables of lowest degree, from `first` on, with an error of at most 2^goal."""
    bits = [53] if kind == 'double' else [53, 53]
    for n in range(first, first + 8):
        p, q = remez(problem, n, n + 1 if len(names) == 2 else 0)
        tables = [[parts_of(c, bits) for c in table] for table in (p, q)]
        p, q = [[mp.fsum(parts) for parts in table] for table in tables]
        error = problem.error(p, q)
        report(f'  degree {n}: relative error {mp.nstr(error, 4)} < {log2_bound(error)}')
        if error <= mpf(2) ** goal:
            break
    else:
        raise ArithmeticError(f'{names[0]}: 2^{goal} is out of reach')
    degrees = f'{len(p) - 1}/{len(q) - 1}' if len(q) > 1 else f'{len(p) - 1}'
    if len(q) > 1:
        assert min(p + q) > 0, 'a coefficient is not positive'
        degrees += ', all positive'
    bound = f'relative error < {log2_bound(error)} for {problem.domain}'
    print_comment(f'{problem.formula}, degree {degrees}: {bound} '
                  f'(measured, coefficients as rounded).')
    for name, table in zip(names, tables):
        print_array(kind, name, table, symbol)
    report(f'{", ".join(names)}: degree {degrees}, {bound}')


# ------------------------------------------------------------------ Contents of the header.

CONSTANTS = [
    ('kPi', 'pi', mp.pi),
    ('kInvPi', '1 / pi', 1 / mp.pi),
    ('kTwoOverPi', '2 / pi', 2 / mp.pi),
    ('kPiOver2', 'pi / 2', mp.pi / 2),
    ('kSqrt2', 'sqrt(2)', mp.sqrt(2)),
    ('kInvSqrt2', '1 / sqrt(2)', 1 / mp.sqrt(2)),
    ('kInvSqrt2Pi', '1 / sqrt(2 pi)', 1 / mp.sqrt(2 * mp.pi)),
    ('kSqrtPiOver2', 'sqrt(pi / 2)', mp.sqrt(mp.pi / 2)),
    ('kInvSqrtPi', '1 / sqrt(pi)', 1 / mp.sqrt(mp.pi)),
    ('kLn2', 'ln(2)', mp.ln(2)),
    ('kLog2E', '1 / ln(2)', 1 / mp.ln(2)),
    ('kGeluTanhCubic', '0.044715 (this decimal, exactly)', mpf('0.044715')),
    ('kTwoSqrt2OverPi', '2 sqrt(2 / pi)', 2 * mp.sqrt(2 / mp.pi)),
    ('kTwiceGeluFastSlope', '2 * 0.7978845608 (this decimal, exactly)', mpf('1.5957691216')),
    ('kGeluSigmoidSlope', '1.702 (this decimal, exactly)', mpf('1.702')),
    ('kOneSixth', '1 / 6', mpf(1) / 6),
]


def print_constants():
    for name, formula, value in CONSTANTS:
        value = +value
        parts = parts_of(value, [53] * 5)
        error = abs(mp.fsum(parts) / value - 1)
        assert error <= mpf(2) ** -265
        print_comment(f'{formula}.')
        print_array('Constant', name, [[part] for part in parts])
        report(f'{name}: relative error < {log2_bound(error)}')


def print_reduction(name, formula, value, bits, multiple):
    """Prints parts of which all but the last have room for a factor of 2^multiple."""
    value = +value
    assert all(count + multiple <= 53 for count in bits)
    parts = parts_of(value, [*bits, 53])
    bound = log2_bound(abs(mp.fsum(parts) - value))
    print_comment(f'{formula} in parts: k times any but the last is exact for |k| <= 2^{multiple}. '
                  f'Absolute error of the sum < {bound}.')
    print_array('double', name, [[part] for part in parts])
    report(f'{name}: absolute error of the sum < {bound}')


def print_inverse_factorials():
    tables, error = [], mpf(0)
    for n in range(28):
        value = 1 / mp.factorial(n)
        tables.append(parts_of(value, [53, 53]))
        error = max(error, abs(mp.fsum(tables[-1]) / value - 1))
    # The rest of the series is below its first term times 1/(1 - r/29).
    r = REDUCED_EXP
    rest = r**28 / mp.factorial(28) / (1 - r / 29) / mp.exp(-r)
    print_comment(f'1/n!: relative error of each < {log2_bound(error)}; the series to n = 27 has a '
                  f'relative error < {log2_bound(rest)} for |r| <= ln(2)/2 + 2^-20.')
    print_array('Pair', 'kInverseFactorialPair', tables, 'r')
    report(f'kInverseFactorialPair: relative error < {log2_bound(error)}, of the series < '
           f'{log2_bound(rest)}')


def normal_tail(high, center, formula, factor):
    """factor e^(t^2/2) Q(t), Q(t) the integral of the normal density phi from t on."""
    return Problem(f'{formula} ~ p(t) / q(t)',
                   f'0 <= t <= {high}', low=mpf(0), high=mpf(high), center=mpf(center),
                   f=lambda t: factor * mp.exp(t * t / 2) * mp.erfc(t / mp.sqrt(2)) / 2)


def exp2(reach, base):
    """2^r or 2^r - 1, that is base + r p(r), where |r| may reach a little beyond `reach`."""
    high = mpf(reach) + mpf(2) ** -20
    formula = '2^r ~ 1 + r p(r)' if base else '2^r - 1 ~ r p(r)'
    return Problem(formula, f'|r| <= {reach} + 2^-20', lambda r: base + mp.expm1(r * mp.ln(2)),
                   -high, high, base=lambda r: mpf(base), scale=lambda r: r)


def print_exp2_table():
    table = [parts_of(mpf(2) ** (mpf(j) / 16), [53]) for j in range(16)]
    print_comment('2^(j/16). Relative error of each < 2^-53.')
    print_array('double', 'kSixteenths', table)


def print_sixteenths_rest():
    rests = [parts_of(mpf(2) ** (mpf(j) / 16), [53, 53])[1] for j in range(16)]
    print_comment('2^(j/16) - kSixteenths[j]. Relative error of each sum < 2^-106.')
    print_array('double', 'kSixteenthsRest', [[rest] for rest in rests])


def print_log_tables():
    inverses = [rounded(1 / (1 + mpf(j) / 15)) for j in range(16)]
    logs = [parts_of(-mp.log(inverse), [53, 53]) for inverse in inverses]
    print_comment('1/(1 + j/15), rounded; that less 1; -log(kLogInverse[j]), and its rest. '
                  'Relative error of each sum < 2^-106.')
    print_array('double', 'kLogInverse', [[inverse] for inverse in inverses])
    print_array('double', 'kLogInverseLess', [[inverse - 1] for inverse in inverses])
    print_array('double', 'kLogHigh', [[high] for high, _ in logs])
    print_array('double', 'kLogRest', [[rest] for _, rest in logs])


def mills_series(high, shift):
    """M(t) (t + shift) by y - middle, y = 1/(t + shift)."""
    low, high = 1 / (mpf(high) + shift), 1 / mpf(shift)
    middle = rounded((low + high) / 2)
    print_comment(f'The middle of the y = 1/(t + {shift}) that kMillsSeries is for.')
    print(f'inline constexpr double kMillsShift = {shift};')
    print(f'inline constexpr double kMillsMiddle = {literal(middle)};')

    def f(d):
        y = d + middle
        t = 1 / y - shift
        return mp.sqrt(mp.pi / 2) * mp.exp(t * t / 2) * mp.erfc(t / mp.sqrt(2)) / y

    return Problem(f'Q(t) / phi(t) / y ~ p(y - kMillsMiddle), y = 1/(t + {shift})',
                   '0 <= t <= 36', f, low - middle, high - middle)


EXP_REACH = mp.ln(2) / 32 + mpf(2) ** -20
EXP_CUBIC = Problem('e^r - 1 ~ r + r^2/2 + r^3/2 p(r)', '|r| <= ln(2)/32 + 2^-20', mp.expm1,
                    -EXP_REACH, EXP_REACH, lambda r: r + r**2 / 2, lambda r: r**3 / 2)
LOG_REACH = mpf(1) / 30 + mpf(2) ** -20
LOG_CUBIC = Problem('log(1 + r) ~ r - r^2/2 + r^3 p(r)', '|r| <= 1/30 + 2^-20', mp.log1p,
                    -LOG_REACH, LOG_REACH, lambda r: r - r**2 / 2, lambda r: r**3)
LOG = Problem('2 atanh(s) ~ 2 s + s^3 p(z), z = s^2', '0 <= s <= 1/3', lambda s: 2 * mp.atanh(s),
              mpf(0), mpf(1) / 3, lambda s: 2 * s, lambda s: s**3, 2)
SIN = Problem('sin(r) ~ r + r^3 p(z), z = r^2', '|r| <= pi/4 + 2^-20', mp.sin,
              mpf(0), REDUCED_SIN, lambda r: r, lambda r: r**3, 2)
COS = Problem('cos(r) ~ 1 - z/2 + z^2 p(z), z = r^2', '|r| <= pi/4 + 2^-20', mp.cos,
              mpf(0), REDUCED_SIN, lambda r: 1 - r**2 / 2, lambda r: r**4, 2)

OPENING = '''\
// Generated by /usr/bin/python3 server/engine/coefficients/generate.py >
// server/engine/coefficients.h; do not edit.

#ifndef ACTIVATION_SERVER_ENGINE_COEFFICIENTS_H_
#define ACTIVATION_SERVER_ENGINE_COEFFICIENTS_H_

// Coefficients come lowest degree first. Every part is the double nearest to what the parts
// before it leave of the value, unless said otherwise.
namespace activation::engine {

// An unevaluated sum of doubles, most significant first: the value is part[0] + part[1] + ... to
// about 2^-265 relative.
struct Constant {
  double part[5];
};

// The value is hi + lo to 2^-106 relative.
struct Pair {
  double hi, lo;
};'''

CLOSING = '''
}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_COEFFICIENTS_H_'''


def main():
    print(OPENING)
    print_constants()
    print_reduction('kLn2Part', 'ln(2)', mp.ln(2), [40, 40], 13)
    print_reduction('kPiOver2Part', 'pi / 2', mp.pi / 2, [32, 32, 32], 21)
    approximate(normal_tail(21, 2, 'Q(t) e^(t^2/2) = erfcx(t / sqrt(2)) / 2', 1),
                ['kTailNumerator', 'kTailDenominator'], 7, -44, 't')
    approximate(normal_tail(60, 3, 'Q(t) / phi(t) = sqrt(pi/2) erfcx(t / sqrt(2))',
                            mp.sqrt(2 * mp.pi)),
                ['kMillsNumeratorPair', 'kMillsDenominatorPair'], 17, -102, 't', 'Pair')
    approximate(exp2('0.5', 1), ['kExp2'], 7, -45, 'r')
    approximate(exp2('0.5', 0), ['kExp2m1'], 8, -46, 'r')
    approximate(exp2('0.03125', 1), ['kExp2Sixteenth'], 3, -45, 'r')
    approximate(exp2('0.03125', 0), ['kExp2m1Sixteenth'], 3, -46, 'r')
    print_exp2_table()
    print_inverse_factorials()
    approximate(LOG, ['kAtanhTail'], 5, -43, 'z')
    approximate(SIN, ['kSinTail'], 4, -51, 'z')
    approximate(COS, ['kCosTail'], 3, -51, 'z')
    print_reduction('kLn2SixteenthPart', 'ln(2) / 16', mp.ln(2) / 16, [38], 15)
    print_sixteenths_rest()
    approximate(EXP_CUBIC, ['kExpCubic'], 4, -67, 'r')
    print_log_tables()
    approximate(LOG_CUBIC, ['kLogCubic'], 8, -69, 'r', 'Pair')
    approximate(mills_series(36, 4), ['kMillsSeries'], 26, -67, '(y - middle)', 'Pair')
    print(CLOSING)


if __name__ == '__main__':
    main()
