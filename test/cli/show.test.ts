// `clew show`: what its flags do, what it says about wrong ones, and how reviewed sessions look.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openClew } from '../../src/answers/open.ts'
import type { ExitCode } from '../../src/cli/command.ts'
import { run } from '../../src/cli/commands/show.ts'
import { commands } from '../../src/cli/commands.ts'
import { listenerFor } from '../../src/cli/terminal/listener.ts'
import { flush } from '../../src/cli/terminal/output.ts'
import { withFolder } from '../home.ts'
import { noHome } from './capture.ts'
import { clewHere, shell } from './run.ts'

const samples = 'samples/home'
const croissants = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
const fog = '704f1849-cd53-4f49-910c-ffc0ee664633'

afterEach(() => {
  vi.restoreAllMocks()
})

interface Shown {
  text: string
  code: ExitCode
}

/** Runs the command in this process, as the parser would call it. */
async function show(
  session: string | undefined,
  options: Record<string, unknown> = {},
  root = samples,
): Promise<Shown> {
  let text = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk: unknown, done?: unknown) => {
    text += String(chunk)
    if (typeof done === 'function') done()
    return true
  })
  try {
    const clew = await openClew({ roots: [resolve(root)], home: noHome, timezone: 'UTC', listener: listenerFor(false) })
    const globals = { clew, json: options['json'] === true, quiet: false }
    const code = await run({ args: session === undefined ? [] : [session], options, globals, commands })
    await flush()
    // Colours are on where tests run for a service; these tests are about words.
    return { text: text.replace(/\u001b\[[0-9;]*m/g, ''), code }
  } finally {
    vi.restoreAllMocks()
  }
}

describe('flags of show', () => {
  it('--turn shows one turn, and says which there are when it is not one', async () => {
    const { text } = await show(croissants, { turn: '3' })
    expect(text).toContain('Make the button green.')
    expect(text).not.toContain('Where would you start?')
    expect(text).toContain('turn 3')
    await expect(show(croissants, { turn: '99' })).rejects.toThrow('no turn 99; this session has turns 1 to 6')
    for (const turn of ['0', 'x', '-1', '1.5']) {
      await expect(show(croissants, { turn })).rejects.toThrow('The first turn is 1')
    }
  })

  it('--thread shows a subagent, by the beginning of its id, and lists those that exist', async () => {
    const { text } = await show(croissants, { thread: 'a5c4' })
    expect(text).toContain('general-purpose')
    expect(text).toContain('Fourteen allergens')
    expect(text).not.toContain('Make the button green.')
    await expect(show(croissants, { thread: 'nope' })).rejects.toThrow(/no thread "nope"; threads: .*a5c41f7f9f3c2fef2/)
    await expect(show(croissants, { thread: 'a' })).rejects.toThrow('not unique')
  })

  it('--branch shows one branch', async () => {
    const detail = JSON.parse((await show(croissants, { json: true })).text)
    const other = detail.branches.find((branch: { active: boolean }) => !branch.active)
    const { text } = await show(croissants, { branch: other.leaf.slice(0, 8) })
    expect(text).toContain('Make the button green.')
    expect(text).not.toContain('Put the helper into preorder.ts')
    await expect(show(croissants, { branch: 'nope' })).rejects.toThrow('no branch ends at "nope"')
  })

  it('--since leaves out what is older', async () => {
    const { text } = await show(croissants, { since: '2026-05-18 05:03' })
    expect(text).toContain('Write the text of the page.')
    expect(text).not.toContain('Open a pull request')
    await expect(show(croissants, { since: 'lately' })).rejects.toThrow('Invalid --since')
  })

  it('--full cuts nothing, --thinking opens thinking, --timestamps shows times', async () => {
    expect((await show(croissants)).text).toContain('more lines; --full')
    const full = await show(croissants, { full: true })
    expect(full.text).not.toContain('--full')
    expect(full.text).toContain('built page 100 of 240')
    const thinking = await show(croissants, { thinking: true })
    expect(thinking.text).not.toContain('· --thinking')
    expect((await show(croissants, { timestamps: true })).text).toMatch(/✓ \d\d:\d\d:\d\d Read/)
  })

  it('--format gives Markdown, HTML and JSON', async () => {
    expect((await show(fog, { format: 'md' })).text).toMatch(/^# Fog of war\n/)
    expect((await show(fog, { format: 'html' })).text).toMatch(/^<!doctype html>/)
    expect(JSON.parse((await show(fog, { format: 'json' })).text)).toMatchObject({ id: fog, title: 'Fog of war' })
    expect((await show(fog, { json: true })).text).toBe((await show(fog, { format: 'json' })).text)
  })

  it('--format html has the pictures of the log inside, of safe kinds only', () =>
    withFolder(async folder => {
      const picture = (media_type: string, data: string) => ({
        ...{ type: 'image', source: { type: 'base64', media_type, data } },
      })
      const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4AWNgAAAAAgABc3UBGAAAAABJRU5ErkJggg=='
      const content = [picture('image/png', png), picture('image/svg+xml', 'PHN2Zy8+')]
      const record = { type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', message: { role: 'user', content } }
      const path = join(folder, 's.jsonl')
      writeFileSync(path, `${JSON.stringify(record)}\n`)
      const { text } = await show(path, { format: 'html' })
      expect(text.match(/<img [^>]*src="[^"]{0,40}/g)).toEqual(['<img src="data:image/png;base64,iVBORw0KGgoAAAANSU'])
    }))

  it('says what would work where no session is named and no one can choose', async () => {
    await expect(show(undefined)).rejects.toThrow('clew show last')
  })

  it('refuses a time zone that does not exist', async () => {
    const result = await clewHere(['show', fog, '--root', samples, '--timezone', 'Mars/Base'])
    expect(result.code).toBe(2)
    expect(result.stderr).toMatch(/^clew: Invalid time zone "Mars\/Base"/)
    expect(result.stdout).toBe('')
  })
})

const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\rx\u001bc\u0085'

/** A session with hostile text wherever a record can have text. */
function hostileSession(): string {
  const common = { sessionId: 's', cwd: evil, gitBranch: evil, version: evil, timestamp: '2026-01-01T00:00:00.000Z' }
  const user = (uuid: string, parentUuid: string | null, content: unknown, more = {}) => ({
    ...{ type: 'user', uuid, parentUuid, ...common, message: { role: 'user', content } },
    ...more,
  })
  const tools = ['Bash', 'Read', 'Edit', 'Write', 'TodoWrite', 'Grep', 'WebFetch', 'Task', 'AskUserQuestion', evil]
  const input = {
    command: evil,
    file_path: evil,
    old_string: evil,
    new_string: `${evil}2`,
    content: evil,
    prompt: evil,
  }
  const more = { pattern: evil, url: evil, subagent_type: evil, todos: [{ content: evil, status: evil }], [evil]: evil }
  const calls = tools.map((name, at) => ({ type: 'tool_use', id: `c${at}`, name, input: { ...input, ...more } }))
  const blocks = [{ type: 'text', text: evil }, { type: 'thinking', thinking: evil, signature: 'x' }, { type: evil }]
  const message = { role: 'assistant', id: 'm', model: evil, content: [...blocks, ...calls], stop_reason: evil }
  const results = tools.map((_, at) =>
    user(`r${at}`, 'b', [{ type: 'tool_result', tool_use_id: `c${at}`, content: evil, is_error: at % 2 === 0 }], {
      toolUseResult: { stdout: evil, stderr: evil, filePath: evil, agentId: evil, status: evil },
    }),
  )
  const records = [
    user('a', null, evil),
    { type: 'assistant', uuid: 'b', parentUuid: 'a', ...common, message },
    ...results,
    { type: 'system', uuid: 'd', parentUuid: 'b', subtype: evil, content: evil, level: evil, ...common },
    { type: 'attachment', uuid: 'e', parentUuid: 'd', attachment: { type: evil, filename: evil }, ...common },
    { type: evil, uuid: evil, parentUuid: evil, ...common },
    { type: 'summary', summary: evil, leafUuid: 'e' },
    { type: 'custom-title', customTitle: evil, sessionId: 's' },
    { type: 'pr-link', prUrl: evil, sessionId: 's' },
  ]
  return `${records.map(record => JSON.stringify(record)).join('\n')}\n`
}

describe('a hostile session', () => {
  it('leaves the terminal alone, whatever is shown of it', async () => {
    await withFolder(async folder => {
      const file = join(folder, 's.jsonl')
      writeFileSync(file, hostileSession())
      for (const options of [{}, { full: true, thinking: true, timestamps: true }, { turn: '1' }]) {
        const { text, code } = await show(file, options)
        expect(code).toBe(0)
        expect(text).toContain('\\u{1b}')
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      }
    })
  })
})

it('begins with the title that another file of the folder gives the session', () =>
  withFolder(async folder => {
    const project = join(folder, 'projects', '-p')
    mkdirSync(project, { recursive: true })
    const [one, two] = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002']
    const prompt = (sessionId: string, uuid: string) => ({
      ...{ type: 'user', uuid, parentUuid: null, sessionId, message: { role: 'user', content: 'make it fast' } },
    })
    const summary = { type: 'summary', summary: 'Servers that start at once', leafUuid: 'u1' }
    writeFileSync(join(project, `${one}.jsonl`), `${JSON.stringify(prompt(one, 'u1'))}\n`)
    writeFileSync(
      join(project, `${two}.jsonl`),
      [summary, prompt(two, 'v1')].map(line => `${JSON.stringify(line)}\n`).join(''),
    )
    expect((await show('aaaaaaaa', {}, folder)).text.split('\n')[0]).toBe('Servers that start at once')
  }))

describe('show as a command', () => {
  it.each([
    ['croissants', croissants],
    ['fog', fog],
    ['japanese', '8b863dff-418d-4587-b367-608598f5e71c'],
  ])('prints the reviewed text of %s', async (name, id) => {
    const env = { NO_COLOR: '1', COLUMNS: '100', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TERM: 'xterm' }
    const { stdout, stderr, code } = await clewHere(['show', id, '--root', samples, '--timezone', 'UTC'], { env })
    expect([stderr, code]).toEqual(['', 0])
    // Whole paths are as long as the folder is deep that the tests are in.
    const withoutPaths = (text: string) =>
      text.replace(/(full output|file):[ │\n]+[\s\S]*?\.(txt|jsonl)\n/g, '$1: a path\n')
    expect(withoutPaths(stdout)).toBe(withoutPaths(readFileSync(`test/cli/reviewed/show-${name}.txt`, 'utf8')))
  })

  it.each([
    ['by id', croissants],
    ['by path', `${samples}/projects/-home-mira-bakery/${croissants}.jsonl`],
  ])('prints whole paths of files as JSON, %s', async (_, asked) => {
    const places = ['--json', '--root', samples, '--home', noHome, '--no-index']
    const { files } = JSON.parse((await clewHere(['show', asked, ...places])).stdout)
    expect(files).toContain(resolve(samples, 'projects/-home-mira-bakery', `${croissants}.jsonl`))
    expect(files.filter((path: string) => !isAbsolute(path))).toEqual([])
  })

  it('opens every sample session', async () => {
    const { sessions } = JSON.parse((await clewHere(['--json', '--root', samples])).stdout) as {
      sessions: { id: string }[]
    }
    for (const { id } of sessions) {
      const { text, code } = await show(id)
      expect(code).toBe(0)
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }
    expect(sessions.length).toBeGreaterThan(5)
  })

  it('stops without a word when the reader goes away', async () => {
    const { code, stderr } = await shell(
      `clew show ${croissants} --root ${samples} | head -n 3; exit \${PIPESTATUS[0]}`,
    )
    expect([code, stderr]).toEqual([0, ''])
  })

  it('says what a file is that is not a session, and prints no heading for it', async () => {
    await withFolder(async folder => {
      const file = join(folder, 'notes.jsonl')
      writeFileSync(file, 'these are\nno records\n'.repeat(50_000))
      const { code, stdout, stderr } = await clewHere(['show', file])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('notes.jsonl')
    })
  })
})
