/** Builds the widgets' bundles: one ES module per anywidget and one style sheet, into `tracefn_widgets/static/`. */

import { build } from 'esbuild';
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const here = path => fileURLToPath(new URL(path, import.meta.url));
const development = process.argv.includes('--development');
const out = here('tracefn_widgets/static');

const common = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: !development,
  sourcemap: development ? 'inline' : false,
  legalComments: 'none',
  logLevel: 'warning'
};

/**
 * `inline:worker`: the layout worker's code as one function. A worker is started from the function's own text, and where workers are
 * refused the same function runs on the page, so that Graphviz (most of the bundle) is in it only once.
 */
const inlineWorker = {
  name: 'inline-worker',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^inline:worker$/ }, () => ({ path: 'worker', namespace: 'inline' }));
    onLoad({ filter: /.*/, namespace: 'inline' }, async () => {
      const { outputFiles } = await build({
        ...common,
        format: 'iife',
        globalName: 'layoutWorker',
        sourcemap: false,
        entryPoints: [here('src/layout/worker.ts')],
        write: false
      });
      const code = outputFiles[0].text;
      return {
        contents: `export function work(self) { ${code}\nlayoutWorker.serve(self); }`,
        loader: 'js'
      };
    });
  }
};

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  ...common,
  entryPoints: {
    graph: here('src/anywidget/graph.ts'),
    inspector: here('src/anywidget/inspector.ts'),
    timing: here('src/anywidget/timing.ts'),
    report: here('src/anywidget/report.ts'),
    tracefn: here('style/tracefn.css')
  },
  outdir: out,
  plugins: [inlineWorker]
});
