/** Questions to the kernel, over a comm of their own that runs on a subshell where the kernel has them. */

import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject, JSONValue, PromiseDelegate } from '@lumino/coreutils';
import { QUERY_COMM } from '@tracefn/widgets';

/** How long to wait for a subshell before doing without, in ms. */
const SUBSHELL_TIMEOUT = 2000;

/** The part of JupyterLab's comm that tells of its subshell; it is not in the public interface. */
interface SubshellComm {
  readonly subshellStarted?: Promise<void>;
}

/** Asks one kernel. Answers may take as long as a cell runs: there is no timeout, a restart rejects them. */
export class Queries {
  constructor(private readonly _kernel: Kernel.IKernelConnection) {}

  /** Whether a question waits for its answer. */
  get waiting(): boolean {
    return this._pending.size > 0;
  }

  /** Ask; rejects with the kernel's one-line error, or when the kernel goes away. */
  async ask(query: string, fields: JSONObject = {}): Promise<JSONValue> {
    const id = ++this._count;
    const answer = new PromiseDelegate<JSONValue>();
    this._pending.set(id, answer);
    try {
      this._opening ??= this._open();
      const comm = await this._opening;
      comm.send({ id, query, ...fields });
    } catch (error) {
      this._pending.delete(id);
      throw error;
    }
    return answer.promise;
  }

  /** Forget the comm and reject what is pending: the kernel has restarted or is gone. */
  reset(): void {
    this._opening = null;
    const pending = [...this._pending.values()];
    this._pending.clear();
    pending.forEach(answer => answer.reject(new Error('the kernel went away')));
  }

  private async _open(): Promise<Kernel.IComm> {
    const kernel = this._kernel;
    // Only then is it known whether the kernel has subshells.
    await kernel.info;
    const comm = kernel.createComm(QUERY_COMM);
    comm.onMsg = message => this._receive(message);
    comm.onClose = () => this.reset();
    const { subshellStarted } = comm as Kernel.IComm & SubshellComm;
    if (kernel.supportsSubshells && subshellStarted) {
      // It never settles where subshells are switched off.
      await Promise.race([
        subshellStarted.catch(() => undefined),
        new Promise(resolve => setTimeout(resolve, SUBSHELL_TIMEOUT))
      ]);
    }
    comm.open();
    return comm;
  }

  private _receive(message: KernelMessage.ICommMsgMsg): void {
    const { id, ok, result, error } = message.content.data;
    const answer = this._pending.get(id as number);
    this._pending.delete(id as number);
    if (ok === true) {
      answer?.resolve(result ?? null);
    } else {
      answer?.reject(new Error(String(error)));
    }
  }

  private _opening: Promise<Kernel.IComm> | null = null;
  private _pending = new Map<number, PromiseDelegate<JSONValue>>();
  private _count = 0;
}
