import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run as history } from '../../src/cli/commands/history.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { run as overview } from '../../src/cli/commands/overview.ts'
import { run as resume } from '../../src/cli/commands/resume.ts'
import { schema } from '../../src/schema/schema.ts'
import { capture } from './capture.ts'

const corpus = resolve('../shared/corpus')
const clients = join(corpus, 'client')
const roots = existsSync(clients) ? readdirSync(clients).map(name => join(clients, name)) : []

describe('on every version of the client', () => {
  it('lists, counts and names sessions', { timeout: 60_000 }, async () => {
    if (roots.length === 0) return console.log('skipped: no corpus beside the project')
    for (const root of roots) {
      for (const options of [{}, { long: true }, { csv: true }]) {
        for (const columns of [40, 200]) {
          const { stdout, code } = await capture(ls, { root: [root], options, columns })
          expect(code, root).toBe(0)
          expect(stdout.split('\n').length).toBeGreaterThan(2)
        }
      }
      expect((await capture(ls, { root: [root], args: ['projects'] })).code).toBe(0)
      expect((await capture(overview, { root: [root] })).code).toBe(0)
    }
  })

  it('prints rows by the contract, and a command for each', { timeout: 60_000 }, async () => {
    if (roots.length === 0) return console.log('skipped: no corpus beside the project')
    for (const root of roots) {
      const { stdout } = await capture(ls, { root: [root], json: true })
      const { sessions } = JSON.parse(stdout)
      for (const row of sessions) {
        expect(schema('session-row')?.safeParse(row).success, row.id).toBe(true)
        const command = await capture(resume, { root: [root], args: [row.id] })
        expect(command.code).toBe(0)
        expect(command.stdout).toMatch(/claude --resume \S+\n$/)
      }
    }
  })

  it('prints the prompts that were typed', async () => {
    if (roots.length === 0) return console.log('skipped: no corpus beside the project')
    for (const root of roots.filter(path => existsSync(join(path, 'history.jsonl')))) {
      const { stdout, code } = await capture(history, { root: [root], json: true })
      expect(code).toBe(0)
      expect(JSON.parse(stdout).prompts.length).toBeGreaterThan(0)
      expect((await capture(history, { root: [root], options: { pasted: true } })).code).toBe(0)
    }
  })
})
