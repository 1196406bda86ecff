// A line that is too long to be decoded is in no answer, and every answer says so.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { largestLine } from '../../src/decode/lines.ts'
import { recordLine, sessionA, sessionB } from '../archive/fixture.ts'
import { clewHere } from '../cli/run.ts'
import { withFolder } from '../home.ts'

describe('a line over the limit', () => {
  it('is named by search and by every form of grep, and by nothing that cannot have it', async () => {
    await withFolder(async folder => {
      const project = join(folder, '.claude/projects/-home-mira-boat')
      mkdirSync(project, { recursive: true })
      const long = recordLine(sessionA, '/home/mira/boat', `hidden ${'x'.repeat(largestLine)}`)
      const path = join(project, `${sessionA}.jsonl`)
      const before = recordLine(sessionA, '/home/mira/boat', 'a word in the harbour')
      writeFileSync(path, before + long)
      writeFileSync(join(project, `${sessionB}.jsonl`), recordLine(sessionB, '/home/mira/boat', 'another harbour'))
      const ask = (...words: string[]) =>
        clewHere([...words, '--root', join(folder, '.claude'), '--home', join(folder, 'clew')])
      for (const words of ['hidden', 'harbour']) {
        const { stdout, stderr } = await ask('search', words)
        expect(stderr).toContain(`A line is longer than 67 MB and not searched: ${path}`)
        expect(stdout.includes('in the harbour')).toBe(words === 'harbour')
      }
      for (const words of [
        ['hidden'],
        ['harbour'],
        ['-v', 'nothing'],
        ['--tool', 'Bash', 'hidden'],
        ['-c', 'hidden'],
      ]) {
        const { stderr } = await ask('grep', ...words)
        expect(stderr, words.join(' ')).toContain(`${path} (byte ${before.length}): The line is longer than 67 MB`)
        expect(stderr.match(/oversized-line/g), words.join(' ')).toHaveLength(1)
      }
      for (const name of ['search', 'grep']) {
        const { stderr } = await ask(name, 'harbour', '--session', sessionB)
        expect(stderr.includes('67 MB'), name).toBe(name === 'search')
      }
    })
  }, 120_000)
})
