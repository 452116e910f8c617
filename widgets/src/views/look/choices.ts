/** The user's choices of how graphs are drawn. They are kept by graph; direction and colour hold for all of them. */

import { FIRST_LOOK, FOLDINGS, GROUPINGS, Look } from '../../layout/look';
import { Graph } from '../../protocol';
import { asFields, asList, asRecord, asText, attempt } from '../../protocol/reading';

/** Graphs whose choices are kept. */
const MAX_GRAPHS = 200;

/** The choices for one graph alone. */
type Own = Pick<Look, 'fold' | 'by' | 'pins'>;

/** The choices, and who keeps them: `saved` are those that were, `save` is given them after each change. */
export class Choices {
  constructor(saved: Promise<unknown> = Promise.resolve(null), save: (choices: object) => void = () => undefined) {
    this._save = save;
    this.ready = saved.then(value => this._load(value));
  }

  /** Settled as soon as the saved choices are known. */
  readonly ready: Promise<void>;

  /** How to draw a graph: as was chosen for it, or last for one of its name; there, values go by other ids. */
  of({ hash, name }: Graph): Look {
    const own = this._own.get(hash);
    const like = own ?? [...this._own.values()].reverse().find(each => each.name === name);
    return { ...FIRST_LOOK, ...this._common, ...(like && { fold: like.fold, by: like.by }), pins: own?.pins ?? {} };
  }

  /** Choose for a graph; says how to draw it now. */
  choose(graph: Graph, change: Partial<Look>): Look {
    const { fold, by, pins, direction, colour } = { ...this.of(graph), ...change };
    this._own.delete(graph.hash);
    this._own.set(graph.hash, { name: graph.name, fold, by, pins });
    this._common = { direction, colour };
    const [oldest] = this._own.keys();
    if (this._own.size > MAX_GRAPHS && oldest !== undefined) {
      this._own.delete(oldest);
    }
    this._save({ ...this._common, graphs: [...this._own].map(([hash, own]) => ({ hash, ...own })) });
    return this.of(graph);
  }

  private _load(value: unknown): void {
    attempt(() => {
      const data = asFields(value);
      this._common = { direction: data.direction === 'right' ? 'right' : 'down', colour: asText(data.colour) };
      for (const each of asList(data.graphs, asFields)) {
        const pins = asRecord(each.pins, pin => pin === true);
        const fold = FOLDINGS.find(name => name === each.fold) ?? FIRST_LOOK.fold;
        const by = GROUPINGS.find(name => name === each.by) ?? FIRST_LOOK.by;
        this._own.set(asText(each.hash), { name: asText(each.name), fold, by, pins });
      }
      return null;
    });
  }

  private _save: (choices: object) => void;
  private _common: Partial<Pick<Look, 'direction' | 'colour'>> = {};
  private _own = new Map<string, Own & { readonly name: string }>();
}
