// Which tests there are, what they need of the machine, and what they must not see: the Claude home of the person who runs
// them. `CLEW_DEEP=1` adds test/deep and the full sweeps.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { isDeep, tags } from './test/needs.ts'

const files = ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts']
const exclude = [...configDefaults.exclude, ...(isDeep ? [] : ['test/deep/**'])]
/** They call `vi.mock`: no other file may have imported the module before. */
const mocking = ['src/disk/watch/watch-fallback.test.ts', 'test/index/unread.test.ts']

export default defineConfig({
  test: {
    projects: [
      // A worker runs many files and imports the source once. What a test changes in its process it puts back.
      { extends: true, test: { name: 'shared', isolate: false, include: files, exclude: [...exclude, ...mocking] } },
      { extends: true, test: { name: 'alone', include: mocking, exclude } },
    ],
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
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
