// What people type by mistake, or in a hurry, gets one line that says what would work.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clewHere, type Result } from './run.ts'

const env = { CLAUDE_CONFIG_DIR: resolve('samples/home') }

function line(id: string, at: string, text: string): string {
  const message = { role: 'user', content: text }
  return `${JSON.stringify({ type: 'user', uuid: `${id}-1`, parentUuid: null, sessionId: id, timestamp: at, message })}\n`
}

/** A home with one session for each `[id, last record, text, seconds since its file changed]`. */
function makeHome(folder: string, sessions: readonly (readonly [string, string, string, number])[]): string {
  const project = join(folder, 'projects', '-home-ada')
  mkdirSync(project, { recursive: true })
  for (const [id, at, text, age] of sessions) {
    const path = join(project, `${id}.jsonl`)
    writeFileSync(path, line(id, at, text))
    const changed = Date.now() / 1000 - age
    utimesSync(path, changed, changed)
  }
  return folder
}

describe('a command line that cannot be understood', () => {
  it.each([
    [['sho', 'last', '--turn', '2'], /^clew: unknown command "sho"; did you mean clew show\?\n$/],
    [['--jsno'], /^clew: unknown option "--jsno"; did you mean --json\?\n$/],
    [['help', 'lss'], /^clew: unknown command "lss"; did you mean clew ls\?\n$/],
    [['ls', '--lng'], /^clew: unknown option '--lng' \(did you mean --long\?\); see clew ls --help\n$/],
    [['show', 'Fog', 'of', 'war'], /^clew: too many arguments .*; quote a title with spaces\n$/],
    [['completion'], /^clew: missing required argument 'shell'; see clew completion --help\n$/],
    [['show', '-'], /^clew: cannot read a session from stdin; .*\n$/],
    [['tree', 'nothing like it'], /^clew: no session matches "nothing like it" \(of 18\); to list them: clew ls\n$/],
  ])('%j is told in one line, with exit code 2', async (args, said) => {
    const { stdout, stderr, code } = await clewHere(args, { env })
    expect([stdout, code]).toEqual(['', 2])
    expect(stderr).toMatch(said)
  })

  it.each([['help'], ['help', 'ls']])('clew %s %s is no such line', async (...args) => {
    const { stdout, stderr, code } = await clewHere(args.filter(Boolean))
    expect([stderr, code]).toEqual(['', 0])
    expect(stdout).toMatch(/^Usage: clew /)
  })
})

describe('a session that several words or none fit', () => {
  it('lists each candidate on one line, however long or broken its title', async () => {
    await withFolder(async folder => {
      const at = '2026-05-04T09:00:00.000Z'
      const home = makeHome(folder, [
        ['aaaa-1', at, `Boil\nthe kettle ${'and wait '.repeat(200)}`, 9],
        ['aaaa-2', at, 'Pour\r\n\u001b[2Jtea', 5],
      ])
      const { stderr, code } = await clewHere(['show', 'aaaa', '--root', home])
      expect(code).toBe(2)
      const lines = stderr.trimEnd().split('\n')
      expect(lines).toHaveLength(3)
      for (const text of lines) expect(text.length).toBeLessThan(120)
      expect(stderr).not.toMatch(/[\r\u001b]/)
    })
  })

  it('says so where there are no sessions at all', async () => {
    await withFolder(async folder => {
      const { stderr, code } = await clewHere(['show', 'last', '--root', folder])
      expect([stderr, code]).toEqual(['clew: no sessions found; pass a Claude home with --root PATH\n', 2])
    })
  })
})

describe('last', () => {
  const early = '2026-05-01T09:00:00.000Z'
  const late = '2026-05-09T09:00:00.000Z'
  const shown = ({ stdout }: Result) => JSON.parse(stdout).id

  it('is the session with the latest record, whatever file changed last', async () => {
    await withFolder(async folder => {
      const home = makeHome(folder, [
        ['one', late, 'Hello', 5000],
        ['two', early, 'Hello', 60],
      ])
      expect(shown(await clewHere(['show', 'last', '--json', '--root', home]))).toBe('one')
    })
  })

  it('is no path, also where a folder is called so', async () => {
    await withFolder(async folder => {
      const home = makeHome(folder, [['one', early, 'Hello', 60]])
      makeHome(join(folder, 'last'), [['two', late, 'Hello', 60]])
      expect(shown(await clewHere(['show', 'last', '--json', '--root', home], { cwd: folder }))).toBe('one')
    })
  })

  it('is the one with the latest records where all files changed at once, as after a copy', async () => {
    await withFolder(async folder => {
      const home = makeHome(folder, [
        ['one', early, 'Hello', 60],
        ['two', late, 'Hello', 62],
        ['three', early, 'Hello', 61],
      ])
      expect(shown(await clewHere(['show', 'last', '--json', '--root', home]))).toBe('two')
      expect(JSON.parse((await clewHere(['ls', '--json', '--root', home])).stdout).sessions[0].id).toBe('two')
    })
  })
})

describe('clew records', () => {
  it('takes a session too, and names each file where there are several', async () => {
    const { stdout, code } = await clewHere(['records', 'Fog of war'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('704f1849-cd53-4f49-910c-ffc0ee664633.jsonl\n     1  client')
    expect((await clewHere(['records', '8b863dff'], { env })).stdout).toMatch(/^ {5}1 {2}client/)
  })
})

describe('clew stats', () => {
  it('of an empty session says that there is nothing to count', async () => {
    await withFolder(async folder => {
      const home = makeHome(folder, [['one', '2026-05-01T09:00:00.000Z', 'Hello', 60]])
      writeFileSync(join(home, 'projects', '-home-ada', 'two.jsonl'), '')
      const { stderr, code } = await clewHere(['stats', 'two', '--root', home])
      expect([stderr, code]).toEqual(['clew: nothing to count: the file of "two" has no records\n', 1])
    })
  })

  it('has the numbers of one session on a narrow terminal too, and one day once', async () => {
    const { stdout } = await clewHere(['stats', '8b863dff', '--timezone', 'UTC'], { env: { ...env, COLUMNS: '40' } })
    expect(stdout).toMatch(/^events +9$/m)
    expect(stdout).toContain('\n2026-06-05\n')
  })
})
