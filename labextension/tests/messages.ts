/** Messages as the kernel would send them. */

const HEAD = { protocol: 1, session: 'process', version: '0.1.0' };

/** The start of trace number `seq` of one function, as the event of that number. */
export function trace(seq: number): { seq: number } & Record<string, unknown> {
  return {
    v: 1,
    type: 'trace.started',
    seq,
    time_ns: seq,
    engine: 'tracefn',
    function: 'f#1',
    signature: `f#1/${seq}`,
    location: null,
    function_name: 'f',
    function_key: 'm.f',
    defined: null,
    trace: seq,
    signature_text: 'x',
    signature_hash: `h${seq}`,
    arguments: [],
    cell: null
  };
}

/** The reason of the trace whose start was the event before. */
export function retrace(seq: number): { seq: number } & Record<string, unknown> {
  const { signature } = trace(seq - 1);
  const why = { trace: seq - 1, nearest: 1, nearest_signature: 'f#1/1', causes: [], text: 'x: shape' };
  return { ...trace(seq), type: 'retrace.explained', signature, ...why };
}

export function hello(last: number): object {
  return { ...HEAD, kind: 'hello', last };
}

export function batch(number: number, events: { seq: number }[]): object {
  const seqs = events.map(({ seq }) => seq);
  return {
    ...HEAD,
    kind: 'batch',
    batch: number,
    first: Math.min(...seqs),
    last: Math.max(...seqs),
    events,
    graphs: {}
  };
}

/** A part of a graph of `total` nodes, before its event. */
export function part(number: number, seq: number, first: number, count: number, total: number): object {
  const nodes = Array.from({ length: count }, (_, i) => ({ id: `v${first + i}`, op: 'tanh', inputs: [], type: 0, scope: 0, at: 0 }));
  const tables = { types: [['float64', [2], 'array']], scopes: [[`call#${first}`, 0]], places: [['f.py', first, null, null]] };
  const graph = { hash: 'large', name: 'f', inputs: [], outputs: [], nodes, ...tables, first, left: total - first - count };
  return { ...batch(number, []), first: seq, last: seq - 1, graphs: { large: graph } };
}

export function keyframe(last: number, totals: object = {}): object {
  return { ...HEAD, kind: 'keyframe', batch: 1, last, totals };
}

export function snapshot(last: number, events: object[]): object {
  return { ...HEAD, last, batch: 1, dropped: 0, events };
}
