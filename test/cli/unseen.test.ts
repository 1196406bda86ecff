// Characters of a log that no one sees, through whole commands: what is printed has none of them, as text and as JSON.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clewHere } from './run.ts'

const session = '5e5510a0-0000-4000-8000-000000000001'
const unseen = '\u061c\u115f\u1160\u180e\u200b\u202e\u2060\u206a\u206f\u3164\ufeff\uffa0\ufff9\ufffb\u{e0001}\u{e007f}'

it('unseen characters of a prompt are printed as what they are', async () => {
  await withFolder(async folder => {
    const project = join(folder, 'claude/projects/-p')
    mkdirSync(project, { recursive: true })
    const base = {
      sessionId: session,
      isSidechain: false,
      cwd: `/p${unseen}`,
      gitBranch: `b${unseen}`,
      version: '2.1.210',
    }
    const message = { role: 'user', content: `tea${unseen}time` }
    const record = {
      ...base,
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      timestamp: '2026-01-01T00:00:00.000Z',
      message,
    }
    writeFileSync(join(project, `${session}.jsonl`), `${JSON.stringify(record)}\n`)
    const env = { CLEW_HOME: join(folder, 'clew'), CLAUDE_CONFIG_DIR: join(folder, 'claude') }
    for (const args of [
      ['ls'],
      ['show', session],
      ['events', session],
      ['records', session],
      ['grep', 'tea'],
      ['stats', session],
      ['context', session],
    ]) {
      for (const more of [[], ['--json']]) {
        const { stdout, stderr } = await clewHere([...args, ...more], { env })
        const what = [...args, ...more].join(' ')
        expect(stdout + stderr, what).not.toMatch(new RegExp(`[${unseen}]`, 'u'))
        expect(stdout, what).not.toBe('')
      }
    }
    const { stdout } = await clewHere(['ls', '--json'], { env })
    expect(stdout).toContain('tea\\u061c\\u115f\\u1160\\u180e')
    expect(JSON.parse(stdout).sessions[0].title).toBe(`tea${unseen}time`)
  })
})
