import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // The tests run on the sources, so that they need no build.
    alias: [
      { find: /^@tracefn\/widgets$/, replacement: new URL('./widgets/src/index.ts', import.meta.url).pathname }
    ]
  },
  test: {
    environment: 'jsdom',
    testTimeout: 60_000, // layouts of 10,000 nodes, on a busy machine
    include: ['widgets/tests/**/*.test.ts', 'labextension/tests/**/*.test.ts']
  }
});
