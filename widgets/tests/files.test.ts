import { describe, expect, it } from 'vitest';
import { Folded } from '../src/layout';
import { h, svg } from '../src/views/common/dom';
import { csvText } from '../src/views/common/picture';
import { bars } from '../src/views/common/bars';
import { dotFile } from '../src/views/graph/dot_file';
import { table } from '../src/views/size';

describe('what a view is saved as', () => {
  it('has the tables and bars of the page that show', () => {
    const rows = [['#1', '75 → 75'], ['#2', '=x']].map(texts => h('tr', {}, ...texts.map(text => h('td', { text }))));
    const hidden = table(['no'], []);
    hidden.hidden = true;
    const page = h('div', {}, table(['trace', 'nodes'], rows), bars('phases', [{ name: 'bind', value: 1, text: '17 ms' }]), hidden);
    expect(csvText(page)).toBe("trace,nodes\r\n#1,75 → 75\r\n#2,'=x\r\n\r\nbind,17 ms\r\n");
    expect(csvText(h('div', {}, svg('svg')))).toBe('');
    const about = h('div', {}, h('button', { text: 'cell [4] line 3' }), h('span', { text: '640 B' }));
    about.style.display = 'flex';
    const cell = h('td', {}, h('span', {}, 'v0 = ', h('b', { text: 'x' }), '.T'), about);
    expect(csvText(h('div', {}, table(['step'], [h('tr', {}, cell)])))).toBe('step\r\nv0 = x.T cell [4] line 3 640 B\r\n');
  });

  it('is DOT in which names of the user end no quotes', () => {
    const box = { detail: 'a\nb', family: 'other', node: null, group: null };
    const inner = { group: {}, title: 'block "1"', boxes: ['v1'], clusters: [] };
    const folded = {
      boxes: [{ ...box, id: 'x', title: 'x\\', chipOf: 'x' }, { ...box, id: 'v1', title: 'tanh', detail: '' }],
      root: { group: {}, title: '', boxes: ['x'], clusters: [inner] },
      edges: [{ from: 'x', to: 'v1', label: 'float64[3]', values: ['x'] }, { from: 'v1', to: 'x', label: '', values: [], back: true }]
    } as unknown as Folded;
    expect(dotFile(folded, 'right').split('\n')).toEqual([
      'digraph {',
      '  rankdir=LR',
      '  node [shape=box fontname="sans-serif"]',
      '  edge [fontsize=10]',
      '  "x" [label="x\\\\\\na\\nb" style=rounded]',
      '  subgraph cluster_0 {',
      '    label="block \\"1\\""',
      '    "v1" [label="tanh"]',
      '  }',
      '  "x" -> "v1" [label="float64[3]"]',
      '  "v1" -> "x" [label="" style=dashed constraint=false]',
      '}',
      ''
    ]);
  });
});
