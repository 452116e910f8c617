import { afterEach, expect, it } from 'vitest';
import { WidgetQueries } from '../src/anywidget/queries';
import { speak } from '../src/words';

afterEach(() => speak());

it('asks over messages, and each view takes its own answers', async () => {
  const sent: { id: string; query: string; function: string }[] = [];
  const model = { send: (content: unknown) => void sent.push(content as (typeof sent)[number]) };
  const [one, other] = [new WidgetQueries(model), new WidgetQueries(model)];
  const hear = (answer: object): void => [one, other].forEach(queries => queries.receive(answer));
  const first = one.ask('explain', { function: 'f#1' });
  const second = other.ask('explain', { function: 'g#1' });
  expect(sent.map(({ query, function: name }) => [query, name])).toEqual([
    ['explain', 'f#1'],
    ['explain', 'g#1']
  ]);
  hear({ id: sent[1]?.id, ok: false, error: 'gone' });
  hear({ id: sent[0]?.id, ok: true, result: 3 });
  hear({ id: 'nobody', ok: true, result: 4 });
  await expect(first).resolves.toBe(3);
  await expect(second).rejects.toThrow('gone');
  speak({ __: text => text.toUpperCase(), _n: one => one });
  const third = one.ask('explain', {});
  hear({ id: sent[2]?.id, ok: false });
  await expect(third).rejects.toThrow('THE KERNEL GAVE NO REASON');
});
