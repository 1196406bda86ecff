// `clew grep`: what it searches, in which order, what it prints, and its exit codes.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { run as grep } from '../../src/cli/commands/grep.ts'
import { run as show } from '../../src/cli/commands/show.ts'
import { withFolder } from '../home.ts'
import { capture } from './capture.ts'
import { withCommands } from './command-home.ts'
import { ids, makeHome, SessionLines, writeLines } from './ls-home.ts'
import { clewHere, shell } from './run.ts'

function withHome(work: (home: string) => Promise<void> | void): Promise<void> {
  return withFolder(async folder => {
    const home = join(folder, 'home')
    makeHome(home)
    await work(home)
  })
}

/** As if standard output were a terminal. */
async function onTerminal<Value>(work: () => Promise<Value>): Promise<Value> {
  const { isTTY } = process.stdout
  process.stdout.isTTY = true
  try {
    return await work()
  } finally {
    process.stdout.isTTY = isTTY
  }
}

const json = (text: string) =>
  JSON.parse(text) as {
    query: string
    total: number
    tookMs: number
    hits: Record<string, unknown>[]
    sessions?: unknown
  }

describe('clew grep', () => {
  it('prints matching lines under the titles of their sessions, the latest first', () =>
    withHome(async home => {
      const { stdout, stderr, code } = await capture(grep, { root: [home], args: ['ed? to|Add|till'] })
      expect(code).toBe(0)
      expect(stdout.split('\n')).toEqual([
        'Tax on cakes  shop',
        expect.stringMatching(/^aaaaaaaa-1 {2}\S+ {2}2026-02-18 09:00 {2}prompt +Add the tax$/),
        '',
        '=Cart totals  shop',
        expect.stringMatching(/^aaaaaaaa-0 {2}\S+ {2}2026-02-17 23:30 {2}answer +Rounded to cents\.$/),
        expect.stringMatching(/^aaaaaaaa-0 {2}@\d+ +- {17}title +Looking for the till$/),
        '',
        'Looking for the till  shop',
        expect.stringMatching(/^cccccccc {2}\S+ {2}2025-11-01 10:00 {2}prompt +Where is the till\?$/),
        '',
      ])
      expect(stderr).toContain('4 matching lines in 3 sessions')
    }))

  it('searches one session where one is named, its subagents too', () =>
    withHome(async home => {
      const { stdout } = await capture(grep, { root: [home], args: ['.', ids.tax], json: true })
      const { hits } = json(stdout)
      expect(new Set(hits.map(hit => hit['session']))).toEqual(new Set([ids.tax]))
      expect(hits).toContainEqual(expect.objectContaining({ thread: 'a1b2c3d', kind: 'answer', snippet: '5 %' }))
    }))

  it('finds text as it was written, not its JSON form', () =>
    withHome(async home => {
      const lines = new SessionLines('dddddddd-0000-4000-8000-000000000005', '2026-04-01T08:00:00Z', '/w', 'main')
      lines.prompt('say "hi"\n\tC:\\new').call('Bash', 'tab\there')
      writeLines(join(home, 'projects', '-w', 'dddddddd-0000-4000-8000-000000000005.jsonl'), lines.lines)
      const found = async (...args: string[]) => (await capture(grep, { root: [home], args })).code
      expect(await found('^say "hi"$')).toBe(0)
      expect(await found('C:\\\\new')).toBe(0)
      expect(await found('\\there')).toBe(0)
      expect(await found('hi\\\\"')).toBe(1)
      expect(await found('parentUuid')).toBe(1)
    }))

  it('filters by kind, tool, project and time, and ignores case with -i', () =>
    withHome(async home => {
      const total = async (query: string, options: Record<string, unknown>) =>
        json((await capture(grep, { root: [home], args: [query], json: true, options })).stdout).total
      expect(await total('.', { kind: ['prompt'] })).toBe(5)
      expect(await total('exit', { tool: 'Bash', ignoreCase: true })).toBe(1)
      expect(await total('exit', { tool: 'Bash' })).toBe(0)
      await expect(total('Exit', { tool: 'Read' })).rejects.toThrow('no session calls a tool')
      expect(await total('till', { project: 'shop', until: '2026-01-01' })).toBe(1)
      expect(await total('.', { since: '2026-03-01' })).toBe(3)
      expect(await total('5 %', { fixedStrings: true })).toBe(1)
      expect(await total('t.l', { fixedStrings: true })).toBe(0)
    }))

  it('lists only sessions, or counts, and stops at a limit', () =>
    withHome(async home => {
      const of = async (options: Record<string, unknown>) =>
        (await capture(grep, { root: [home], args: ['.'], options })).stdout.trimEnd().split('\n')
      expect(await of({ sessions: true })).toHaveLength(4)
      expect((await of({ sessions: true, limit: '2' })).map(line => line.slice(0, 8))).toEqual(['bbbbbbbb', 'aaaaaaaa'])
      expect((await of({ count: true })).map(line => Number(line.slice(0, 6)))).toEqual([3, 7, 4, 2])
      expect(await of({ limit: '1' })).toHaveLength(2)
    }))

  it('prints context lines, keeps to the width, and escapes control characters', () =>
    withHome(async home => {
      const id = 'dddddddd-0000-4000-8000-000000000005'
      const lines = new SessionLines(id, '2026-04-01T08:00:00Z', '/w', 'main')
      lines.prompt(`first\n\u001b[2Jsecond\n${'long '.repeat(200)}needle\u0007 ${'島'.repeat(200)}\nlast`)
      lines.side({ type: 'custom-title', customTitle: 'Wide' })
      writeLines(join(home, 'projects', '-w', `${id}.jsonl`), lines.lines)
      for (const columns of [40, 80, 120]) {
        const options = { context: '1' }
        const { stdout } = await onTerminal(() => capture(grep, { root: [home], args: ['needle'], options, columns }))
        expect(stdout).toContain('\\u{1b}[2Jsecond')
        expect(stdout).toContain('needle\\u{7}')
        expect(stdout).toContain('last')
        expect(stdout).not.toContain('first')
        for (const line of stdout.split('\n')) expect(columnsOf(line), line).toBeLessThanOrEqual(columns)
      }
    }))

  it('separates matches with context, and names every kind in full', () =>
    withHome(async home => {
      const id = 'dddddddd-0000-4000-8000-000000000005'
      const lines = new SessionLines(id, '2026-04-01T08:00:00Z', '/w', 'main')
      lines.prompt('one plum\ntwo').prompt('six plums')
      const message = { role: 'user', content: 'The plum story.' }
      lines.side({ type: 'user', uuid: 'dddddddd-9-0005', parentUuid: lines.leaf, isCompactSummary: true, message })
      writeLines(join(home, 'projects', '-w', `${id}.jsonl`), lines.lines)
      const { stdout } = await capture(grep, { root: [home], args: ['plum'], options: { context: '1' } })
      const printed = stdout.trimEnd().split('\n').slice(1)
      const columnOf = (text: string) => printed.find(line => line.includes(text))?.indexOf(text)
      expect(printed.filter(line => line === '--')).toHaveLength(2)
      expect(printed.at(-1)).toMatch(/ compact-summary +The plum story\.$/)
      expect(columnOf('one plum')).toBe(columnOf('The plum story'))
    }))

  it('prints whole lines into a pipe, in JSON and with --full, and cuts them on a terminal', () =>
    withHome(async home => {
      const id = 'dddddddd-0000-4000-8000-000000000005'
      const lines = new SessionLines(id, '2026-04-01T08:00:00Z', '/w', 'main')
      const long = `${'long '.repeat(400)}needle${' more'.repeat(400)}`
      lines.prompt(long)
      writeLines(join(home, 'projects', '-w', `${id}.jsonl`), lines.lines)
      const run = (options = {}, isJson = false) =>
        capture(grep, { root: [home], args: ['needle'], options, json: isJson, columns: 80 })
      expect((await run()).stdout).toContain(long)
      expect(json((await run({}, true)).stdout).hits).toMatchObject([{ snippet: long, line: 1 }])
      expect((await onTerminal(() => run())).stdout).not.toContain(long)
      expect((await onTerminal(() => run({ full: true }))).stdout).toContain(long)
    }))

  it('prints only matches with -o, other lines with -v, whole words with -w, numbers with -n', () =>
    withHome(async home => {
      const id = 'dddddddd-0000-4000-8000-000000000005'
      const lines = new SessionLines(id, '2026-04-01T08:00:00Z', '/w', 'main')
      lines.prompt('plum plums\nPflaume\nplumage, plum!')
      writeLines(join(home, 'projects', '-w', `${id}.jsonl`), lines.lines)
      const found = async (query: string, options: Record<string, unknown>) => {
        const { stdout } = await capture(grep, { root: [home], args: [query, id], json: true, options })
        return json(stdout).hits.map(({ line, snippet }) => `${line}:${snippet}`)
      }
      const prompt = { kind: ['prompt'] }
      expect(await found('plum', prompt)).toEqual(['1:plum plums', '3:plumage, plum!'])
      expect(await found('plum', { ...prompt, onlyMatching: true })).toEqual(['1:plum', '1:plum', '3:plum', '3:plum'])
      expect(await found('plum', { ...prompt, onlyMatching: true, wordRegexp: true })).toEqual(['1:plum', '3:plum'])
      expect(await found('plums|plumage', { ...prompt, wordRegexp: true })).toHaveLength(2)
      expect(await found('aume', { ...prompt, wordRegexp: true })).toEqual([])
      expect(await found('plum', { ...prompt, invertMatch: true })).toEqual(['2:Pflaume'])
      const { stdout } = await capture(grep, { root: [home], args: ['age', id], options: { lineNumber: true } })
      expect(stdout).toMatch(/ prompt +3:plumage, plum!\n/)
    }))

  it('prints event ids that show takes, and the names of kinds that --kind takes', () =>
    withHome(async home => {
      const { stdout } = await capture(grep, { root: [home], args: ['.'] })
      const lines = stdout.split('\n').filter(line => /^[a-c]{8}/.test(line))
      expect(lines.length).toBeGreaterThan(5)
      for (const line of lines) {
        const [session = '', event = ''] = line.split(/ {2,}/)
        const shown = await capture(show, { root: [home], args: [session], options: { event } })
        expect(shown.stdout, line).toContain('this is event')
      }
      const labels = new Set(
        json((await capture(grep, { root: [home], args: ['.'], json: true })).stdout).hits.map(hit => hit['label']),
      )
      expect(labels).toContain('result')
      for (const label of labels) {
        const { hits } = json(
          (await capture(grep, { root: [home], args: ['.'], json: true, options: { kind: [label] } })).stdout,
        )
        expect(new Set(hits.map(hit => hit['label']))).toEqual(new Set([label]))
      }
    }))

  it('skips a line on which an expression takes too long, says so, and goes on', () =>
    withHome(async home => {
      const id = 'dddddddd-0000-4000-8000-000000000005'
      const lines = new SessionLines(id, '2026-04-01T08:00:00Z', '/w', 'main')
      lines
        .prompt('one plum')
        .prompt(`two plums\n${'a'.repeat(60)}!\nthree plums`)
        .prompt('four aab')
      writeLines(join(home, 'projects', '-w', `${id}.jsonl`), lines.lines)
      const { stdout, stderr, code } = await capture(grep, { root: [home], args: ['(a+)+b|plum', id] })
      expect(code).toBe(2)
      expect(stdout.match(/ prompt +(.*)/g)?.map(line => line.replace(/ prompt +/, ''))).toEqual([
        'one plum',
        'two plums',
        'three plums',
        'four aab',
      ])
      expect(stderr).toMatch(/skipped line 2 of \S+ in session dddddddd-\S+: the expression took more than 1/)
    }))

  it('finds a session that only the archive has', () =>
    withCommands(makeHome, async place => {
      await place.archive()
      place.drop('projects', '-home-mira-shop', `${ids.cart}.jsonl`)
      const { stdout, code } = await place.run(grep, { args: ['Rounded to'], json: true })
      expect(code).toBe(0)
      expect(json(stdout).hits).toMatchObject([{ session: ids.cart, kind: 'answer', snippet: 'Rounded to cents.' }])
    }))

  it('finds what only an earlier generation contains and names it, and prints what both contain once', () =>
    withCommands(makeHome, async place => {
      const file = join(place.home, 'projects', '-home-mira-shop', `${ids.cart}.jsonl`)
      await place.archive()
      const before = readFileSync(file, 'utf8')
      // Claude Code rewrote the file: one text changed.
      writeFileSync(file, before.replaceAll('Rounded to cents.', 'Rounded up.'))
      for (const isArchivedAgain of [false, true]) {
        if (isArchivedAgain) await place.archive()
        const { stdout } = await place.run(grep, { args: ['Rounded'] })
        expect(stdout).toMatch(/aaaaaaaa-0 .* Rounded up\.\naaaaaaaa-0@1 .* Rounded to cents\.\n$/)
        const found = json((await place.run(grep, { args: ['Rounded|till'], json: true })).stdout).hits
        const ofCart = found.filter(hit => hit['session'] === ids.cart)
        expect(ofCart.map(hit => [hit['snippet'], hit['generation']])).toEqual([
          ['Rounded up.', undefined],
          ['Looking for the till', undefined],
          ['Rounded to cents.', 1],
        ])
        const counts = (await place.run(grep, { args: ['Rounded'], options: { count: true } })).stdout
        expect(counts).toMatch(/^ +2 {2}aaaaaaaa-0 /)
        // The same without a text that must occur.
        const lines = (await place.run(grep, { args: ['[R]ounded'] })).stdout
        expect(lines).toBe(stdout)
        const one = await place.run(grep, { args: ['Rounded', `${ids.cart}@1`], json: true })
        expect(json(one.stdout).hits.map(hit => hit['snippet'])).toEqual(['Rounded to cents.'])
      }
    }))

  it('finds what a log said before, also where the session is read from a copy of it', () =>
    withCommands(makeHome, async place => {
      const file = join(place.home, 'projects', '-home-mira-shop', `${ids.cart}.jsonl`)
      await place.archive()
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('Rounded to cents.', 'Rounded up.'))
      const copy = join(place.home, 'projects', '-home-mira-copy')
      mkdirSync(copy)
      copyFileSync(file, join(copy, `${ids.cart}.jsonl`))
      const { stdout } = await place.run(grep, { args: ['Rounded'] })
      expect(stdout).toMatch(/aaaaaaaa-0 .* Rounded up\.\naaaaaaaa-0@1 .* Rounded to cents\.\n$/)
    }))

  it('searches output that was spilled into a file, and names its tool call', () =>
    withHome(async home => {
      const id = 'dddddddd-0000-4000-8000-000000000005'
      const folder = join(home, 'projects', '-w', id, 'tool-results')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'b1.txt'), 'begin\ncommon line\nonly in the file: plum\nend\n')
      writeFileSync(join(folder, 'b2.txt'), 'nobody names this plum\n')
      const shown = `<persisted-output>\nOutput too large (50KB). Full output saved to: ${join(folder, 'b1.txt')}\n\nPreview (first 2KB):\nbegin\ncommon line\n...\n</persisted-output>`
      const at = '2026-04-01T08:00:00.000Z'
      const line = (uuid: string, type: string, content: unknown[]) =>
        `${JSON.stringify({ type, uuid, parentUuid: null, sessionId: id, timestamp: at, message: { role: type, content } })}\n`
      const text = [
        line('e1', 'assistant', [{ type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'sort' } }]),
        line('e2', 'user', [{ type: 'tool_result', tool_use_id: 'c1', content: shown }]),
      ]
      writeFileSync(join(home, 'projects', '-w', `${id}.jsonl`), text.join(''))
      const hits = async (query: string, options: Record<string, unknown> = {}) =>
        json((await capture(grep, { root: [home], args: [query], json: true, options })).stdout).hits
      for (const query of ['plum', '[p]lum']) {
        expect(await hits(query)).toMatchObject([
          { session: id, event: 'e2', kind: 'tool-results', at, snippet: 'only in the file: plum' },
          { session: id, event: '', snippet: 'nobody names this plum' },
        ])
      }
      expect(await hits('common line')).toMatchObject([{ event: 'e2', snippet: 'common line' }])
      expect(await hits('plum', { tool: 'Bash' })).toHaveLength(1)
      await expect(hits('plum', { tool: 'Read' })).rejects.toThrow('no session calls a tool "Read"; it is one of Bash')
      expect(await hits('plum', { kind: ['prompt'] })).toHaveLength(0)
      const { stdout } = await capture(grep, { root: [home], args: ['only in'], options: { context: '1' } })
      expect(stdout).toMatch(/common line\n.*only in the file: plum\n +end\n/)
    }))

  it('names the tools that there are as specification 003 writes them, too', () =>
    withFolder(async home => {
      mkdirSync(join(home, 'projects', '-w'), { recursive: true })
      const line = { type: 'assistant', uuid: 'm1', sessionId: 's', subtype: 'tool_use', toolName: 'Weigh' }
      writeFileSync(join(home, 'projects', '-w', 's.jsonl'), `${JSON.stringify({ ...line, toolArguments: {} })}\n`)
      const asked = capture(grep, { root: [home], args: ['x'], options: { tool: 'Wegh' } })
      await expect(asked).rejects.toThrow(/no session calls a tool "Wegh"; .*Weigh/)
    }))

  it('takes the title from a summary in another session of the folder', () =>
    withFolder(async home => {
      const write = (id: string, lines: Record<string, unknown>[]) =>
        writeLines(join(home, 'projects', '-w', `${id}.jsonl`), lines)
      const [old, later] = ['dddddddd-0000-4000-8000-000000000005', 'eeeeeeee-0000-4000-8000-000000000006']
      const prompt = (uuid: string, sessionId: string, content: string) => ({
        ...{ type: 'user', uuid, parentUuid: null, sessionId, timestamp: '2026-04-01T08:00:00.000Z' },
        message: { role: 'user', content },
      })
      write(old, [prompt('u1', old, 'plums')])
      write(later, [{ type: 'summary', summary: 'Stone fruit', leafUuid: 'u1' }, prompt('u2', later, 'pears')])
      const { stdout } = await capture(grep, { root: [home], args: ['plums'] })
      expect(stdout).toMatch(/^Stone fruit {2}/)
    }))

  it('exits with 1 when nothing matches and with 2 when the expression is invalid', () =>
    withHome(async home => {
      const none = await clewHere(['grep', 'no such text', '--root', home])
      expect(none).toMatchObject({ code: 1, stdout: '' })
      const wrong = await clewHere(['grep', 'a(b', '--root', home])
      expect(wrong).toMatchObject({ code: 2, stdout: '' })
      expect(wrong.stderr).toContain('unterminated group at character 2')
      expect((await clewHere(['grep', '--root', home])).code).toBe(2)
      expect((await clewHere(['grep', 'a', '--kind', 'nothing', '--root', home])).stderr).toContain(
        'it is one of prompt',
      )
      const empty = json((await clewHere(['grep', 'no such text', '--json', '--root', home])).stdout)
      expect(empty).toEqual({ query: 'no such text', total: 0, tookMs: expect.any(Number), hits: [] })
    }))
})

/** Enough for several threads. */
function makeLarge(home: string): void {
  mkdirSync(join(home, 'projects', '-w'), { recursive: true })
  for (let number = 0; number < 5; number++) {
    const id = `eeeeeee${number}-0000-4000-8000-000000000000`
    const lines = new SessionLines(id, `2026-04-0${number + 1}T08:00:00Z`, '/w', 'main')
    for (let at = 0; at < 9; at++) lines.prompt(`needle ${number} ${at}\n${'straw '.repeat(180_000)}`)
    const text = lines.lines.map(line => `${JSON.stringify(line)}\n`).join('')
    writeFileSync(join(home, 'projects', '-w', `${id}.jsonl`), text)
  }
}

describe('clew grep in the worker pool', () => {
  it(
    'prints in the order of the sessions, and ends when the pipe is closed',
    () =>
      withFolder(async home => {
        makeLarge(home)
        const { stdout, code } = await clewHere(['grep', 'n[e]{2}dle', '--json', '--root', home])
        expect(code).toBe(0)
        const wanted = [4, 3, 2, 1, 0].flatMap(number => [...Array(9).keys()].map(at => `needle ${number} ${at}`))
        expect(json(stdout).hits.map(hit => hit['snippet'])).toEqual(wanted)
        const closed = await shell(`clew grep 'n[e]+dle|[s]traw' --root '${home}' | head -n 1`)
        expect(closed.code).toBe(0)
        expect(closed.stderr).not.toMatch(/Error|EPIPE/)
        const limited = await clewHere(['grep', 'n[e]{2}dle', '--limit', '10', '--json', '--root', home])
        expect(json(limited.stdout).total).toBe(10)
      }),
    60_000,
  )
})
