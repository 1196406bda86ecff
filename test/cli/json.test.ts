// Every command prints with --json what its schema says, for everything in the sample history.

import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { usageForms } from '../../src/answers/usage/forms.ts'
import { commands } from '../../src/cli/commands.ts'
import { lint } from '../../src/schema/schema.ts'
import { clewHere, lines } from './run.ts'

const home = resolve('samples/home')
const own = mkdtempSync(join(tmpdir(), 'clew-json-'))
afterAll(() => rmSync(own, { recursive: true, force: true }))

/** The one value that a command prints. */
async function printedIn(args: readonly string[], clewHome: string): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await clewHere([...args, '--json'], {
    env: { CLAUDE_CONFIG_DIR: home, CLEW_HOME: clewHome },
  })
  expect(stdout.trim(), `${args.join(' ')}: ${stderr}`).not.toBe('')
  return JSON.parse(stdout)
}

async function printed(args: readonly string[], clewHome = own): Promise<Record<string, unknown>> {
  return await printedIn(args, clewHome)
}

function listed(value: unknown): Record<string, unknown>[] {
  expect(value).toBeInstanceOf(Array)
  return value as Record<string, unknown>[]
}

const sessions = listed((await printed(['ls']))['sessions']).map(row => String(row['id']))

/** Every row of a list fits; there must be some. */
function expectRows(schema: string, rows: unknown): void {
  expect(listed(rows).length).toBeGreaterThan(0)
  for (const row of listed(rows)) expect(lint(schema, row), JSON.stringify(row)).toEqual([])
}

/** One value of each session fits. */
async function expectEach(schema: string, command: string, ids = sessions): Promise<void> {
  for (const session of ids) expect(lint(schema, await printed([command, session])), session).toEqual([])
}

/** What a command prints that writes to a copy of the samples. */
async function written(schema: string, [command = '', ...args]: readonly string[], input = ''): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'clew-json-home-'))
  try {
    cpSync(home, copy, { recursive: true })
    const { stdout, stderr, code } = await clewHere([command, talk, ...args, '--root', copy, '--home', own, '--json'], {
      input,
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(lint(schema, JSON.parse(stdout))).toEqual([])
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** A session that Claude Code resumes. */
const talk = '57bae280-ea99-41b3-b705-d095bc6e35d6'

const cases: Record<string, () => Promise<void> | void> = {
  ls: async () => {
    expectRows('session-row', (await printed(['ls', 'sessions']))['sessions'])
    expectRows('project-row', (await printed(['ls', 'projects']))['projects'])
  },
  show: async () => await expectEach('session-detail', 'show'),
  tree: async () => await expectEach('tree', 'tree'),
  context: async () => await expectEach('context', 'context'),
  fork: async () => await written('new-session', ['fork']),
  trim: async () => await written('new-session', ['trim', '--budget', '1m']),
  repair: async () => await written('repair-report', ['repair']),
  convert: async () => {
    const report = await printed(['convert', talk, '--to', 's4', '--out', join(own, 'converted'), '--check'])
    expect(lint('convert-report', report)).toEqual([])
  },
  split: async () => {
    const report = await printed(['split', talk, '--size', '4kB', '--out', join(own, 'split')])
    expect(lint('parts-report', report)).toEqual([])
  },
  join: async () => {
    const parts = join(own, 'parts')
    await printed(['split', talk, '--size', '4kB', '--out', parts])
    const paths = readdirSync(parts).filter(name => name.endsWith('.jsonl'))
    expect(paths.length).toBeGreaterThan(1)
    const args = paths.map(name => join(parts, name))
    expect(lint('parts-report', await printed(['join', ...args, '--out', join(own, 'joined.jsonl')]))).toEqual([])
  },
  compact: async () => await written('changed-session', ['compact', '--summary', 'It is fast now. '.repeat(400)]),
  title: async () => await written('changed-session', ['title', 'Faster']),
  tag: async () => await written('changed-session', ['tag', 'reports']),
  append: async () =>
    await written('changed-session', ['append'], '{"kind":"prompt","blocks":[{"type":"text","text":"Thanks"}]}\n'),
  stats: async () => {
    expect(lint('stats', await printed(['stats']))).toEqual([])
    await expectEach('stats', 'stats', sessions.slice(0, 2))
  },
  usage: async () => {
    for (const by of usageForms) {
      const report = await printed(
        ['usage', by, '--group', by === 'project' ? 'model' : 'project'].slice(0, by === 'blocks' ? 2 : 4),
      )
      expectRows(by === 'blocks' ? 'usage-block' : 'usage-row', report[by])
      expect(lint('usage-totals', report['totals'])).toEqual([])
      expect(lint('usage-bounds', report['bounds'])).toEqual([])
    }
    expect(lint('usage-budget', (await printed(['usage', '--budget', '1/week']))['budget'])).toEqual([])
    expect(lint('usage-reconcile', (await printed(['usage', '--reconcile']))['reconcile'])).toEqual([])
  },
  export: async () => {
    const report = await printed(['export', '--all', '--format', 'json', '--out', join(own, 'exported')])
    expect(lint('export-report', report)).toEqual([])
  },
  history: async () => expectRows('history-row', (await printed(['history']))['prompts']),
  grep: async () => {
    const found = await printed(['grep', 'the'])
    expect(found).toMatchObject({ query: 'the', total: listed(found['hits']).length, tookMs: expect.any(Number) })
    expectRows('hit', found['hits'])
    const counted = await printed(['grep', 'the', '-c'])
    expect(counted).toMatchObject({ total: found['total'], hits: [] })
    expect(listed(counted['sessions']).length).toBeGreaterThan(3)
  },
  search: async () => {
    const found = await printed(['search', 'the'])
    expect(found).toMatchObject({ query: 'the', tookMs: expect.any(Number), problems: [] })
    expectRows('hit', found['hits'])
    expect(listed(found['sessions']).length).toBeGreaterThan(3)
  },
  // It continues until somebody stops it: its own tests read what it prints.
  watch: async () => expect(lint('event', lines(await clewHere(['events', home, '--json']))[0])).toEqual([]),
  // So does this one.
  serve: async () => expect((await clewHere(['serve', '--port', 'none', '--json'])).code).toBe(2),
  statusline: async () =>
    expect(await printed(['statusline'])).toMatchObject({ model: null, today: { isLeast: expect.any(Boolean) } }),
  resume: async () => await expectEach('resume', 'resume', sessions.slice(0, 4)),
  events: async () => expectRows('event', lines(await clewHere(['events', home, '--json']))),
  records: async () => expectRows('record-line', lines(await clewHere(['records', home, '--json']))),
  check: async () => expect(lint('check-report', await printed(['check']))).toEqual([]),
  schema: async () => {
    expect(listed(await printed(['schema']))).toContain('session-row')
    expect(await printed(['schema', 'stats'])).toMatchObject({ $id: 'urn:clew:schema:stats', type: 'object' })
  },
  archive: async () => {
    // Others use what is archived: this has a home of its own.
    const clewHome = join(own, 'archive-case')
    const printed = async (args: readonly string[]) => await printedIn(args, clewHome)
    expect(await printed(['archive', 'run'])).toMatchObject({
      files: 48,
      added: 48,
      bytes: expect.any(Number),
      findings: [],
    })
    expect(lint('archive-status', await printed(['archive']))).toEqual([])
    expect(await printed(['archive', 'verify'])).toMatchObject({ isIntact: true, quick: false, damaged: [] })
    const to = join(own, 'restored')
    const restored = await printed(['archive', 'restore', '--all', '--to', to])
    expect(restored).toMatchObject({ restored: 48, failed: 0, folders: [{ home, folder: to }] })
    expect(await printed(['archive', 'prune', '--older-than', '0'])).toMatchObject({ done: false, plan: { files: 47 } })
    const copy = join(own, 'copy')
    cpSync(join(clewHome, 'archive'), copy, { recursive: true })
    expect(await printed(['archive', 'import', copy])).toMatchObject({ isArchive: true, added: 0, known: 48 })
    expect(await printed(['archive', 'install', '--dry-run'])).toMatchObject({
      done: false,
      plan: expect.any(Array),
    })
  },
  index: async () => {
    const indexed = join(own, 'indexed')
    const refreshed = await printed(['index', 'refresh'], indexed)
    expect(lint('index-refresh', refreshed)).toEqual([])
    expect(refreshed).toMatchObject({ isStopped: false, isRebuilt: false, sessions: sessions.length })
    expect(lint('index-status', await printed(['index'], indexed))).toEqual([])
    expect(await printed(['index', 'status'], indexed)).toMatchObject({ sessions: sessions.length, pendingBytes: 0 })
    expect(lint('index-refresh', await printed(['index', 'rebuild'], indexed))).toEqual([])
    const verdict = await printed(['index', 'verify'], indexed)
    expect(lint('index-verify', verdict)).toEqual([])
    expect(verdict).toEqual({ equal: true, differences: [] })
  },
  forget: async () => {
    const [session = ''] = sessions
    await printed(['archive', 'run'])
    expect(await printed(['forget', session, '--yes'])).toMatchObject({ session, done: true, isKept: true })
    expect(await printed(['forget', '--list'])).toEqual({ forgotten: [session] })
    expect(await printed(['forget', session, '--undo'])).toEqual({ session, forgotten: false })
  },
  doctor: async () => expect(lint('doctor-report', await printed(['doctor']))).toEqual([]),
  config: async () => {
    const path = join(own, 'config.json')
    expect(await printed(['config'])).toEqual({ path, config: {} })
    expect(await printed(['config', 'path'])).toEqual({ path })
    expect(await printed(['config', 'set', 'timezone', 'UTC'])).toEqual({ key: 'timezone', value: 'UTC' })
    expect(await printed(['config', 'get', 'timezone'])).toEqual({ key: 'timezone', value: 'UTC' })
    expect(await printed(['config', 'unset', 'timezone'])).toEqual({ key: 'timezone', value: null })
    expect(await printed(['config', 'get', 'timezone'])).toEqual({ key: 'timezone', value: null })
  },
  completion: async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(await printed(['completion', shell])).toEqual({ shell, script: expect.stringContaining('clew') })
  },
  guide: async () => {
    const { guide, commands: declared } = await printed(['guide'])
    expect(guide).toContain('# Using clew')
    expect(listed(declared).map(command => command['name'])).toEqual(commands.map(command => command.name))
  },
}

describe('with --json', () => {
  it('clew alone prints what its schema says', async () => {
    expect(lint('overview', await printed([]))).toEqual([])
  })

  it.each(commands.map(command => command.name))(
    'clew %s prints what its schema says',
    { timeout: 60_000 },
    async name => {
      expect(cases).toHaveProperty(name)
      await cases[name]?.()
    },
  )

  it('a list in which nothing fits is empty, and the exit code is 1', async () => {
    const env = { CLAUDE_CONFIG_DIR: home, CLEW_HOME: own }
    for (const [command, key] of [
      ['ls', 'sessions'],
      ['history', 'prompts'],
    ]) {
      const { stdout, code } = await clewHere([command ?? '', '--grep', 'no such words at all', '--json'], { env })
      expect([JSON.parse(stdout), code]).toEqual([{ [key ?? '']: [] }, 1])
    }
  })
})
