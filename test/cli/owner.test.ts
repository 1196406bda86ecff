// The account and the organisation that a session belongs to are in its log: no command prints them, no index contains them.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../home.ts'
import { answerLine, text, userLine } from '../rules/lines.ts'
import { clewHere } from './run.ts'

const session = '443661e2-a738-418d-a0a9-e7f0c36359f4'
const secret = 'b7d0c0ffee77'
const owner = {
  type: 'session-owner',
  sessionId: session,
  accountUuid: `account-${secret}`,
  organizationUuid: `organization-${secret}`,
}
const lines = [owner, userLine(1, 'Which tea?'), answerLine(2, [text('Jasmine.')]), owner]
const commands = [
  ...['records', 'events', 'show', 'tree', 'context', 'stats', 'check'].map(name => [name, session]),
  ...['md', 'html', 'json'].map(format => ['show', session, '--full', '--format', format]),
  ...['md', 'html', 'json'].map(format => ['export', session, '--detail', 'full', '--format', format]),
  ['search', 'account'],
  ['grep', 'account'],
  ['ls'],
]

test('no command prints the ids of the owner, and the index has none', async () => {
  await withFolder(async folder => {
    const project = join(folder, 'claude', 'projects', '-home-dev-shop')
    const home = join(folder, 'clew')
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, `${session}.jsonl`), `${lines.map(line => JSON.stringify(line)).join('\n')}\n`)
    const where = ['--root', join(folder, 'claude'), '--home', home]
    expect((await clewHere([...where, 'index', 'refresh'])).code).toBe(0)
    for (const command of commands) {
      for (const more of [[], ['--json']]) {
        const out = ['--out', join(home, 'out'), '--force']
        const args =
          command[0] === 'check'
            ? ['check', join(folder, 'claude')]
            : command[0] === 'export'
              ? [...command, ...out]
              : command
        const { stdout, stderr } = await clewHere([...where, ...args, ...more])
        expect(stdout + stderr, command.join(' ')).not.toContain(secret)
      }
    }
    expect(existsSync(join(home, 'out', 'index.html'))).toBe(true)
    for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
      if (entry.isFile())
        expect(readFileSync(join(entry.parentPath, entry.name)).includes(secret), entry.name).toBe(false)
    }
  })
})

test('a session in another dialect and a repaired one are without the owner, damaged or not', async () => {
  await withFolder(async folder => {
    const project = join(folder, 'claude', 'projects', '-home-dev-shop')
    const home = join(folder, 'clew')
    mkdirSync(project, { recursive: true })
    const [ownerLine, ...talk] = lines.map(line => JSON.stringify(line)) as [string, ...string[]]
    const damaged = [ownerLine.slice(0, -3), ...talk, `{"type":"mode","mode":"normal"}${ownerLine}`, `\0${ownerLine}`]
    writeFileSync(join(project, `${session}.jsonl`), `${damaged.join('\n')}\n`)
    const where = ['--root', join(folder, 'claude'), '--home', home]
    for (const dialect of ['real', 's0', 's3']) {
      const out = join(folder, 'converted', dialect)
      const { code, stdout, stderr } = await clewHere([...where, 'convert', session, '--to', dialect, '--out', out])
      expect([code, (stdout + stderr).includes(secret)]).toEqual([0, false])
      expect(textsBelow(out).length).toBeGreaterThan(0)
      expect(textsBelow(out).filter(text => text.includes(secret))).toEqual([])
    }
    const before = readdirSync(project)
    const { code, stdout, stderr } = await clewHere([...where, 'repair', session, '--force'])
    expect([code, (stdout + stderr).includes(secret)]).toEqual([0, false])
    const written = readdirSync(project).filter(name => !before.includes(name))
    expect(written).toHaveLength(1)
    expect(readFileSync(join(project, written[0] as string)).includes(secret)).toBe(false)
  })
})

function textsBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.flatMap(entry => (entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'utf8')] : []))
}
