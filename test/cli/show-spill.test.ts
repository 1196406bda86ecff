import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clewHere } from './run.ts'

const session = ['33c79d8c', '--root', resolve('samples/home')]
/** Only in the spilled file; the log has the beginning. */
const lateLine = 'built page 240 of 240'

describe('spilled output', () => {
  it('is shown whole with --full, in every format, and named without', async () => {
    for (const format of ['text', 'md', 'html']) {
      expect((await clewHere(['show', ...session, '--format', format, '--full'])).stdout).toContain(lateLine)
      const short = (await clewHere(['show', ...session, '--format', format])).stdout
      expect(short).not.toContain(lateLine)
      expect(short.replaceAll(/\s+│?\s*/g, '')).toContain('bf3fc0dc3.txt')
    }
  })
})
