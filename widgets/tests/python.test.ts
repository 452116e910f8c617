import { expect, it } from 'vitest';
import { highlight } from '../src/views/common/python';

it('colours a line and loses nothing of it', () => {
  const line = `    return f(x1, 2.5e3, 'it''s # no comment')  # yes`;
  const nodes = highlight(line);
  expect(nodes.map(part => part.textContent).join('')).toBe(line);
  const kinds = nodes.flatMap(part => (part instanceof HTMLElement ? [[part.className.slice(13), part.textContent]] : []));
  expect(kinds).toEqual([
    ['keyword', 'return'],
    ['number', '2.5e3'],
    ['string', `'it'`],
    ['string', `'s # no comment'`],
    ['comment', '# yes']
  ]);
});
