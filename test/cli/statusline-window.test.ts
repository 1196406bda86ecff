import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sessionWindow } from '../../src/answers/statusline/window.ts'
import { openLive } from '../../src/disk/read/read.ts'
import { makeHome, writeHome } from '../usage/made-home.ts'
import { Chance } from '../usage/made-records.ts'
import { answerLine, hour, noon, type StatusHome, withStatusHome } from './statusline-home.ts'

/** One answer in two records, the second of which says more. */
function streamed(session: string, at: number, id: string): string[] {
  return [1, 90].map((output, n) => answerLine({ session, at: at + n * 500, id, request: `r-${id}`, output }))
}

async function expectSame(home: StatusHome, nowMs: number, timezone?: string): Promise<void> {
  expect(home.said(nowMs, timezone)).toEqual(await home.reported(nowMs, timezone))
}

describe('what a status line counts', () => {
  test.each([1, 2, 3, 4, 5, 6])('is what reports count, in made-up home %i, on any day and in any zone', seed =>
    withStatusHome(async home => {
      const { files } = makeHome(seed)
      writeHome(home.root, files)
      const times = [...files.values()].flatMap(text =>
        [...text.matchAll(/"timestamp": ?"(2[^"]+)"/g)].map(found => Date.parse(found[1] ?? '')),
      )
      const chance = new Chance(seed)
      let shown = 0
      for (const timezone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
        const now = chance.pick(times.filter(time => !Number.isNaN(time))) + chance.below(2 * hour)
        rmSync(home.own, { recursive: true, force: true })
        await expectSame(home, now, timezone)
        shown += home.said(now, timezone).today
      }
      expect(shown).toBeGreaterThan(0)
    }),
  )

  test.each([11, 12, 13])('is the same whatever pieces a log arrives in (%i)', seed =>
    withStatusHome(async home => {
      const { files } = makeHome(seed, 6)
      const chance = new Chance(seed)
      const text = [...files.values()].join('')
      const found = [...text.matchAll(/"timestamp": ?"(2[^"]+Z)"/g)].map(one => Date.parse(one[1] ?? ''))
      let now = chance.pick(found) + hour
      for (const share of [0.2, 0.5, 0.9, 1]) {
        const cut = new Map<string, string>()
        for (const [path, whole] of files) {
          cut.set(
            path,
            Buffer.from(whole)
              .subarray(0, Math.floor(Buffer.byteLength(whole) * share))
              .toString('latin1'),
          )
        }
        for (const [path, part] of cut) {
          writeHome(home.root, new Map([[path, '']]))
          writeFileSync(join(home.root, path), Buffer.from(part, 'latin1'))
        }
        now += 31_000
        await expectSame(home, now)
      }
    }),
  )

  test('follows sessions through days, with records, forks and subagents that repeat messages', () =>
    withStatusHome(async home => {
      const chance = new Chance(5)
      let now = noon
      for (let step = 0; step < 40; step++) {
        now += chance.pick([20 * 60_000, hour, 3 * hour, 7 * hour])
        const session = `s${Math.floor(step / 6)}`
        const lines = streamed(session, now - 60_000, `m${step}`)
        home.append(`${session}.jsonl`, ...lines)
        const agent = answerLine({ session, at: now - 50_000, agent: 'a1', id: `n${step}` })
        home.append(`${session}/subagents/agent-a1.jsonl`, agent)
        // A fork copies what is there, times and ids too.
        if (step % 5 === 0) home.write(`fork${step}.jsonl`, readFileSync(home.path(`${session}.jsonl`), 'utf8'))
        await expectSame(home, now)
      }
    }))

  test.each(['a-copy', 'z-copy'])(
    'knows what the last request of an original sent, whatever its copy is called: %s',
    copy =>
      withStatusHome(home => {
        const first = (session: string) => answerLine({ session, id: 'msg_shared', request: 'r', at: noon - hour })
        home.write('original.jsonl', first('original'))
        home.write(`${copy}.jsonl`, first(copy), answerLine({ session: copy, at: noon - hour / 2, input: 5000 }))
        const last = (name: string) => home.window(noon, { transcript: home.path(`${name}.jsonl`) }).last?.tokens
        for (let call = 0; call < 2; call++) expect([last('original'), last(copy)]).toEqual([21_000, 25_000])
      }),
  )

  test('separates blocks that follow one another without a pause for days', () =>
    withStatusHome(async home => {
      const lines = Array.from({ length: 60 }, (_, n) => answerLine({ session: 's', at: noon + n * 1.7 * hour }))
      for (const [n, line] of lines.entries()) {
        home.append('s.jsonl', line)
        if (n % 3 === 0) await expectSame(home, noon + n * 1.7 * hour + 60_000)
      }
      rmSync(home.own, { recursive: true })
      await expectSame(home, noon + 59 * 1.7 * hour + 60_000)
    }))

  test('keeps counting what was in logs that are deleted or rewritten', () =>
    withStatusHome(home => {
      home.append('a.jsonl', answerLine({ session: 'a', at: noon }))
      home.append('b.jsonl', answerLine({ session: 'b', at: noon }))
      const before = home.said(noon + 60_000)
      rmSync(home.path('a.jsonl'))
      expect(home.said(noon + 120_000)).toEqual(before)
      home.write('b.jsonl', answerLine({ session: 'b', at: noon + 1000, output: 7, input: 3 }))
      const after = home.said(noon + 180_000)
      expect(after.today).toBeGreaterThan(before.today)
      expect(after.today).toBeLessThan(before.today * 2)
    }))

  test('reads a rewritten log from its start: one with its first bytes gone, or replaced by another one', () =>
    withStatusHome(async home => {
      const lines = Array.from({ length: 5 }, (_, n) => answerLine({ session: 'a', at: noon + n }))
      home.write('a.jsonl', ...lines)
      home.said(noon + 60_000)
      const more = answerLine({ session: 'a', at: noon + 9 })
      writeFileSync(home.path('new'), [...lines.slice(1), lines[0], more, more].join(''))
      renameSync(home.path('new'), home.path('a.jsonl'))
      await expectSame(home, noon + 120_000)
    }))

  test('counts a last line without an end once it is whole, and once only', () =>
    withStatusHome(async home => {
      const line = answerLine({ session: 'a', at: noon })
      home.append('a.jsonl', line.slice(0, 200))
      expect(home.said(noon + 60_000).today).toBe(0)
      home.append('a.jsonl', line.slice(200, -1))
      await expectSame(home, noon + 120_000)
      home.append('a.jsonl', '\n', answerLine({ session: 'a', at: noon + 1 }))
      await expectSame(home, noon + 180_000)
      expect(home.said(noon + 240_000).today).toBeGreaterThan(0)
    }))

  test('takes lines that are longer than any buffer', () =>
    withStatusHome(async home => {
      const long = answerLine({ session: 'a', at: noon, more: { extra: 'x'.repeat(9_000_000) } })
      home.append('a.jsonl', answerLine({ session: 'a', at: noon }), long, answerLine({ session: 'a', at: noon + 1 }))
      await expectSame(home, noon + 60_000)
      home.append('a.jsonl', long.replace('msg_', 'msg_x').replace('req_', 'req_x').slice(0, -1))
      await expectSame(home, noon + 120_000)
    }))
})

describe('what it reads', () => {
  test('is only what is new, and nothing where nothing is', () =>
    withStatusHome(home => {
      const lines = Array.from({ length: 2000 }, (_, n) => answerLine({ session: 'a', at: noon + n }))
      home.append('a.jsonl', ...lines)
      home.transcript = home.path('a.jsonl')
      home.said(noon + 60_000)
      expect(home.bytes).toBeGreaterThan(800_000)
      home.said(noon + 61_000)
      expect(home.opened).toBe(0)
      const line = answerLine({ session: 'a', at: noon + 5000 })
      home.append('a.jsonl', line)
      home.said(noon + 62_000)
      expect(home.bytes).toBeLessThanOrEqual(line.length + 128)
      const agent = answerLine({ session: 'a', at: noon + 6000, agent: 'x' })
      home.append('a/subagents/agent-x.jsonl', agent)
      expect(home.count(noon + 63_000)).toBe(2002)
      expect(home.bytes).toBeLessThanOrEqual(line.length + agent.length + 256)
    }))

  test('leaves logs alone that did not change since before yesterday', () =>
    withStatusHome(home => {
      home.append('old.jsonl', answerLine({ session: 'old', at: noon - 72 * hour }))
      utimesSync(home.path('old.jsonl'), new Date(noon - 72 * hour), new Date(noon - 72 * hour))
      home.append('new.jsonl', answerLine({ session: 'new', at: noon }))
      home.said(noon + 1000)
      expect(home.opened).toBe(1)
    }))

  test('looks for other sessions every half minute, and at those that just wrote on every call', () =>
    withStatusHome(home => {
      const now = Date.now()
      home.append('a.jsonl', answerLine({ session: 'a', at: now }))
      home.append('b.jsonl', answerLine({ session: 'b', at: now }))
      home.transcript = home.path('a.jsonl')
      home.said(now)
      home.append('b.jsonl', answerLine({ session: 'b', at: now + 1 }))
      home.append('c.jsonl', answerLine({ session: 'c', at: now + 1 }))
      expect(home.count(now + 2000)).toBe(3)
      expect(home.count(now + 31_000)).toBe(4)
    }))

  test('leaves those alone for good that it has read, and catches up after any time without a call', () =>
    withStatusHome(async home => {
      const at = (day: number) => noon + day * 24 * hour
      const touch = (name: string, time: number) => utimesSync(home.path(name), new Date(time), new Date(time))
      for (const [day, wait] of [0, 1, 3, 40, 41, 45, 60, 61].map((one, n, all) => [one, one - (all[n - 1] ?? 0)])) {
        const name = `day${day}.jsonl`
        for (let n = 0; n < 6; n++) home.append(name, answerLine({ session: name, at: at(day ?? 0) - n * 2 * hour }))
        touch(name, at(day ?? 0))
        await expectSame(home, at(day ?? 0) + 1000)
        home.said(at(day ?? 0) + 60_000)
        expect(home.opened, `after ${wait} days`).toBe(0)
      }
    }))

  test('continues in the next call where time was up', () =>
    withStatusHome(async home => {
      for (let n = 0; n < 5; n++) home.append(`${n}.jsonl`, answerLine({ session: `${n}`, at: noon + n }))
      let left = 3
      home.isOver = () => left-- <= 0
      const first = home.window(noon + 60_000)
      expect(first.isBehind).toBe(true)
      expect(first.cells.reduce((sum, cell) => sum + cell.messages, 0)).toBeLessThan(5)
      for (let call = 0; call < 6; call++) {
        left = 3
        home.window(noon + 61_000 + call)
      }
      home.isOver = () => false
      expect(home.window(noon + 70_000).isBehind).toBe(false)
      expect(home.count(noon + 70_000)).toBe(5)
      expect(home.opened).toBe(0)
      await expectSame(home, noon + 71_000)
    }))
})

describe('what it remembers', () => {
  const states = (home: StatusHome) => readdirSync(join(home.own, 'statusline'))

  test('is readable for no one else, and small', () =>
    withStatusHome(home => {
      home.append('a.jsonl', answerLine({ session: 'a', at: noon }))
      home.said(noon + 1000)
      const folder = join(home.own, 'statusline')
      expect(statSync(folder).mode & 0o777).toBe(0o700)
      expect(states(home)).toHaveLength(1)
      const file = statSync(join(folder, states(home)[0] ?? ''))
      expect(file.mode & 0o777).toBe(0o600)
      expect(file.size).toBeLessThan(1500)
    }))

  test('does not matter where it is damaged, cut, empty, of another kind, or cannot be written', () =>
    withStatusHome(async home => {
      home.append('a.jsonl', ...streamed('a', noon, 'm'))
      home.said(noon + 1000)
      const path = join(home.own, 'statusline', states(home)[0] ?? '')
      const whole = readFileSync(path)
      const state = JSON.parse(whole.toString()) as Record<string, unknown>
      const others = [
        Buffer.alloc(0),
        whole.subarray(0, 100),
        Buffer.concat([whole, whole]),
        Buffer.alloc(5000, 255),
        ...[
          {},
          [],
          { version: 2 },
          { ...state, logs: [null] },
          { ...state, statements: 7 },
          { ...state, version: 1 },
        ].map(value => Buffer.from(JSON.stringify(value))),
      ]
      for (const [n, bytes] of others.entries()) {
        writeFileSync(path, bytes)
        await expectSame(home, noon + 2000 + n)
      }
      rmSync(path)
      writeFileSync(join(home.folder, 'file'), '')
      const window = home.window(noon + 9000, { folder: join(home.folder, 'file', 'below') })
      expect(window.cells).toHaveLength(1)
    }))

  test('is forgotten message by message once it is no longer needed', () =>
    withStatusHome(home => {
      for (let day = 0; day < 6; day++) {
        const lines = Array.from({ length: 50 }, (_, n) => answerLine({ session: 'a', at: noon + day * 24 * hour + n }))
        home.append('a.jsonl', ...lines)
        home.said(noon + day * 24 * hour + 60_000)
      }
      expect(home.count(noon + 5 * 24 * hour + 61_000)).toBeLessThanOrEqual(150)
    }))

  test('is not mixed up between homes', () =>
    withStatusHome(home => {
      home.append('a.jsonl', answerLine({ session: 'a', at: noon }))
      home.said(noon)
      expect(home.window(noon, { roots: [join(home.folder, 'other')] }).cells).toHaveLength(0)
      expect(home.count(noon)).toBe(1)
    }))
})

describe('one session', () => {
  test('is counted from its first message on, with its subagents, without what it was forked from', () =>
    withStatusHome(home => {
      const old = answerLine({ session: 'first', at: noon - 300 * hour })
      home.write('first.jsonl', old)
      home.write('second.jsonl', old, answerLine({ session: 'second', at: noon - 200 * hour }))
      home.append('second/subagents/agent-a.jsonl', answerLine({ session: 'second', at: noon, agent: 'a' }))
      const options = {
        roots: [home.root],
        folder: join(home.own, 'statusline'),
        nowMs: noon,
        steps: [],
        open: () => ({ read: () => 0, close() {} }),
        isOver: () => false,
      }
      const count = () =>
        sessionWindow(home.path('second.jsonl'), { ...options, open: openCounted }).cells.reduce(
          (sum, cell) => sum + cell.messages,
          0,
        )
      let opened = 0
      const openCounted = (path: string) => {
        opened++
        const bytes = readFileSync(path)
        return {
          read: (into: Uint8Array, from: number) => Buffer.from(bytes).copy(into, 0, from, from + into.length),
          close() {},
        }
      }
      // Both heads, both logs to compare them, then each of them to count, and its subagent's; and none of them again.
      expect(count()).toBe(2)
      expect(opened).toBe(7)
      expect(count()).toBe(2)
      expect(opened).toBe(7)
    }))

  test('is counted with the subagents next to it that name it, as Claude Code wrote them up to 2.1.1', () =>
    withStatusHome(home => {
      home.write('first.jsonl', answerLine({ session: 'first', at: noon }))
      home.write('agent-a.jsonl', answerLine({ session: 'first', at: noon, agent: 'a', output: 10_000 }))
      home.write('agent-b.jsonl', answerLine({ session: 'second', at: noon, agent: 'b' }))
      const { cells } = sessionWindow(home.path('first.jsonl'), {
        roots: [home.root],
        folder: join(home.own, 'statusline'),
        nowMs: noon,
        steps: [],
        open: openLive,
        isOver: () => false,
      })
      expect(cells.map(cell => [cell.messages, cell.outputTokens])).toEqual([[2, 10_100]])
    }))

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('a copy without a word counts to the session that had it first: %s, then %s', (first, second) =>
    withStatusHome(home => {
      const line = (session: string, id: string, at: number) =>
        answerLine({ session, id, request: `r-${id}`, at, more: { uuid: `u-${id}`, parentUuid: null } })
      const old = (session: string) => line(session, 'msg_0123456789abcdef', noon - 9 * hour)
      home.write(`${first}.jsonl`, old(first), line(first, 'msg_1', noon - 3 * hour))
      home.write(`${second}.jsonl`, old(second), line(second, 'msg_2', noon - 2 * hour), line(second, 'msg_3', noon))
      const count = (session: string) =>
        sessionWindow(home.path(`${session}.jsonl`), {
          roots: [home.root],
          folder: join(home.own, session),
          nowMs: noon,
          steps: [],
          open: openLive,
          isOver: () => false,
        }).cells.reduce((sum, cell) => sum + cell.messages, 0)
      expect([count(first), count(second)]).toEqual([2, 2])
      expect([count(first), count(second)]).toEqual([2, 2])
    }),
  )
})

test('a log that may not be read is left out', () =>
  withStatusHome(home => {
    home.append('a.jsonl', answerLine({ session: 'a', at: noon }))
    home.append('b.jsonl', answerLine({ session: 'b', at: noon }))
    chmodSync(home.path('b.jsonl'), 0)
    const isRoot = process.getuid?.() === 0
    expect(home.count(noon + 1000)).toBe(isRoot ? 2 : 1)
  }))
