"""The fewest coins for an amount, by dynamic programming."""

import numpy as np

SIZES = 10, 40


def coin_change(coins, amount):
    dp = np.full(amount + 1, np.inf)
    dp[0] = 0
    for coin in coins:
        for x in range(coin, amount + 1):
            if dp[x - coin] + 1 < dp[x]:
                dp[x] = dp[x - coin] + 1
    return int(dp[amount]) if np.isfinite(dp[amount]) else -1


def arguments(size, rng):
    return np.sort(rng.permutation(np.arange(2, 9))[:3]), size
