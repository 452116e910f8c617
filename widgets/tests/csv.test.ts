import { describe, expect, it } from 'vitest';
import { Store } from '../src/store';
import { toCsv } from '../src/views/common/csv';
import { nodesCsv } from '../src/views/graph/node_table';
import { rowsCsv, rowsOf } from '../src/views/retraces/rows';
import { event, graphOf, node, started } from './samples';

describe('CSV', () => {
  it('quotes commas, quotes and line ends', () => {
    expect(toCsv(['a', 'b'], [['x, y', 'say "no"'], ['two\nlines', null]])).toBe('a,b\r\n"x, y","say ""no"""\r\n"two\nlines",\r\n');
  });

  it('lets no text of the user be a formula', () => {
    expect(toCsv(['a'], [['=cmd|calc'], ['+1'], ['@x'], ['-x'], [-1]])).toBe("a\r\n'=cmd|calc\r\n'+1\r\n'@x\r\n'-x\r\n-1\r\n");
  });

  it('has all nodes of a graph, those of bodies too', () => {
    const body = graphOf([node('v1', [], { call: 'np.tanh(y)' })]);
    const graph = graphOf([node('x', [], { op: 'input' }), node('v0', ['x'], { op: 'for_loop', bodies: { body } })]);
    const lines = nodesCsv(graph).trim().split('\r\n');
    expect(lines.map(line => line.split(',')[0])).toEqual(['node', 'x', 'v0', 'v1']);
    expect(lines[2]).toBe('v0,for_loop,np.add(x),"float32[2, 4]",array,x,,f.py line 1');
  });

  it('has the retraces that are listed', () => {
    const store = new Store();
    const text = 'x: shape (2, 3) → (4, 3) at dimension 0';
    const cause = { path: 'x', kind: 'dimension', old: '2', new: '4', text, dimension: 0 };
    const fields = { trace: 2, nearest: 1, nearest_signature: 'f#1/1', causes: [cause], text };
    store.apply([started(1), started(2, 2), event('retrace.explained', 3, fields, { signature: 'f#1/2' })]);
    expect(rowsCsv(rowsOf(store.state))).toBe(
      `function,trace,why,causes,needless,runs eagerly,call,cost_ns\r\nf,2,"${text}",shape,,false,,\r\n`
    );
  });
});
