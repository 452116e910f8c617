"""Environments with `step` and `reset`, and agents that learn in them."""

import math
from collections import defaultdict, deque, namedtuple

import numpy as np

Transition = namedtuple("Transition", ["state", "action", "reward", "following", "done"])


class GridWorld:
    MOVES = {0: (-1, 0), 1: (1, 0), 2: (0, -1), 3: (0, 1)}

    def __init__(self, size=4):
        self.size = size
        self.grid = np.zeros((size, size), dtype=int)
        self.grid[1, 1] = -1
        self.grid[size - 1, size - 1] = 1
        self.visits = np.zeros((size, size))
        self.reset()

    def reset(self):
        self.position = (0, 0)
        self.steps = 0
        self.total = 0.0
        return self.position

    def step(self, action):
        dr, dc = self.MOVES[action]
        r = min(max(self.position[0] + dr, 0), self.size - 1)
        c = min(max(self.position[1] + dc, 0), self.size - 1)
        self.position = (r, c)
        self.visits[r, c] += 1
        self.steps += 1
        reward = float(self.grid[r, c]) - 0.01
        self.total += reward
        done = self.grid[r, c] != 0 or self.steps >= 20
        return self.position, reward, bool(done)


def drive_grid_world():
    env = GridWorld()
    for action in (1, 3, 0, 3, 3, 1, 1, 1, 3):
        state, reward, done = env.step(action)
        yield state, reward, done
        if done:
            yield env.total
            env.reset()
    yield env.visits.sum()


class CartPole:
    def __init__(self, seed=0):
        self.gravity, self.length, self.dt = 9.8, 0.5, 0.02
        self.rng = np.random.default_rng(seed)
        self.state = None
        self.beyond = None

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, size=4)
        self.beyond = None
        return self.state.copy()

    def step(self, force):
        x, v, angle, spin = self.state
        c, s = np.cos(angle), np.sin(angle)
        push = (force + 0.05 * spin**2 * s) / 1.1
        turn = (self.gravity * s - c * push) / (self.length * (4 / 3 - 0.1 * c**2 / 1.1))
        speed = push - 0.05 * turn * c / 1.1
        self.state = np.array([x + self.dt * v, v + self.dt * speed, angle + self.dt * spin, spin + self.dt * turn])
        done = bool(abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.1)
        if not done:
            reward = 1.0
        elif self.beyond is None:
            self.beyond = 0
            reward = 1.0
        else:
            self.beyond += 1
            reward = 0.0
        return self.state, reward, done


def drive_cart_pole():
    env = CartPole(3)
    yield env.reset()
    for force in (10.0, 10.0, -10.0, 10.0, 10.0, 10.0, 10.0, 10.0):
        state, reward, done = env.step(np.float64(force))
        yield state, reward, done
    yield env.beyond
    yield env.reset()


class Bandit:
    """Epsilon greedy, with lists of Python numbers."""

    def __init__(self, means, epsilon=0.2, seed=1):
        self.means = means
        self.epsilon = epsilon
        self.rng = np.random.default_rng(seed)
        self.counts = [0] * len(means)
        self.values = [0.0] * len(means)
        self.rewards = []

    def choose(self):
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(len(self.means)))
        return int(np.argmax(self.values))

    def pull(self, arm):
        reward = self.means[arm] + self.rng.normal()
        self.counts[arm] += 1
        self.values[arm] += (reward - self.values[arm]) / self.counts[arm]
        self.rewards.append(reward)
        return reward

    def play(self, rounds):
        for _ in range(rounds):
            self.pull(self.choose())
        return sum(self.rewards[-rounds:]) / rounds


def drive_bandit():
    bandit = Bandit([0.1, 0.5, 0.9])
    for _ in range(4):
        arm = bandit.choose()
        yield arm
        yield bandit.pull(arm)
    yield bandit.play(5)
    bandit.epsilon = 0.0
    yield bandit.play(3)
    yield bandit.counts, bandit.values


class UpperConfidence:
    def __init__(self, arms):
        self.n = np.zeros(arms)
        self.mean = np.zeros(arms)
        self.t = 0

    def select(self):
        self.t += 1
        for arm in range(len(self.n)):
            if self.n[arm] == 0:
                return arm
        bounds = self.mean + np.sqrt(2 * np.log(self.t) / self.n)
        return int(bounds.argmax())

    def learn(self, arm, reward):
        self.n[arm] += 1
        self.mean[arm] += (reward - self.mean[arm]) / self.n[arm]


def drive_upper_confidence():
    rewards = np.random.default_rng(2).normal([0.0, 1.0, 0.5], size=(10, 3))
    agent = UpperConfidence(3)
    for row in rewards:
        arm = agent.select()
        agent.learn(arm, row[arm])
        yield arm
    yield agent.mean


class QLearning:
    """A table in a dict of arrays."""

    def __init__(self, actions, alpha=0.5, gamma=0.9, epsilon=0.3, seed=0):
        self.q = defaultdict(lambda: np.zeros(actions))
        self.actions, self.alpha, self.gamma, self.epsilon = actions, alpha, gamma, epsilon
        self.rng = np.random.default_rng(seed)
        self.episodes = 0

    def act(self, state):
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(self.actions))
        return int(np.argmax(self.q[state]))

    def learn(self, state, action, reward, following, done):
        target = reward if done else reward + self.gamma * self.q[following].max()
        self.q[state][action] += self.alpha * (target - self.q[state][action])
        if done:
            self.episodes += 1
            self.epsilon = max(0.05, self.epsilon * 0.9)


def drive_q_learning():
    env, agent = GridWorld(3), QLearning(4)
    state = env.reset()
    for _ in range(30):
        action = agent.act(state)
        following, reward, done = env.step(action)
        agent.learn(state, action, reward, following, done)
        yield action, reward
        state = env.reset() if done else following
    yield agent.episodes
    yield {k: v.copy() for k, v in agent.q.items()}


class Sarsa:
    """A table as an array, and eligibility traces."""

    def __init__(self, states, actions):
        self.Q = np.zeros((states, actions))
        self.trace = np.zeros_like(self.Q)
        self.returns = deque(maxlen=5)
        self.episode_return = 0.0

    def update(self, s, a, r, s2, a2, done):
        delta = r - self.Q[s, a] if done else r + 0.9 * self.Q[s2, a2] - self.Q[s, a]
        self.trace[s, a] += 1
        self.Q += 0.3 * delta * self.trace
        self.episode_return += r
        if done:
            self.trace[:] = 0
            self.returns.append(self.episode_return)
            self.episode_return = 0.0
        else:
            self.trace *= 0.72
        return delta


def drive_sarsa():
    agent = Sarsa(3, 2)
    moves = [(0, 1, 0.0, 1, 0, False), (1, 0, -0.1, 1, 1, False), (1, 1, 1.0, 2, 0, True)]
    for k in range(9):
        s, a, r, s2, a2, done = moves[k % 3]
        yield agent.update(s, a, np.float64(r), s2, a2, done)
    yield agent.Q
    yield list(agent.returns)


class ReplayBuffer:
    def __init__(self, capacity, seed=0):
        self.capacity = capacity
        self.data = []
        self.position = 0
        self.rng = np.random.default_rng(seed)

    def push(self, *transition):
        if len(self.data) < self.capacity:
            self.data.append(None)
        self.data[self.position] = Transition(*transition)
        self.position = (self.position + 1) % self.capacity

    def sample(self, n):
        chosen = self.rng.choice(len(self.data), n, replace=False)
        batch = [self.data[i] for i in chosen]
        return Transition(*(np.array(column) for column in zip(*batch)))

    def __len__(self):
        return len(self.data)


class LinearQ:
    def __init__(self, features, actions):
        self.W = np.zeros((features, actions))
        self.target = self.W.copy()
        self.updates = 0

    def values(self, states):
        return states @ self.W

    def train(self, batch, gamma=0.9, lr=0.1):
        best = (batch.following @ self.target).max(axis=1)
        wanted = batch.reward + gamma * best * (1 - batch.done)
        rows = np.arange(len(wanted))
        error = wanted - self.values(batch.state)[rows, batch.action]
        for i in rows:
            self.W[:, batch.action[i]] += lr * error[i] * batch.state[i]
        self.updates += 1
        if self.updates % 3 == 0:
            self.target = self.W.copy()
        return (error**2).mean()


def drive_replay_and_linear_q():
    rng = np.random.default_rng(8)
    memory, agent = ReplayBuffer(6), LinearQ(2, 2)
    for k in range(12):
        memory.push(rng.normal(size=2), k % 2, rng.normal(), rng.normal(size=2), float(k % 4 == 3))
        if len(memory) >= 4:
            yield agent.train(memory.sample(4))
    yield agent.W
    yield memory.position


class MonteCarloValue:
    def __init__(self, gamma=0.9):
        self.gamma = gamma
        self.totals = defaultdict(float)
        self.visits = defaultdict(int)

    def episode(self, rewards):
        g, first = 0.0, {}
        for t in reversed(range(len(rewards))):
            g = rewards[t] + self.gamma * g
            first[t] = g
        for state, value in first.items():
            self.visits[state] += 1
            self.totals[state] += value
        return g

    def value(self, state):
        return self.totals[state] / self.visits[state] if self.visits[state] else math.nan


def drive_monte_carlo():
    agent = MonteCarloValue()
    for n in (3, 5, 3, 5, 3):
        yield agent.episode(np.linspace(0, 1, n))
        yield agent.value(2)
    yield agent.value(9)
