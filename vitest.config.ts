// Where tests lie and what they may not see: the Claude home of whoever runs them.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
    environment: 'node',
    env: {
      CLAUDE_CONFIG_DIR: join(tmpdir(), 'clew-tests-have-no-claude-home'),
      CLEW_HOME: join(tmpdir(), 'clew-tests-have-no-clew-home'),
    },
    // Most of them wait for processes that they start: two at a time take little longer than one.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
