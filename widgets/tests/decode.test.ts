import { describe, expect, it } from 'vitest';
import { decodeEvent, decodeEvents, decodeGraph, decodeMessage, decodePart, decodeSnapshot } from '../src/protocol';
import { started } from './samples';

const HEAD = { protocol: 1, session: 's', version: '0.1' };

/** A part of a graph of four nodes. */
const PART = {
  hash: '9f',
  name: 'f',
  inputs: ['x'],
  outputs: ['v1'],
  first: 2,
  left: 1,
  nodes: [{ id: 'v1', op: 'tanh', call: 'np.tanh(x)', inputs: ['x'], type: 1, variable: 'h', scope: 0, at: 1 }],
  types: [[null, null, 'tuple'], ['float64', [2, null], 'array']],
  scopes: [['f/g', 0], ['f', null]],
  places: [['a.py', 3, null, null], ['', 4, 'cell', 7]]
};

describe('decodeEvent', () => {
  it('reads an event and ignores fields it does not know', () => {
    const decoded = decodeEvent({ ...started(3), later: 'field', location: { file: 'f', line: 2, x: 1 } });
    expect(decoded).toMatchObject({ type: 'trace.started', seq: 3, location: { line: 2, cell: null } });
    expect(decoded).not.toHaveProperty('later');
  });

  it.each([
    ['an unknown type', { ...started(1), type: 'fused.kernel' }],
    ['a type named like an object member', { ...started(1), type: 'constructor' }],
    ['another version', { ...started(1), v: 2 }],
    ['a missing field', { ...started(1), function_key: undefined }],
    ['a field of another kind', { ...started(1), trace: 'one' }],
    ['no object', 'event'],
    ['null', null]
  ])('skips %s', (_, data) => {
    expect(decodeEvent(data)).toBeNull();
  });

  it('counts what it skips', () => {
    const { events, skipped } = decodeEvents([started(1), { type: 'new.thing', v: 1 }, 7]);
    expect(events.map(({ seq }) => seq)).toEqual([1]);
    expect(skipped).toBe(2);
  });

  it('takes symbolic and unknown dimensions', () => {
    const argument = { path: 'x', kind: 'tensor', text: '', dtype: 'int8', shape: [2, null, '2*n'] };
    const decoded = decodeEvent({ ...started(1), arguments: [argument] });
    expect(decoded?.type === 'trace.started' && decoded.arguments[0]?.shape).toEqual([2, null, '2*n']);
  });
});

describe('decodeMessage', () => {
  it('reads hello, batch and keyframe', () => {
    expect(decodeMessage({ ...HEAD, kind: 'hello', last: 4 })).toMatchObject({ kind: 'hello', last: 4 });
    const batch = decodeMessage({
      ...HEAD,
      kind: 'batch',
      batch: 1,
      first: 1,
      last: 2,
      events: [started(1), { type: 'unknown' }],
      graphs: { h: { ...PART, hash: 'h' }, bad: 3 }
    });
    expect(batch).toMatchObject({ kind: 'batch', skipped: 1 });
    expect(batch?.kind === 'batch' && batch.graphs.map(({ graph, first, left }) => [graph.hash, first, left])).toEqual([['h', 2, 1]]);
    const totals = { 'f#1/1': { count: 2, timed: 1, timed_ns: 9 } };
    const keyframe = decodeMessage({ ...HEAD, kind: 'keyframe', batch: 1, last: 2, totals });
    expect(keyframe?.kind === 'keyframe' && keyframe.totals.get('f#1/1')?.count).toBe(2);
  });

  it('reports another protocol version, whatever else is in the message', () => {
    expect(decodeMessage({ protocol: 2, version: '9.0', kind: 'surprise' })).toEqual({
      kind: 'incompatible',
      protocol: 2,
      version: '9.0'
    });
    expect(decodeSnapshot({ protocol: 0 })).toMatchObject({ kind: 'incompatible', protocol: 0 });
  });

  it('drops what is no message', () => {
    expect(decodeMessage({ ...HEAD, kind: 'gossip' })).toBeNull();
    expect(decodeMessage(undefined)).toBeNull();
  });
});

describe('decodeGraph', () => {
  it('fills what is optional and keeps odd attribute names harmless', () => {
    const data = JSON.parse(
      '{"hash":"h","name":"f","inputs":[],"outputs":[],"nodes":[{"id":"a","op":"o","inputs":[],"attrs":{"__proto__":"x"}}]}'
    );
    const graph = decodeGraph(data);
    expect(graph?.nodes[0]).toMatchObject({ scope: '', dtype: null, line: null });
    expect(Object.keys(graph?.nodes[0]?.attrs ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('refuses what is no graph', () => {
    expect(decodeGraph({ hash: 'h', nodes: [{ id: 1 }] })).toBeNull();
  });
});

describe('decodePart', () => {
  it('gives nodes what stands in the tables', () => {
    const { graph, first, left } = decodePart(PART) ?? {};
    expect([first, left]).toEqual([2, 1]);
    expect(graph?.sites).toEqual({ 'f/g': { file: 'a.py', line: 3, cell: null, cell_number: null } });
    const place = { scope: 'f/g', file: '', line: 4, cell: 'cell', cell_number: 7 };
    const type = { dtype: 'float64', shape: [2, null], kind: 'array' };
    const own = { id: 'v1', op: 'tanh', call: 'np.tanh(x)', inputs: ['x'], attrs: {}, bodies: {}, flow: null, variable: 'h' };
    expect(graph?.nodes).toEqual([{ ...own, ...type, ...place }]);
  });

  it('refuses a node of which a table knows nothing', () => {
    expect(decodePart({ ...PART, types: [] })).toBeNull();
    expect(decodePart({ ...PART, scopes: [['f/g', 9]] })).toBeNull();
  });
});
