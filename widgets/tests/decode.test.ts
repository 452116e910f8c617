import { describe, expect, it } from 'vitest';
import { decodeEvent, decodeEvents, decodeGraph, decodeMessage, decodeSnapshot } from '../src/protocol';
import { node, started } from './samples';

const HEAD = { protocol: 1, session: 's', version: '0.1' };

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
      graphs: { h: { hash: 'h', name: 'f', inputs: [], outputs: [], nodes: [node('a')] }, bad: 3 }
    });
    expect(batch).toMatchObject({ kind: 'batch', skipped: 1 });
    expect(batch?.kind === 'batch' && batch.graphs.map(({ graph, first, left }) => [graph.hash, first, left])).toEqual([['h', 0, 0]]);
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
