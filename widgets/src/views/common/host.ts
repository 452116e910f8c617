/** The services that views ask of their host: JupyterLab's panel, a widget, or a plain page. */

import { LayoutEngine } from '../../layout/index';
import { Location } from '../../protocol';
import type { Choices } from '../look/choices';

/** Draws a Plotly figure; resolves to a function that removes it. */
export type Plot = (element: HTMLElement, figure: Figure) => Promise<() => void>;

/** A Plotly figure, as plain data. */
export interface Figure {
  readonly data: readonly object[];
  readonly layout: object;
}

/** The cells of one notebook. */
export interface Cells {
  /** Their source by id. */
  readonly sources: Readonly<Record<string, string>>;
  /** Give cells another source, as an edit that the user can undo. Says where, in words: `cell [3]`. */
  write(sources: Readonly<Record<string, string>>): string;
}

/** The services around a view. Those that are missing are simply not offered. */
export interface Host {
  /** A new layout engine; the caller disposes it. */
  createEngine(): LayoutEngine;
  /** Go to a place in the user's code. */
  readonly jump?: (place: Location) => void;
  /** The execution counts of cells that ran again as they were, by the files of places in them. */
  readonly numbers?: () => ReadonlyMap<string, number>;
  /** Draw with Plotly, loaded when first used. */
  readonly plot?: Plot;
  /** Ask the kernel (`docs/protocol.md`). Rejects with its one-line error. */
  readonly ask?: (query: string, fields: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** The HTML of a report of all that was traced, as the kernel writes it. */
  readonly report?: () => Promise<string>;
  /** Have the kernel stop making the native program of a signature. */
  readonly stopBuild?: (signatureId: string) => Promise<unknown>;
  /** Have the kernel look for a change that avoids traces of a function. It may trace the function once more. */
  readonly findFix?: (functionId: string) => Promise<void>;
  /** Have the kernel time eager code against the graph of a trace. Rejects with its one-line error. */
  readonly measure?: (functionId: string, trace: number) => Promise<void>;
  /** Have the kernel find out where the time of a call goes, step by step. Rejects with its one-line error. */
  readonly profile?: (functionId: string, trace: number) => Promise<void>;
  /** Have the kernel time calls with dimensions of other lengths, which are (path of an argument, axis). */
  readonly sweep?: (functionId: string, trace: number, dimensions: readonly (readonly [string, number])[]) => Promise<void>;
  /** Interrupt the kernel. */
  readonly interrupt?: () => Promise<void>;
  /** The notebook's cells; null where the place is in no open notebook. */
  readonly cells?: (place: Location) => Cells | null;
  /** Take the retraces so far out of the list, or put all of them back. */
  readonly clearRetraces?: (all: boolean) => void;
  /** Ask for a graph that is not in the state. */
  readonly requestGraph?: (hash: string) => void;
  /** The user's choices of how graphs are drawn, where they are kept. */
  readonly choices?: Choices;
  /** Show the graph of the selected signature with more room. */
  readonly popOut?: () => void;
  /** Show the retraces with more room. */
  readonly popOutRetraces?: () => void;
}

/** Whether a place can be gone to: it is in a notebook cell. */
export function reachable(host: Host, place: Location): boolean {
  return host.jump !== undefined && place.cell !== null;
}
