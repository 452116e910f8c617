/** Marks beside the lines of editors of cells: a column of CodeMirror's, which is there while a line has a mark. */

import { Extension, RangeSet, StateEffect, StateField, Text, ChangeDesc, ChangeSet, MapMode } from '@codemirror/state';
import { EditorView, gutter, GutterMarker, ViewPlugin } from '@codemirror/view';
import { h, LineMark } from '@tracefn/widgets';

/** The marks of an editor. Lines are those of the text that ran, so that marks stay with them while the user types. */
interface Marked {
  readonly marks: readonly LineMark[];
  readonly ran: Text;
  /** The edits since. */
  readonly edits: ChangeDesc;
  readonly markers: RangeSet<GutterMarker>;
}

const setMarks = StateEffect.define<readonly LineMark[]>();
const startRun = StateEffect.define<null>();

/** The editors of all cells that have one, and their marks. A cell is known by its model: ids come again in a copied notebook. */
export class MarkedEditors {
  /** The extension for an editor of a cell. */
  extension(cell: object): Extension {
    const field = StateField.define<Marked>({
      create: ({ doc }) => placed({ marks: this._marks.get(cell) ?? [], ran: doc, edits: noEdits(doc) }, doc),
      update: (value, transaction) => {
        let { marks, ran, edits } = value;
        if (transaction.docChanged) {
          edits = edits.composeDesc(transaction.changes);
        }
        for (const effect of transaction.effects) {
          if (effect.is(startRun)) {
            ran = transaction.newDoc;
            edits = noEdits(ran);
          } else if (effect.is(setMarks)) {
            marks = effect.value;
          }
        }
        const isSame = marks === value.marks && edits === value.edits;
        return isSame ? value : placed({ marks, ran, edits }, transaction.newDoc);
      }
    });
    const editors = this._editors;
    const registration = ViewPlugin.define(view => {
      editors.set(cell, [...(editors.get(cell) ?? []), view]);
      return {
        destroy: () => {
          editors.set(cell, (editors.get(cell) ?? []).filter(other => other !== view));
        }
      };
    });
    const column = gutter({
      class: 'jp-TracefnMarks',
      markers: view => view.state.field(field).markers
    });
    return [field, registration, column];
  }

  /** Show these marks, by the models of cells; all others go. */
  show(marks: ReadonlyMap<object, readonly LineMark[]>): void {
    const old = this._marks;
    this._marks = marks;
    for (const cell of new Set([...old.keys(), ...marks.keys()])) {
      const now = marks.get(cell) ?? [];
      if (JSON.stringify(now) !== JSON.stringify(old.get(cell) ?? [])) {
        this._tell(cell, setMarks.of(now));
      }
    }
  }

  /** The text of a cell runs as it is now: lines are counted in it from here on. */
  startRun(cell: object): void {
    this._tell(cell, startRun.of(null));
  }

  private _tell(cell: object, effects: StateEffect<unknown>): void {
    this._editors.get(cell)?.forEach(view => view.dispatch({ effects }));
  }

  private readonly _editors = new WeakMap<object, readonly EditorView[]>();
  private _marks: ReadonlyMap<object, readonly LineMark[]> = new Map();
}

/** The marks of one line. */
class Markers extends GutterMarker {
  constructor(private readonly _marks: readonly LineMark[]) {
    super();
  }

  override eq(other: Markers): boolean {
    return JSON.stringify(this._marks) === JSON.stringify(other._marks);
  }

  override toDOM(): Node {
    const marks = this._marks.map(({ kind, text, title }) =>
      h('span', { class: 'jp-TracefnMark', text, title, attrs: { 'data-tracefn': 'line-mark', 'data-kind': kind } })
    );
    return h('span', {}, ...marks);
  }
}

function noEdits({ length }: Text): ChangeDesc {
  return ChangeSet.empty(length).desc;
}

/** Where the marks stand in the text as it is now. A line that was deleted has taken its marks with it. */
function placed({ marks, ran, edits }: Omit<Marked, 'markers'>, now: Text): Marked {
  const lines = new Map<number, LineMark[]>();
  for (const mark of marks) {
    const place = mark.line <= ran.lines ? edits.mapPos(ran.line(mark.line).from, 1, MapMode.TrackDel) : null;
    if (place !== null) {
      const { from } = now.lineAt(place);
      lines.set(from, [...(lines.get(from) ?? []), mark]);
    }
  }
  const ranges = [...lines].sort(([a], [b]) => a - b).map(([from, found]) => new Markers(found).range(from));
  return { marks, ran, edits, markers: RangeSet.of(ranges) };
}
