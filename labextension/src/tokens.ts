/** The common part of the plugins: the interfaces of a kernel's model and of the panel, and the ids of the commands. */

import type { NotebookPanel } from '@jupyterlab/notebook';
import { SignatureName, Store } from '@tracefn/widgets';
import { JSONObject, JSONValue, Token } from '@lumino/coreutils';
import { IObservableDisposable } from '@lumino/disposable';
import { ISignal } from '@lumino/signaling';

/** How a kernel stands to tracefn. */
export type KernelState =
  /** Not known yet whether tracefn is used in it. */
  | 'connecting'
  /** tracefn is not used in it, so far. */
  | 'absent'
  /** Events come. */
  | 'live'
  | 'restarting'
  | 'dead'
  /** Its tracefn speaks another protocol version. */
  | 'incompatible';

/** The model of one kernel. */
export interface IKernelModel extends IObservableDisposable {
  /** Functions, signatures, retraces, graphs. */
  readonly store: Store;
  readonly state: KernelState;
  /** The protocol version the kernel speaks, where that is not the one spoken here. */
  readonly foreignProtocol: number | null;
  /** Whether a question to the kernel waits for its answer: it does while a cell runs on a kernel without subshells. */
  readonly waiting: boolean;
  /** The signature the user chose, by its stable name. */
  selection: SignatureName | null;
  /** Emitted at most once a frame after anything above has changed. */
  readonly changed: ISignal<IKernelModel, void>;
  /** Emitted when the first function of this kernel is traced while this page listens. */
  readonly firstTraced: ISignal<IKernelModel, void>;
  /** Ask the kernel; rejects with its one-line error, or when it goes away. */
  ask(query: string, fields: JSONObject): Promise<JSONValue>;
  /** Have the kernel look for a change that avoids traces of a function, once it is idle. */
  findFix(functionId: string): Promise<void>;
  /** Have the kernel time eager code against the graph of a trace, once it is idle. */
  measure(functionId: string, trace: number): Promise<void>;
  /** Have the kernel find out where the time of a call of a trace goes, once it is idle. */
  profile(functionId: string, trace: number): Promise<void>;
  /** Have the kernel time calls of a trace with dimensions of other lengths, once it is idle. */
  sweep(functionId: string, trace: number, dimensions: readonly (readonly [string, number])[]): Promise<void>;
  /** Interrupt the kernel. */
  interrupt(): Promise<void>;
  /** Ask the kernel for a graph that was not sent, or sent before this page was loaded. */
  requestGraph(hash: string): void;
}

/** An open notebook and the model of its kernel. */
export interface FollowedNotebook {
  readonly notebook: NotebookPanel;
  readonly model: IKernelModel;
}

/** The panel, as other plugins see it. */
export interface ITracefnPanel {
  /** The model shown: that of the current notebook's kernel. */
  readonly model: IKernelModel | null;
  readonly modelChanged: ISignal<ITracefnPanel, void>;
  /** All open notebooks that have a kernel. */
  readonly notebooks: readonly FollowedNotebook[];
  /** Emitted when these, or their models, may be others. */
  readonly notebooksChanged: ISignal<ITracefnPanel, void>;
  /** List the retraces of the latest run of a cell, by its id. */
  showRetracesOf(cell: string): void;
}

/** The panel's token. */
export const ITracefnPanel = new Token<ITracefnPanel>(
  '@tracefn/labextension:ITracefnPanel',
  'The panel that shows the traces of the current notebook.'
);

/** The ids of the commands. */
export namespace CommandIDs {
  export const openPanel = 'tracefn:open-panel';
  export const showGraph = 'tracefn:show-graph';
  export const showRetraces = 'tracefn:show-retraces';
  export const jumpToSource = 'tracefn:jump-to-source';
}
