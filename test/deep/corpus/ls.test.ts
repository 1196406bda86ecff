import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run as history } from '../../../src/cli/commands/history.ts'
import { run as ls } from '../../../src/cli/commands/ls.ts'
import { run as overview } from '../../../src/cli/commands/overview.ts'
import { run as resume } from '../../../src/cli/commands/resume.ts'
import { schema } from '../../../src/schema/schema.ts'
import { capture } from '../../cli/capture.ts'
import { clientHomes } from '../../needs.ts'

describe('on every version of Claude Code', { tags: 'corpus' }, () => {
  it('lists, counts and names sessions', { timeout: 60_000 }, async () => {
    for (const root of clientHomes) {
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

  it('prints rows by the contract, and a command for each that resumes', { timeout: 60_000 }, async () => {
    for (const root of clientHomes) {
      const { stdout } = await capture(ls, { root: [root], json: true })
      const { sessions } = JSON.parse(stdout)
      for (const row of sessions) {
        expect(schema('session-row')?.safeParse(row).success, row.id).toBe(true)
        const command = await capture(resume, { root: [root], args: [row.id] })
        const { stdout } = await capture(resume, { root: [root], args: [row.id], json: true })
        const { resumable, onDisk, cwd, hasFolder } = JSON.parse(stdout)
        // The folders of the corpus are on no machine.
        expect(command.code, row.id).toBe(resumable && onDisk && (cwd === null || hasFolder) ? 0 : 1)
        expect(command.stdout, row.id).toMatch(resumable ? /claude --resume \S+\n$/ : /^$/)
      }
    }
  })

  it('prints the prompts that were typed', async () => {
    for (const root of clientHomes.filter(path => existsSync(join(path, 'history.jsonl')))) {
      const { stdout, code } = await capture(history, { root: [root], json: true })
      expect(code).toBe(0)
      expect(JSON.parse(stdout).prompts.length).toBeGreaterThan(0)
      expect((await capture(history, { root: [root], options: { pasted: true } })).code).toBe(0)
    }
  })
})
