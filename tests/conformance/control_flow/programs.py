"""Programs with control flow that a number decides, or the elements of a sequence: plain Python and NumPy."""

import numpy as np

# decided by one number `n`


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def sign(n):
    if n > 0:
        return 1
    elif n == 0:
        return 0
    return -1


def conditional_expression(n):
    return (n * 2 if n > 3 else n - 10) + (1 if n % 2 else 0)


def boolean_operators(n):
    return (n > 2 and n < 10) or not n % 7, 2 < n < 10


def factorial(n):
    result = 1
    for i in range(1, n + 1):
        result = result * i
    return result


def primes_below(n):
    count = 0
    for candidate in range(2, n):
        for divisor in range(2, candidate):
            if candidate % divisor == 0:
                break
        else:
            count += 1
    return count


def odd_numbers(n):
    total = 0
    for i in range(n):
        if i % 2 == 0:
            continue
        total += i
    return total


def first_square_above(n):
    for i in range(100):
        if i * i > n:
            return i
    return -1


def search(n):
    i = 0
    while True:
        i += 1
        if i > n:
            break
        if i * i == n:
            return i
    return 0


def matched(n):
    match n:
        case 0:
            return 100
        case 1 | 2:
            return 200
        case _ if n > 10:
            return 300
    return 400


def walrus(n):
    if (half := n // 2) > 2:
        return half
    return half * 10


def asserted(n):
    assert n > 3, f"{n} is too small"
    return n * 2


def raised(n):
    if n > 6:
        raise ValueError(f"{n} is too large")
    return n + 1


def gcd(n, m=18):
    while m:
        n, m = m, n % m
    return n


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def digits(n):
    found = []
    while n > 0:
        found.append(n % 10)
        n = n // 10
    return sum(found), len(found)


def in_a_tuple(n):
    if n in (1, 4, 7):
        return n
    return 0


def with_a_helper(n):
    def clipped(value):
        if value > 5:
            return 5
        return value

    total = 0
    for i in range(n):
        total += clipped(i)
    return total


def table(n):
    squares = np.zeros(20)
    for i in range(n):
        squares[i] = i * i
    return squares


def record(n):
    state = {"largest": 0, "sum": 0}
    for i in range(n):
        if i % 3 == 1:
            state["largest"] = i
        state["sum"] += i
    return state["largest"], state["sum"]


# over the elements of `values`


def total(values):
    result = 0.0
    for value in values:
        result = result + value
    return result


def positives(values):
    count = 0
    for value in values:
        if value > 0:
            count += 1
    return count


def largest(values):
    best = -np.inf
    for value in values:
        best = value if value > best else best
    return best


def until_negative(values):
    result = 0.0
    for value in values:
        if value < 0:
            break
        result += value
    else:
        result = -1.0
    return result


def index_of_first_negative(values):
    i = 0
    for value in values:
        if value < 0:
            return i
        i += 1
    return -1


def smoothed(values):
    state, found = 0.0, []
    for value in values:
        state = 0.5 * state + 0.5 * value
        found.append(state)
    return np.array(found)


def counted(values):
    result = 0.0
    for i, value in enumerate(values):
        result += i * value
    return result


def runs(values):
    longest = current = 0
    for value in values:
        if value > 0:
            current += 1
            if current > longest:
                longest = current
        else:
            current = 0
    return longest


def alternating(values):
    result, plus = 0.0, True
    for value in values:
        if plus:
            result += value
        else:
            result -= value
        plus = not plus
    return result


# on a whole array `x`


def tanh_until_small(x):
    while np.sum(x) > 1:
        x = np.tanh(x)
    return x


def normalised(x):
    if np.any(x < 0):
        x = x - x.min()
    total = x.sum()
    return x / total if total > 0 else x


def newton(x):
    guess = np.ones_like(x)
    for _ in range(40):
        step = (guess * guess - np.abs(x)) / (2 * guess)
        guess = guess - step
        if np.max(np.abs(step)) < 1e-12:
            break
    return guess


def rows(x):
    result = np.zeros(3)
    for i in range(x.shape[0]):
        if i % 2 == 0:
            result[0] += x[i]
        else:
            result[1] += x[i]
        result[2] = i
    return result


def bisection(x):
    low, high = -10.0, 10.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if np.sum(np.tanh(x - middle)) > 0:
            low = middle
        else:
            high = middle
    return low


def pairs(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            if x[i] > x[j]:
                total += x[i] - x[j]
    return total


OF_A_NUMBER = (
    collatz, sign, conditional_expression, boolean_operators, factorial, primes_below, odd_numbers, first_square_above,
    search, matched, walrus, asserted, raised, gcd, fibonacci, digits, in_a_tuple, with_a_helper, table, record,
)  # fmt: skip
OF_ELEMENTS = (
    total, positives, largest, until_negative, index_of_first_negative, smoothed, counted, runs, alternating,
)  # fmt: skip
OF_AN_ARRAY = (tanh_until_small, normalised, newton, rows, bisection, pairs)
