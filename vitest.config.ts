// Which tests there are, what they need of the machine, and what they must not see: the Claude home of the person who runs
// them. `CLEW_DEEP=1` adds test/deep and the full sweeps.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { isDeep, tags } from './test/needs.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isDeep ? [] : ['test/deep/**'])],
    environment: 'node',
    env: {
      CLAUDE_CONFIG_DIR: join(tmpdir(), 'clew-tests-have-no-claude-home'),
      CLEW_HOME: join(tmpdir(), 'clew-tests-have-no-clew-home'),
    },
    reporters: ['default', './test/summary.ts'],
    tags,
    // A test in which nothing was asserted has not passed.
    expect: { requireAssertions: true },
    // Most tests wait for processes that they start: two workers are enough.
    maxWorkers: 2,
    // A worker runs many files and imports the source once. What a test changes in its process it puts back.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
