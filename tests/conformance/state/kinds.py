"""The kinds of state that programs keep: how each is made, written, read, and changed by the code that calls.

A line is a weight and a template, `\\n` for a new line. In templates `<f>` is the place itself, and what is in angle
brackets is filled in from what the statement can see: `<s>` a number that is traced, `<v>` three numbers, `<a>` an array
as long as the argument, `<num>` a number, `<int>` an integer, `<k>` a small constant, `<c>` a constant with a fraction,
`<cond>` a condition on traced values, `<pcond>` one on Python values, `<y>` the result so far.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Kind:
    """One kind of state. `reads` are numbers that it gives, `vectors` groups of three, `results` what may be returned.
    `weight` is how common it is."""

    weight: int
    inits: list
    writes: list
    reads: list
    changes: list
    vectors: list
    results: list


def _weighted(text):
    rows = []
    for line in text.strip().splitlines():
        weight, _, template = line.strip().partition(" ")
        rows.append((int(weight), template.replace("\\n", "\n")))
    return rows


def _kind(weight, inits, writes, reads="", changes="", vectors="", results="<f>"):
    def split(text):
        return [part.strip() for part in text.split("|") if part.strip()]

    return Kind(weight, split(inits), _weighted(writes), split(reads), split(changes), split(vectors), split(results))


KINDS = {
    "int": _kind(
        12,
        "0 | 0 | 0 | 1 | 3",
        """30 <f> += 1
        6 <f> = <f> + 1
        6 <f> += len(x)
        3 <f> -= 1
        4 <f> = (<f> + 1) % 4
        2 <f> *= 2
        5 if <cond>:\\n    <f> += 1
        3 <f> += int(<s> > 0)
        3 if <f> > 3:\\n    <f> = 0
        3 <f> += 1\\nif <f> % 2 == 0:\\n    <stmt>
        3 <f> += 1\\nif <f> % 3 == 0:\\n    <y> = <y> * 0.5\\nelse:\\n    <stmt>
        2 <f> = max(<f>, len(x))
        1 before, <f> = <f>, <f> + 1\\n<y> = <y> + before
        3 for i in range(<k>):\\n    <f> += i
        2 for i in range(len(x)):\\n    if <x1> > 0.5:\\n        <f> += 1
        1 while <f> > 6:\\n    <f> -= 4
        1 <f> ^= 5
        1 <f> = (1103515245 * <f> + 12345) % 2**31
        1 <f> //= 2
        2 <f> += <int>
        2 <f> = <f> + 1 if <pcond> else 0
        1 <f> = int(<s>)
        1 <f> = <f> * 1000003 + 1
        3 <f> += 1\\n<y> = <y> / <f>
        3 <f> += 1\\n<y> = <y> / (1 - 0.9 ** <f>)
        1 <f> += True""",
        "<f>",
        "<f> = 5 | <f> += 2 | <f> = 0",
        "",
        "<f> | float(<f>) | <f> * 2",
    ),
    "total": _kind(
        7,
        "0 | 0.0 | 0.0",
        """20 <f> += <s>
        6 <f> = <f> + <s>
        5 <f> += float(<s>)
        3 <f> -= <s>
        2 <f> += <s> / max(len(x), 1)
        2 if <cond>:\\n    <f> += <s>
        2 for i in range(len(x)):\\n    <f> += <x1>
        1 <f> = 0.0 if <cond> else <f> + <s>""",
        "<f>",
        "<f> = 0.0 | <f> += 1.5 | <f> = 0",
        "",
        "<f> | float(<f>) | <f> / 2",
    ),
    "float": _kind(
        9,
        "0.0 | 1.0 | 0.5 | 2.5",
        """14 <f> = 0.9 * <f> + 0.1 * <s>
        5 <f> = 0.9 * <f> + 0.1 * float(<s>)
        8 <f> *= 0.5
        4 <f> *= <c>
        3 <f> -= 0.1 * <s>
        4 <f> = max(<f>, <s>)
        3 <f> = min(<f>, float(<s>))
        5 if <s> > <f>:\\n    <f> = <s>
        3 if <s> < <f>:\\n    <f> = float(<s>)\\n    <stmt>
        3 if <f> > 4:\\n    <f> = 0.5
        2 <f> /= 2
        2 <f> = abs(<f>) ** 0.5
        2 <f> = <f> + <num>
        2 <f> += (<s> - <f>) / <int1>
        1 <f> = round(<f>, 2)
        1 <f> = float(np.clip(<s>, -1, 1))
        2 <f> = x.mean()
        1 <f> = x.std().item()
        1 <f> = -<f>
        1 <f> = np.sqrt(abs(<f>))
        2 <y> = <y> * <f>\\n<f> *= 0.9""",
        "<f>",
        "<f> = 0.25 | <f> *= 2 | <f> = 1.0 | <f> = float('nan') | <f> = -0.0",
        "",
        "<f> | float(<f>) | <f> > 1",
    ),
    "flag": _kind(
        5,
        "False | False | True",
        """6 <f> = True
        5 <f> = not <f>
        6 if not <f>:\\n    <stmt>\\n    <f> = True
        4 <f> = bool(<cond>)
        3 <f> = <cond>
        4 if <f>:\\n    <y> = <y> + 1
        3 if <f>:\\n    <stmt>\\nelse:\\n    <stmt>
        2 if <cond>:\\n    <f> = True
        1 <f> |= <pcond>
        1 <f> = <f> and <pcond>
        1 <y> = <y> * 2 if <f> else <y>""",
        "int(<f>)",
        "<f> = True | <f> = False | <f> = not <f>",
    ),
    "complex": _kind(
        1,
        "1j | 1 + 0j | 0j",
        """3 <f> *= 1j
        3 <f> += <s>
        2 <f> = <f> * 0.5 + 1j
        1 <f> = <f>.conjugate()
        1 <f> += complex(<s>, 1.0)""",
        "<f>.real | <f>.imag | abs(<f>)",
        "<f> = 2j | <f> *= 2",
    ),
    "numpy number": _kind(
        4,
        "np.float64(0.0) | np.float64(1.5) | np.int64(2) | np.float32(0.5)",
        """6 <f> += 1
        6 <f> = <f> + <s>
        3 <f> = 0.5 * <f> + <s>
        2 <f> = np.maximum(<f>, <s>)
        2 <f> *= 2
        1 <f> = x.dtype.type(<k>)
        2 <f> = x.max()""",
        "<f>",
        "<f> = np.float64(0.5) | <f> += 1",
    ),
    "0-d": _kind(
        2,
        "np.zeros(()) | np.array(3.0) | np.array(0)",
        """5 <f> = <f> + 1
        4 <f> += 1
        3 <f> = <f> + <s>
        3 <f>[...] = <k>
        2 <f>[()] = <s>
        1 <f> = np.array(<s>)
        1 <f> = np.asarray(<num>)""",
        "<f> | float(<f>) | <f>[()]",
        "<f> = np.array(2.0) | <f> += 1 | <f>[...] = 4",
    ),
    "None": _kind(
        8,
        "None",
        """10 if <f> is None:\\n    <f> = <v>\\nelse:\\n    <f> = 0.9 * <f> + 0.1 * <v>
        8 if <f> is None:\\n    <f> = np.zeros(3)\\n<f> = <f> + <v>
        4 if <f> is None:\\n    <f> = np.zeros(3)\\n<f> += <v>
        4 <f> = <v> if <f> is None else np.maximum(<f>, <v>)
        3 <f> = <v>
        2 if <f> is not None:\\n    <y> = <y> + <f>.sum()
        1 <f> = None
        2 if <f> is not None and <pcond>:\\n    <f> = None
        1 if <f> is None or <f>[0] > 3:\\n    <f> = <v>
        1 <f> = <f> or <v>.tolist()""",
        "(0.0 if <f> is None else <f>[0])",
        "<f> = None | <f> = np.ones(3)",
    ),
    "maybe number": _kind(
        4,
        "None",
        """6 if <f> is None:\\n    <f> = <s>\\nelse:\\n    <f> = 0.5 * (<f> + <s>)
        5 if <f> is None or <s> > <f>:\\n    <f> = <s>
        3 if <f> is None:\\n    <f> = 0
        4 <f> = <s> if <f> is None else min(<f>, <s>)
        2 if <f> is not None:\\n    <y> = <y> - <f>\\n<f> = <s>
        1 <f> = None""",
        "(0.0 if <f> is None else <f>)",
        "<f> = None | <f> = 1.5",
    ),
    "text": _kind(
        4,
        "'idle' | 'train' | ''",
        """5 <f> = 'train' if <f> != 'train' else 'eval'
        5 if <f> == 'train':\\n    <y> = <y> * 2\\nelse:\\n    <y> = <y> + 1
        3 if <f> == 'train':\\n    <stmt>
        3 <f> = 'warm' if <pcond> else 'cold'
        2 <f> = 'up' if <cond> else 'down'
        2 if <cond>:\\n    <f> = 'high'
        1 <f> = f'{<int>} calls'
        1 <f> = f'{<s>:.2f}'
        1 <f> = (<f> + 'a')[-4:]""",
        "len(<f>)",
        "<f> = 'train' | <f> = 'eval' | <f> = ''",
    ),
    "tuple": _kind(
        3,
        "(1.0, 2.0) | (0, 1) | (0.5, 1, 2.0)",
        """4 <f> = (<s>, *<f>[:2])
        3 <f> = <f>[-2:] + (<s>,)
        3 a, b = <f>[:2]\\n<f> = (b, a + b)
        2 <f> = (<f>[0] + 1, <f>[1])
        2 <f> = (len(x), <num>)
        1 <f> = tuple(v * 0.5 for v in <f>)
        1 <f> = <f>[::-1]""",
        "<f>[0] | <f>[-1] | sum(<f>)",
        "<f> = (0.5, 0.25) | <f> = (1, 2)",
    ),
    "list": _kind(
        10,
        "[] | [] | [1.0, 2.0] | [0] * 3",
        """18 <f>.append(<s>)
        6 <f>.append(float(<s>))
        3 <f>.append(len(x))
        2 <f>.append(<num>)
        5 <f>.append(<s>)\\n<f> = <f>[-3:]
        4 <f>.append(<s>)\\nif len(<f>) > 3:\\n    <f>.pop(0)
        3 <f>.insert(0, <s>)
        2 <f>.insert(0, <s>)\\ndel <f>[3:]
        2 if len(<f>) > 2:\\n    del <f>[0]
        2 if <f>:\\n    <y> = <y> + <f>.pop()
        2 if <f>:\\n    <f>[-1] += <s>
        1 <f>[-1:] = [<s>, <k>]
        2 if <f>:\\n    <f>[0] = <s>
        2 <f>.extend([<s>, <num>])
        2 <f> += [<s>]
        1 <f>[:] = <f>[-2:]
        2 <f> = [v * 0.5 for v in <f>]
        2 for i in range(len(<f>)):\\n    <f>[i] += 1
        1 for i, v in enumerate(<f>):\\n    <f>[i] = v * 0.5 + <s>
        4 <f> = []
        1 <f>.clear()
        1 <f>.reverse()
        1 <f> = sorted(<f>)
        1 <f>.sort()
        3 if <cond>:\\n    <f>.append(<s>)
        1 for v in x[:3]:\\n    <f>.append(v)
        1 <f> = <f> + [<s>]
        1 <f>, old = [<s>], <f>\\n<y> = <y> + len(old)
        1 <f>.append(<s>)\\nwhile len(<f>) > 2:\\n    <f>.pop(0)""",
        "len(<f>) | sum(<f>) | (<f>[-1] if <f> else 0) | (np.mean(<f>) if <f> else 0.0) | max(<f>, default=0)",
        "<f> = [] | <f>.append(1.5) | <f>.clear() | <f>[:] = [1.0, 2.0, 3.0] | <f> = [3.0]",
        "",
        "<f> | list(<f>) | len(<f>) | np.array(<f>) | <f>[-2:]",
    ),
    "arrays": _kind(
        6,
        "[np.zeros(3), np.ones(3)] | [np.zeros(3) for _ in range(2)] | [np.arange(3.0)]",
        """6 <f> = [p - 0.1 * <v> for p in <f>]
        5 for i in range(len(<f>)):\\n    <f>[i] = <f>[i] - 0.1 * <v>
        4 for i, p in enumerate(<f>):\\n    <f>[i] = p * 0.5 + <v>
        4 for p in <f>:\\n    p -= 0.1 * <v>
        3 for p in <f>:\\n    p[0] += <s>
        2 <f>[0] += <v>
        2 <f>[-1][:] = <v>
        3 <f>.append(<v>)\\nif len(<f>) > 3:\\n    <f>.pop(0)
        2 <f>.append(<v>)\\n<f> = <f>[-2:]
        2 <f>[0] = <v>
        1 <f>.insert(0, <v>)\\n<f>.pop()
        1 <f>[0], <f>[-1] = <f>[-1], <f>[0]
        1 first = <f>[0]\\nfirst *= 0.5
        1 for p, q in zip(<f>, <f>[1:]):\\n    p += q
        1 <f> = [<v>, <v>]""",
        "len(<f>) | <f>[0].sum() | sum(p[0] for p in <f>)",
        "<f>[0][1] = 4.0 | <f>[0] = np.ones(3) | <f> = [np.zeros(3), np.full(3, 2.0)] | <f>.append(np.ones(3))",
        "<f>[0] | <f>[-1] | sum(<f>) | np.mean(<f>, axis=0) | np.stack(<f>)[-1]",
        "<f> | <f>[0] | np.stack(<f>) | [p.copy() for p in <f>]",
    ),
    "histories": _kind(
        3,
        "[]",
        """6 <f>.append(x * 2)
        4 <f>.append(<a>)
        2 <f>.append(x.copy())
        2 <f>.append(x)
        2 <f>.append(<a>)\\nif len(<f>) > 2:\\n    <f>.pop(0)
        2 <f>.append((len(x), <s>))
        2 <f>.append({'n': len(x), 'loss': <s>})
        1 <f>.append([<s>, <num>])""",
        "len(<f>)",
        "<f> = [] | <f>.append(np.ones(2)) | <f>.clear()",
        "",
        "<f> | <f>[-1] | len(<f>)",
    ),
    "dict": _kind(
        9,
        "{} | {'n': 0} | {'n': 0, 'loss': 0.0}",
        """8 <f>['n'] = <f>.get('n', 0) + 1
        6 <f>['loss'] = <s>
        4 <f>['last'] = len(x)
        4 if 'n' not in <f>:\\n    <f>['n'] = 0\\n<f>['n'] += 1
        3 <f>.setdefault('n', 0)\\n<f>['n'] += len(x)
        3 <f>[len(x)] = <s>
        2 <f>[len(x)] = <f>.get(len(x), 0) + 1
        2 <f>['ema'] = 0.9 * <f>.get('ema', 0.0) + 0.1 * <s>
        2 <f>.update(loss=<s>, n=<int>)
        2 <f>.update({'mean': x.mean(), 'n': len(x)})
        2 <f>.pop('loss', None)
        1 if 'loss' in <f>:\\n    del <f>['loss']
        2 for k in <f>:\\n    <f>[k] = <f>[k] * 2
        2 for k, v in <f>.items():\\n    <y> = <y> + v
        1 <f> = {k: v * 0.5 for k, v in <f>.items()}
        1 <f> = dict(<f>, n=<int>)
        2 <f>[f'loss_{<int>}'] = <s>
        1 <f>.clear()
        2 <f> = {}
        2 <f>.setdefault('seen', []).append(<s>)
        1 <f> |= {'n': <int>, 'k': <k>}
        2 if <cond>:\\n    <f>['hits'] = <f>.get('hits', 0) + 1
        1 <f>[int(x.flat[0])] = <s>
        2 if len(<f>) > 4:\\n    <f>.popitem()
        1 <y> = <y> + <f>['n']""",
        "len(<f>) | <f>.get('n', 0) | <f>.get('loss', 0.0)",
        "<f> = {} | <f>['n'] = 3 | <f>.clear() | <f>['loss'] = 0.5 | <f> = {'n': 1, 'loss': 2.0} | <f>.pop('n', None)",
        "",
        "<f> | dict(<f>) | list(<f>) | sorted(map(str, <f>))",
    ),
    "parameters": _kind(
        7,
        "{'w': np.ones(3), 'b': np.zeros(3)} | {'w': np.arange(3.0), 'b': np.zeros(3)}",
        """7 <f>['w'] = <f>['w'] - 0.1 * <v>
        6 <f>['w'] -= 0.1 * <v>
        4 for k in <f>:\\n    <f>[k] = <f>[k] - 0.1 * <v>
        3 for k in <f>:\\n    <f>[k] -= 0.1 * <v>
        3 for k, p in <f>.items():\\n    <f>[k] = p * 0.9
        2 for p in <f>.values():\\n    p *= 0.9
        2 <f>['b'][0] = <s>
        2 <f>['g'] = <v>
        2 <f> = {k: p + <v> for k, p in <f>.items()}
        1 w = <f>['w']\\nw += <v>
        1 <f>['w'], <f>['b'] = <f>['b'], <f>['w']
        1 <f>['b'] = <f>['w']
        1 <f>['b'] = <f>['w'][:]
        2 <f>['w'] = <f>['w'] * 0.9 + <v>\\n<y> = <y> + <f>['w'].sum()""",
        "len(<f>) | <f>['w'].sum() | <f>['b'][0]",
        "<f>['w'] = np.ones(3) | <f>['w'][0] = 2.0 | <f> = {'w': np.zeros(3), 'b': np.ones(3)} | <f>['b'] = <f>['w']",
        "<f>['w'] | <f>['b'] | sum(<f>.values())",
        "<f> | <f>['w'] | {k: p.copy() for k, p in <f>.items()}",
    ),
    "set": _kind(
        2,
        "set() | {1, 2}",
        """5 <f>.add(len(x))
        3 <f>.add(<int>)
        2 <f>.discard(<k>)
        2 if len(x) not in <f>:\\n    <f>.add(len(x))\\n    <y> = <y> * 2
        1 <f> |= {<k>, <int>}
        1 <f>.update(range(<k>))
        1 <f>.add(int(<s>))
        1 if <k> in <f>:\\n    <f>.remove(<k>)""",
        "len(<f>)",
        "<f>.add(9) | <f> = set() | <f>.clear()",
    ),
    "deque": _kind(
        5,
        "deque(maxlen=3) | deque(maxlen=3) | deque() | deque([1.0], maxlen=2)",
        """14 <f>.append(<s>)
        4 <f>.append(float(<s>))
        3 <f>.appendleft(<s>)
        3 if len(<f>) > 2:\\n    <f>.popleft()
        3 if <f>:\\n    <y> = <y> + <f>.pop()
        2 <f>.extend([<s>, <num>])
        1 <f>.rotate(1)
        1 <f>.clear()
        2 <f>.append(len(x))
        2 if <cond>:\\n    <f>.append(<s>)
        1 if <f>:\\n    <f>[0] = <s>
        1 <f>.extendleft([<num>, <k>])
        1 if <f>:\\n    <f>[-1] += 1""",
        "len(<f>) | sum(<f>) | (<f>[-1] if <f> else 0) | (np.mean(<f>) if <f> else 0.0) | (sum(<f>) / max(len(<f>), 1))",
        "<f>.append(2.5) | <f>.clear() | <f> = deque(maxlen=3) | <f>.appendleft(0.5)",
        "",
        "<f> | list(<f>) | len(<f>)",
    ),
    "deque of arrays": _kind(
        2,
        "deque(maxlen=2) | deque([np.zeros(3)], maxlen=3)",
        """6 <f>.append(<v>)
        2 <f>.appendleft(<v>)
        1 if len(<f>) > 1:\\n    <f>.popleft()
        2 if <f>:\\n    <f>[-1][0] = <k>""",
        "len(<f>) | sum(p[0] for p in <f>)",
        "<f>.append(np.ones(3)) | <f>.clear()",
        "(np.mean(<f>, axis=0) if <f> else np.zeros(3)) | (<f>[-1] if <f> else np.ones(3))",
    ),
    "OrderedDict": _kind(
        2,
        "OrderedDict() | OrderedDict(a=1.0, b=2.0)",
        """4 <f>[len(x)] = <s>
        3 <f>[len(x)] = <f>.pop(len(x), 0) + 1
        3 <f>['a'] = <s>\\n<f>.move_to_end('a')
        3 if len(<f>) > 2:\\n    <f>.popitem(last=False)
        2 <f>[<int>] = <num>
        1 <f>.move_to_end(next(iter(<f>)))""",
        "len(<f>) | sum(<f>.values())",
        "<f>['b'] = 3.0 | <f>.clear() | <f> = OrderedDict()",
    ),
    "Counter": _kind(
        2,
        "Counter() | Counter(a=1)",
        """5 <f>['calls'] += 1
        4 <f>[len(x)] += 1
        2 <f>['up' if <cond> else 'down'] += 1
        2 <f>.update([len(x), <k>])
        1 <f>.update(x.astype(int).ravel().tolist())
        1 <f>['sum'] += <s>
        1 <y> = <y> + <f>.most_common(1)[0][1]""",
        "<f>['calls'] | sum(<f>.values()) | len(<f>)",
        "<f>['calls'] = 4 | <f>.clear() | <f>['x'] += 1",
    ),
    "defaultdict": _kind(
        3,
        "defaultdict(list) | defaultdict(list)",
        """6 <f>['loss'].append(<s>)
        4 <f>[len(x)].append(<s>)
        2 <f>[<int> % 2].append(<num>)
        2 <f>['n'].append(len(x))
        1 <f>['loss'] = <f>['loss'][-2:]""",
        "len(<f>) | len(<f>['loss'])",
        "<f>['loss'].append(0.5) | <f>.clear() | <f>['loss'] = []",
    ),
    "counts": _kind(
        3,
        "defaultdict(int) | defaultdict(float)",
        """6 <f>['n'] += 1
        4 <f>[len(x)] += 1
        4 <f>['sum'] += <s>
        2 <f>['pos' if <cond> else 'neg'] += 1
        1 <f>[int(x.flat[0])] += 1""",
        "<f>['n'] | len(<f>) | sum(<f>.values())",
        "<f>['n'] = 3 | <f>.clear()",
    ),
    "array": _kind(
        14,
        "np.zeros(3) | np.zeros(3) | np.ones(3) | np.arange(3.0) | np.full(3, 0.5)",
        """10 <f> = <f> + <v>
        8 <f> += <v>
        5 <f> = <f> - 0.1 * <v>
        5 <f> = 0.9 * <f> + 0.1 * <v>
        4 <f>[0] = <s>
        4 <f>[<int> % 3] = <s>
        3 <f>[<int> % 3] += 1
        3 <f>[:] = <v>
        2 <f>[1:] = <f>[:-1]\\n<f>[0] = <s>
        3 <f> = np.roll(<f>, 1)\\n<f>[0] = <s>
        2 <f>[<f> < 0] = 0
        2 <f> = np.where(<f> > 2, 0, <f>)
        1 <f>.fill(<k>)
        3 <f> *= 0.9
        1 np.add(<f>, <v>, out=<f>)
        2 <f> = np.zeros(3)
        3 <f> = <v>
        1 w = <f>[1:]\\nw += 1
        1 <f>.sort()
        2 if <cond>:\\n    <f> = <f> * 0.5
        2 if <cond>:\\n    <f>[0] = 0
        1 <f>[np.argmax(<f>)] = 0
        1 <f>[int(<int>) % 3 :] += <s>
        1 <f> = <f>.copy()
        1 <f> = np.append(<f>[1:], <s>)
        1 <f> = np.concatenate([<f>, [<s>]])[-3:]
        2 for i in range(3):\\n    <f>[i] += <s>
        2 for i in range(3):\\n    if <f>[i] > 1:\\n        <f>[i] -= 1
        1 <f> = np.clip(<f>, -3, 3)
        1 <f> = np.maximum(<f>, <v>)
        1 <f> /= max(<int>, 1)
        1 <f>[...] = 0
        1 <f> = x""",
        "<f>[0] | <f>.sum() | <f>[-1] | float(<f>[1])",
        "<f>[0] = 7.0 | <f> = np.ones(3) | <f> += 1 | <f> = <f> * 2 | <f>[:] = 0 | <f> = np.array([3.0, 1.0, 2.0])",
        "<f> | <f> | <f> * 2 | np.abs(<f>)",
        "<f> | <f>.copy() | <f>[:2] | <f>.tolist() | <f>[::-1]",
    ),
    "int counts": _kind(
        3,
        "np.zeros(4, dtype=int) | np.zeros(4, int)",
        """4 <f>[<int> % 4] += 1
        3 <f>[np.argmax(<v>)] += 1
        2 <f>[int(abs(<s>)) % 4] += 1
        1 np.add.at(<f>, np.arange(len(x)) % 4, 1)
        2 <f> += 1
        1 <f>[len(x) % 4] -= 1
        1 <f> = np.bincount(np.arange(len(x)) % 4, minlength=4)
        1 <f> += np.bincount(np.abs(x.ravel()).astype(int) % 4, minlength=4)""",
        "<f>[0] | <f>.sum() | int(<f>.max())",
        "<f>[1] = 5 | <f> = np.zeros(4, dtype=int) | <f> += 1",
        "<f>[:3]",
    ),
    "flags array": _kind(
        1,
        "np.zeros(3, dtype=bool) | np.ones(3, bool)",
        """3 <f> = <v> > 0
        3 <f> |= <v> > 1
        2 <f>[0] = True
        2 <f>[<int> % 3] = not <f>[0]
        1 <f> = ~<f>""",
        "<f>.sum() | int(<f>[0])",
        "<f>[1] = True | <f> = np.zeros(3, dtype=bool)",
        "<f>.astype(float) | np.where(<f>, 1.0, 0.5)",
    ),
    "generator": _kind(
        2,
        "np.random.default_rng(7) | np.random.default_rng(1) | np.random.RandomState(3)",
        """5 <y> = <y> + <f>.normal(size=len(x))[0]
        3 <y> = <y> * <f>.uniform()
        2 <y> = <y> + <f>.normal(size=3).sum()
        2 if <f>.uniform() < 0.5:\\n    <stmt>
        1 <y> = <y> + <f>.permutation(3)[0]
        1 order = np.arange(3)\\n<f>.shuffle(order)\\n<y> = <y> + order[0]
        1 <y> = <y> + <f>.choice(3)""",
        "<f>.uniform()",
        "<f>.normal() | <f> = np.random.default_rng(5)",
        "<f>.normal(size=3)",
        "None",
    ),
    "iterator": _kind(
        1,
        "itertools.count() | iter(range(20)) | itertools.cycle([1.0, 2.0, 3.0]) | iter([0.5] * 30)",
        """5 <y> = <y> * next(<f>)
        2 <y> = <y> + next(<f>, 0)
        1 for v in itertools.islice(<f>, 2):\\n    <y> = <y> + v""",
        "next(<f>)",
        "next(<f>) | <f> = iter([4.0] * 30)",
        "",
        "None",
    ),
}
