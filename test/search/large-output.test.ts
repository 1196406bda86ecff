// Output that Claude Code stored in a file larger than a line may be is searched to its end.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { largestLine } from '../../src/decode/lines.ts'
import { recordLine, sessionA } from '../archive/fixture.ts'
import { clewHere } from '../cli/run.ts'
import { withFolder } from '../home.ts'

describe('a very large output', { tags: 'deep' }, () => {
  it('is found by its first and its last words, by search and by grep, and nothing is left out', async () => {
    await withFolder(async folder => {
      const project = join(folder, '.claude/projects/-home-mira-boat')
      mkdirSync(join(project, sessionA, 'tool-results'), { recursive: true })
      writeFileSync(join(project, `${sessionA}.jsonl`), recordLine(sessionA, '/home/mira/boat', 'look at the rope'))
      const line = 'one more line of plain output\n'
      const text = `first halyard\n${line.repeat(largestLine / line.length + 1)}last topsail\n`
      writeFileSync(join(project, sessionA, 'tool-results/b1.txt'), text)
      const ask = (...words: string[]) =>
        clewHere([...words, '--json', '--root', join(folder, '.claude'), '--home', join(folder, 'clew')])
      for (const [word, snippet] of [
        ['halyard', /^first halyard/],
        ['topsail', /last topsail$/],
      ] as const) {
        const found = await ask('search', word)
        expect(JSON.parse(found.stdout).hits, word).toMatchObject([{ snippet: expect.stringMatching(snippet) }])
        expect(found.stderr).not.toContain('not searched')
        expect(JSON.parse((await ask('grep', word)).stdout).hits, word).toHaveLength(1)
      }
    })
  }, 240_000)
})
