/** Work under way that takes long enough to be shown: first calls, and native programs that are built in the background. */

import { Signature, State } from './state';
import { later, t, translated } from '../words';

/**
 * The phases of a first call, in their order. Rewriting is told of when tracing has ended, as it goes on in it. A trace that is taken
 * over from an earlier process is not made.
 */
export const PHASES = ['bind', 'taken_over', 'rewrite', 'trace', 'passes', 'program', 'first_run'] as const;

/** Those that a first call may lack. */
const OPTIONAL: ReadonlySet<string> = new Set(['taken_over', 'rewrite']);

/** First calls shorter than this (ms) are not told of. */
export const LONG = 300;

/** The work of each phase, in words. */
const DOING: Readonly<Record<string, string>> = {
  bind: later`binding arguments`,
  trace: later`tracing`,
  passes: later`optimising`,
  program: later`writing the program`,
  first_run: later`first run`
};

/** One first call, or one program that is built, that takes long. */
export interface Progress {
  readonly signature: Signature;
  /** The function and the number of its trace: `f #3`. */
  readonly name: string;
  /** The work under way: `tracing`. */
  readonly doing: string;
  readonly elapsedMs: number;
  /** Whether it keeps no cell waiting. */
  readonly background: boolean;
}

/** The work that has taken long by `now` (ms of `performance.now()`): first calls, the one that began first at the front, then programs. */
export function progressOf(state: State, now: number): Progress[] {
  return [...tracing(state, now), ...building(state, now)];
}

function tracing(state: State, now: number): Progress[] {
  return [...state.tracing].flatMap(id => {
    const signature = state.signatures.get(id);
    const elapsedMs = signature ? elapsed(state, signature.startedNs, now) : 0;
    return signature && elapsedMs >= LONG
      ? [{ signature, name: nameOf(state, signature), doing: doing(signature), elapsedMs, background: false }]
      : [];
  });
}

/** Programs are built one at a time: those that wait for a long one wait long, too. */
function building(state: State, now: number): Progress[] {
  const [waiting, built] = [false, true].map(building => [...state.builds].filter(([, build]) => build.building === building));
  return (built ?? []).flatMap(([id, { sinceNs }]) => {
    const signature = state.signatures.get(id);
    const elapsedMs = elapsed(state, sinceNs, now);
    const queue = waiting?.length ? t` 1 of ${waiting.length + 1}` : '';
    return signature && elapsedMs >= LONG
      ? [{ signature, name: nameOf(state, signature), doing: `compiling${queue}`, elapsedMs, background: true }]
      : [];
  });
}

/** The time since then in ms; 0 where the end may be among events that the kernel has yet to send, as in a storm of retraces. */
function elapsed({ clockMs, currentNs }: State, startedNs: number, now: number): number {
  return clockMs === null || currentNs < startedNs + LONG * 1e6 ? 0 : now - clockMs - startedNs / 1e6;
}

function nameOf({ functions }: State, { functionId, trace }: Signature): string {
  return `${functions.get(functionId)?.name ?? functionId} #${trace}`;
}

/** The phase after the last that has ended. */
function doing({ phases }: Signature): string {
  const missing = PHASES.find(phase => !OPTIONAL.has(phase) && phases[phase] === undefined) ?? 'first_run';
  const next = phases.taken_over === undefined ? missing : 'first_run';
  return translated(DOING[next] ?? next);
}

/** Progress on one line: `f #3: tracing, 1.2 s`, or `compiling 1 of 3: f #1, 40.0 s`. */
export function progressText({ name, doing, elapsedMs, background }: Progress): string {
  return `${(background ? [doing, name] : [name, doing]).join(': ')}, ${(elapsedMs / 1000).toFixed(1)} s`;
}

/** The interval of updates, in ms. */
const TICK = 100;

/**
 * Calls `show` with the progress of a state that changes: again and again while something takes long, and once with nothing at
 * its end. Short work is never shown.
 */
export class ProgressClock {
  constructor(private readonly _show: (progress: readonly Progress[]) => void) {}

  /** Follow a state; null has no progress. */
  update(state: State | null): void {
    this._state = state;
    clearTimeout(this._timer);
    this._tick();
  }

  dispose(): void {
    clearTimeout(this._timer);
  }

  private _tick(): void {
    const progress = this._state ? progressOf(this._state, performance.now()) : [];
    if (progress.length > 0 || this._shown) {
      this._shown = progress.length > 0;
      this._show(progress);
    }
    if (this._state && this._state.tracing.size + this._state.builds.size > 0) {
      this._timer = setTimeout(() => this._tick(), TICK);
    }
  }

  private _state: State | null = null;
  private _shown = false;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
