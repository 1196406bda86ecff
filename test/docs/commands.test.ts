// Every example that a command declares works as it is written, with the built tool.

import { afterAll, describe, expect, it } from 'vitest'
import { makeDemo, runLine } from '../../scripts/docs-demo.mjs'
import { commands } from '../../src/cli/commands.ts'
import { mainFile } from '../cli/run.ts'

/** Ids that examples make up; here a session of the sample history. */
const standIns: readonly [made: string, real: string][] = [['1f2e', '57ba']]

/** Commands that continue until somebody stops them: their own tests run them. */
const endless: ReadonlySet<string> = new Set(['watch', 'serve'])

const demo = makeDemo()
afterAll(() => demo.remove())

// The generator of docs/cli.md runs the same lines in every check.
describe('examples of commands', { tags: 'deep' }, () => {
  for (const command of commands) {
    it(`clew ${command.name} has at least one`, () => expect(command.examples).not.toHaveLength(0))

    for (const [declared] of endless.has(command.name) ? [] : command.examples) {
      it(declared, () => {
        const line = standIns.reduce((text, [made, real]) => text.replaceAll(made, real), declared)
        const { code, stdout, stderr } = runLine(demo, line, mainFile)
        expect(stderr).not.toMatch(/^\s+at |\berror\b/m)
        // A check that finds something has done its work.
        expect(['check', 'doctor'].includes(command.name) ? [0, 1] : [0]).toContain(code)
        if (!line.includes('>')) expect(stdout.trim()).not.toBe('')
        if (line.includes('--json')) for (const text of stdout.trim().split('\n')) JSON.parse(text)
      })
    }
  }
})
