/** The layout worker as one function, made by `build.mjs`. */

declare module 'inline:worker' {
  /** Serve layout requests on the scope given. It refers to nothing outside itself. */
  export function work(scope: import('../layout/worker').WorkerScope): void;
}
