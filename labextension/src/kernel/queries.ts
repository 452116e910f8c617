/**
 * Questions to the kernel, over a comm of their own. It runs on a subshell where the kernel has them, so that answers come
 * while a cell runs.
 */

import { CommsOverSubshells, Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject, JSONValue, PromiseDelegate, UUID } from '@lumino/coreutils';
import { QUERY_COMM, t } from '@tracefn/widgets';
import { askControl, createSubshell } from './control';

/** An open comm. */
interface Line {
  readonly commId: string;
  readonly subshellId: string | null;
}

/** The kernel answered with an error, where another error is of a question that was lost. */
export class Refusal extends Error {}

/**
 * Asks one kernel. Without subshells answers may take as long as a cell runs: there is no timeout, a restart rejects them.
 *
 * #### Notes
 * The comm is made of plain messages and not of JupyterLab's comm object, which learns of subshells only from a kernel that is
 * not busy, and which only one of several connections to a kernel may have.
 */
export class Queries {
  constructor(private readonly _kernel: Kernel.IKernelConnection) {}

  /** Whether a question waits for its answer. */
  get waiting(): boolean {
    return this._pending.size > 0;
  }

  /** Ask; rejects with the kernel's one-line error, as a `Refusal`, or when the kernel goes away. */
  async ask(query: string, fields: JSONObject = {}): Promise<JSONValue> {
    const id = ++this._count;
    const answer = new PromiseDelegate<JSONValue>();
    this._pending.set(id, answer);
    void this._post({ id, query, ...fields });
    return answer.promise;
  }

  /** Take in a message of the kernel's; those of other comms, and of other kinds, are left alone. */
  receive(message: KernelMessage.IIOPubMessage): void {
    const type: string = message.header.msg_type;
    const { comm_id: commId, data } = message.content as KernelMessage.ICommMsgMsg['content'];
    if (this._commId === null || commId !== this._commId) {
      return;
    }
    if (type === 'comm_close') {
      this.reset();
      return;
    }
    const { id, ok, result, error } = data;
    const answer = this._pending.get(id as number);
    this._pending.delete(id as number);
    if (ok === true) {
      answer?.resolve(result ?? null);
    } else {
      answer?.reject(new Refusal(typeof error === 'string' ? error : t`the kernel gave no reason`));
    }
  }

  /** The kernel restarts: questions wait for `resume`, as the old process would lose them. */
  pause(): void {
    this.reset();
    this._isUp ??= new PromiseDelegate();
  }

  /** The kernel is there again. */
  resume(): void {
    this._isUp?.resolve();
    this._isUp = null;
  }

  /** Forget the comm and reject pending queries: the kernel restarts, or does not know the comm. */
  reset(): void {
    this._line = null;
    this._commId = null;
    const pending = [...this._pending.values()];
    this._pending.clear();
    pending.forEach(answer => answer.reject(new Error(t`the kernel went away`)));
  }

  /** Close the comm and give its subshell back: the page no longer needs the kernel. */
  async close(): Promise<void> {
    const line = this._line;
    this.reset();
    try {
      const open = await line;
      if (open && !this._kernel.isDisposed) {
        this._send('comm_close', open, {});
        if (open.subshellId !== null) {
          await askControl(this._kernel, 'delete_subshell_request', {
            subshell_id: open.subshellId
          });
        }
      }
    } catch {
      // The kernel is gone, and the subshell with it.
    }
  }

  /** Send a question, unless it was given up while the comm was being opened. */
  private async _post(question: JSONObject & { readonly id: number }): Promise<void> {
    const opening = (this._line ??= this._open());
    try {
      const line = await opening;
      if (this._pending.has(question.id)) {
        this._send('comm_msg', line, question);
      }
    } catch (error) {
      if (this._line === opening) {
        this._line = null;
      }
      this._pending.get(question.id)?.reject(error);
      this._pending.delete(question.id);
    }
  }

  private async _open(): Promise<Line> {
    const commId = UUID.uuid4();
    this._commId = commId;
    await this._isUp?.promise;
    const wanted = this._kernel.commsOverSubshells !== CommsOverSubshells.Disabled;
    const line = { commId, subshellId: wanted ? await createSubshell(this._kernel) : null };
    this._send('comm_open', line, {});
    return line;
  }

  private _send(
    msgType: 'comm_open' | 'comm_msg' | 'comm_close',
    { commId, subshellId }: Line,
    data: JSONObject
  ): void {
    const content = { comm_id: commId, target_name: QUERY_COMM, data };
    const message = KernelMessage.createMessage<KernelMessage.ICommOpenMsg<'shell'>>({
      msgType: msgType as 'comm_open',
      channel: 'shell',
      username: this._kernel.username,
      session: this._kernel.clientId,
      subshellId,
      content
    });
    this._kernel.sendShellMessage(message, false, true);
  }

  private _line: Promise<Line> | null = null;
  private _commId: string | null = null;
  private _isUp: PromiseDelegate<void> | null = null;
  private _pending = new Map<number, PromiseDelegate<JSONValue>>();
  private _count = 0;
}
