import { Signal } from '@lumino/signaling';
import { expect, it } from 'vitest';
import { KeptArguments } from '../src/kept';

class FakeModel {
  state = 'connecting';
  changed = new Signal<this, void>(this);
  told: unknown[] = [];

  ask(query: string, fields: object): Promise<object> {
    this.told.push([query, fields]);
    return Promise.resolve({});
  }

  become(state: string): void {
    this.state = state;
    this.changed.emit();
  }
}

it('tells each process of the arguments to keep once, and no process that is to go by its own setting', () => {
  const model = new FakeModel();
  const panel: any = { notebooks: [{ model }] };
  panel.notebooksChanged = new Signal(panel);
  const kept = new KeptArguments(panel);
  model.become('live');
  kept.keep(0);
  expect(model.told).toEqual([]);
  kept.keep(1.5);
  model.become('live');
  const once = ['configure', { kept_arguments: 1_500_000 }];
  expect(model.told).toEqual([once]);
  model.become('restarting');
  model.become('live');
  expect(model.told).toEqual([once, once]);
  kept.keep(0);
  expect(model.told.at(-1)).toEqual(['configure', { kept_arguments: 0 }]);
});
