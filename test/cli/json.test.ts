// Every command prints with --json what its schema says, for everything in the sample history.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { usageForms } from '../../src/cli/usage/options.ts'
import { lint } from '../../src/schema/schema.ts'
import { clew, lines } from './run.ts'

const home = resolve('samples/home')
const own = mkdtempSync(join(tmpdir(), 'clew-json-'))
afterAll(() => rmSync(own, { recursive: true, force: true }))

/** The one value that a command prints. */
function printedIn(args: readonly string[], clewHome: string): Record<string, unknown> {
  const { stdout, stderr } = clew([...args, '--json'], { env: { CLAUDE_CONFIG_DIR: home, CLEW_HOME: clewHome } })
  expect(stdout.trim(), `${args.join(' ')}: ${stderr}`).not.toBe('')
  return JSON.parse(stdout)
}

function printed(args: readonly string[], clewHome = own): Record<string, unknown> {
  return printedIn(args, clewHome)
}

function listed(value: unknown): Record<string, unknown>[] {
  expect(value).toBeInstanceOf(Array)
  return value as Record<string, unknown>[]
}

const sessions = listed(printed(['ls'])['sessions']).map(row => String(row['id']))

/** Every row of a list fits; there must be some. */
function expectRows(schema: string, rows: unknown): void {
  expect(listed(rows).length).toBeGreaterThan(0)
  for (const row of listed(rows)) expect(lint(schema, row), JSON.stringify(row)).toEqual([])
}

/** One value of each session fits. */
function expectEach(schema: string, command: string, ids = sessions): void {
  for (const session of ids) expect(lint(schema, printed([command, session])), session).toEqual([])
}

const cases: Record<string, () => void> = {
  ls: () => {
    expectRows('session-row', printed(['ls', 'sessions'])['sessions'])
    expectRows('project-row', printed(['ls', 'projects'])['projects'])
  },
  show: () => expectEach('session-detail', 'show'),
  tree: () => expectEach('tree', 'tree'),
  context: () => expectEach('context', 'context'),
  stats: () => {
    expect(lint('stats', printed(['stats']))).toEqual([])
    expectEach('stats', 'stats', sessions.slice(0, 2))
  },
  usage: () => {
    for (const by of usageForms) {
      const report = printed(
        ['usage', by, '--group', by === 'project' ? 'model' : 'project'].slice(0, by === 'blocks' ? 2 : 4),
      )
      expectRows(by === 'blocks' ? 'usage-block' : 'usage-row', report[by])
      expect(lint('usage-totals', report['totals'])).toEqual([])
      expect(lint('usage-bounds', report['bounds'])).toEqual([])
    }
    expect(lint('usage-budget', printed(['usage', '--budget', '1/week'])['budget'])).toEqual([])
    expect(lint('usage-reconcile', printed(['usage', '--reconcile'])['reconcile'])).toEqual([])
  },
  history: () => expectRows('history-row', printed(['history'])['prompts']),
  grep: () => {
    const found = printed(['grep', 'the'])
    expect(found).toMatchObject({ query: 'the', total: listed(found['hits']).length, tookMs: expect.any(Number) })
    expectRows('hit', found['hits'])
    const counted = printed(['grep', 'the', '-c'])
    expect(counted).toMatchObject({ total: found['total'], hits: [] })
    expect(listed(counted['sessions']).length).toBeGreaterThan(3)
  },
  search: () => {
    const found = printed(['search', 'the'])
    expect(found).toMatchObject({ query: 'the', tookMs: expect.any(Number), problems: [] })
    expectRows('hit', found['hits'])
    expect(listed(found['sessions']).length).toBeGreaterThan(3)
  },
  // It goes on until somebody stops it: its own tests read what it prints.
  watch: () => expect(lint('event', lines(clew(['events', home, '--json']))[0])).toEqual([]),
  // So does this one.
  serve: () => expect(clew(['serve', '--port', 'none', '--json']).code).toBe(2),
  statusline: () =>
    expect(printed(['statusline'])).toMatchObject({ model: null, today: { isLeast: expect.any(Boolean) } }),
  resume: () => expectEach('resume', 'resume', sessions.slice(0, 4)),
  events: () => expectRows('event', lines(clew(['events', home, '--json']))),
  records: () => expectRows('record-line', lines(clew(['records', home, '--json']))),
  check: () => expect(lint('check-report', printed(['check']))).toEqual([]),
  schema: () => {
    expect(listed(printed(['schema']))).toContain('session-row')
    expect(printed(['schema', 'stats'])).toMatchObject({ $id: 'urn:clew:schema:stats', type: 'object' })
  },
  archive: () => {
    // A search before this keeps what it indexes, so this has a home of its own.
    const clewHome = join(own, 'archive-case')
    const printed = (args: readonly string[]) => printedIn(args, clewHome)
    expect(printed(['archive', 'run'])).toMatchObject({ files: 48, added: 48, bytes: expect.any(Number), findings: [] })
    expect(lint('archive-status', printed(['archive']))).toEqual([])
    expect(printed(['archive', 'verify'])).toMatchObject({ isIntact: true, quick: false, damaged: [] })
    const to = join(own, 'restored')
    const restored = printed(['archive', 'restore', '--all', '--to', to])
    expect(restored).toMatchObject({ restored: 48, failed: 0, folders: [{ home, folder: to }] })
    expect(printed(['archive', 'prune', '--older-than', '0'])).toMatchObject({ done: false, plan: { files: 47 } })
    const tar = join(own, 'all.tar')
    expect(printed(['archive', 'export', tar])).toMatchObject({ file: tar, files: 48, generations: 48 })
    expect(printed(['archive', 'import', tar])).toMatchObject({ isExport: true, added: 0, known: 48 })
    expect(printed(['archive', 'install', '--dry-run', '--by', 'hook'])).toMatchObject({
      done: false,
      plan: expect.any(Array),
    })
  },
  index: () => {
    const indexed = join(own, 'indexed')
    const refreshed = printed(['index', 'refresh'], indexed)
    expect(lint('index-refresh', refreshed)).toEqual([])
    expect(refreshed).toMatchObject({ isStopped: false, isRebuilt: false, sessions: sessions.length })
    expect(lint('index-status', printed(['index'], indexed))).toEqual([])
    expect(printed(['index', 'status'], indexed)).toMatchObject({ sessions: sessions.length, pendingBytes: 0 })
    expect(lint('index-refresh', printed(['index', 'rebuild'], indexed))).toEqual([])
    const verdict = printed(['index', 'verify'], indexed)
    expect(lint('index-verify', verdict)).toEqual([])
    expect(verdict).toEqual({ equal: true, differences: [] })
  },
  forget: () => {
    const [session = ''] = sessions
    expect(printed(['forget', session, '--yes'])).toMatchObject({ session, done: true, isKept: true })
    expect(printed(['forget', '--list'])).toEqual({ forgotten: [session] })
    expect(printed(['forget', session, '--undo'])).toEqual({ session, forgotten: false })
  },
  doctor: () => expect(lint('doctor-report', printed(['doctor']))).toEqual([]),
  config: () => {
    const path = join(own, 'config.json')
    expect(printed(['config'])).toEqual({ path, config: {} })
    expect(printed(['config', 'path'])).toEqual({ path })
    expect(printed(['config', 'set', 'timezone', 'UTC'])).toEqual({ key: 'timezone', value: 'UTC' })
    expect(printed(['config', 'get', 'timezone'])).toEqual({ key: 'timezone', value: 'UTC' })
    expect(printed(['config', 'unset', 'timezone'])).toEqual({ key: 'timezone', value: null })
    expect(printed(['config', 'get', 'timezone'])).toEqual({ key: 'timezone', value: null })
  },
  completion: () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(printed(['completion', shell])).toEqual({ shell, script: expect.stringContaining('clew') })
  },
  guide: () => {
    const { guide, commands: declared } = printed(['guide'])
    expect(guide).toContain('# Using clew')
    expect(listed(declared).map(command => command['name'])).toEqual(commands.map(command => command.name))
  },
}

describe('with --json', () => {
  it('clew alone prints what its schema says', () => {
    expect(lint('overview', printed([]))).toEqual([])
  })

  it.each(commands.map(command => command.name))('clew %s prints what its schema says', { timeout: 60_000 }, name => {
    expect(cases).toHaveProperty(name)
    cases[name]?.()
  })

  it('a list in which nothing fits is empty, and the exit code is 1', () => {
    const env = { CLAUDE_CONFIG_DIR: home, CLEW_HOME: own }
    for (const [command, key] of [
      ['ls', 'sessions'],
      ['history', 'prompts'],
    ]) {
      const { stdout, code } = clew([command ?? '', '--grep', 'no such words at all', '--json'], { env })
      expect([JSON.parse(stdout), code]).toEqual([{ [key ?? '']: [] }, 1])
    }
  })
})
