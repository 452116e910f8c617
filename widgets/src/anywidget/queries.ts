/** Questions to the kernel over a widget's custom messages, where there is no comm of ours. Answers wait for a running cell. */

import { t } from '../words';

/** The used part of a widget's model. */
interface Sender {
  send(content: unknown): void;
}

interface Pending {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Asks; every view of a widget hears all answers and takes its own. */
export class WidgetQueries {
  constructor(private readonly _model: Sender) {}

  /** Ask; rejects with the kernel's one-line error. */
  readonly ask = (query: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> => {
    this._count += 1;
    const id = `${this._view}/${this._count}`;
    return new Promise((resolve, reject) => {
      this._pending.set(id, { resolve, reject });
      this._model.send({ ...fields, id, query });
    });
  };

  /** Take in an answer. */
  receive(answer: unknown): void {
    const { id, ok, result, error } = (answer ?? {}) as Record<string, unknown>;
    const pending = this._pending.get(String(id));
    this._pending.delete(String(id));
    if (ok === true) {
      pending?.resolve(result);
    } else {
      pending?.reject(new Error(typeof error === 'string' ? error : t`the kernel gave no reason`));
    }
  }

  private _view = crypto.randomUUID();
  private _count = 0;
  private _pending = new Map<string, Pending>();
}
