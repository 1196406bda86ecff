import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openIndex } from '../../src/answers/knows/index-open.ts'
import { openClew } from '../../src/answers/open.ts'
import { columnsOf } from '../../src/base/width.ts'
import { run as history } from '../../src/cli/commands/history.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { openData } from '../../src/server/api/open-data.ts'
import { withFolder } from '../home.ts'
import { capture } from './capture.ts'
import { ids, makeHome, SessionLines, writeLines } from './ls-home.ts'

const at = (time: string) => Date.parse(time)
const shop = '/home/mira/shop'
const entries = [
  { display: 'Where is the till?', timestamp: at('2025-11-01T10:00:00Z'), project: shop },
  { display: '/cost', timestamp: at('2025-11-01T10:00:01Z'), project: shop },
  { display: 'Round the cart', timestamp: at('2026-02-17T23:30:00Z'), project: shop, sessionId: ids.cart },
  { display: 'Lost', timestamp: at('2026-02-17T23:50:00Z'), project: shop, sessionId: 'dddddddd-gone' },
  { display: 'And the rest', timestamp: at('2026-02-18T09:00:02Z'), project: shop },
  {
    display: 'Look [Pasted text #1]',
    timestamp: at('2026-02-19T00:00:00Z'),
    project: '/home/mira/gone',
    pastedContents: { 1: { id: 1, type: 'text', content: 'one\n\u001b[31mtwo' }, 2: { id: 2, type: 'image' } },
  },
  {
    display: '\u001b]0;evil\u0007',
    timestamp: at('2026-02-20T00:00:00Z'),
    pastedContents: { 1: { id: 1, type: 'text', contentHash: 'abcdef0123456789' } },
  },
]

const inHome = (work: (home: string) => Promise<void>) => () =>
  withFolder(async home => {
    makeHome(home)
    const lines = [...entries].reverse().map(entry => JSON.stringify({ pastedContents: {}, ...entry }))
    writeFileSync(join(home, 'history.jsonl'), `${lines.join('\n')}\n`)
    mkdirSync(join(home, 'paste-cache'))
    writeFileSync(join(home, 'paste-cache', 'abcdef0123456789.txt'), 'kept elsewhere')
    await work(home)
  })

describe('clew history', () => {
  it(
    'prints prompts, the newest last, and finds their sessions by id, text or time',
    inHome(async home => {
      const { stdout, code } = await capture(history, { root: [home], json: true })
      expect(code).toBe(0)
      const { prompts } = JSON.parse(stdout)
      // What only sessions have is between them.
      const inSessions = ['Add the tax', '島の地図を描いて 🏝️']
      const texts = prompts.map((prompt: { text: string }) => prompt.text)
      expect(texts.filter((text: string) => !inSessions.includes(text))).toEqual(entries.map(entry => entry.display))
      expect(texts).toEqual(expect.arrayContaining(inSessions))
      const written = prompts.filter((prompt: { text: string }) => !inSessions.includes(prompt.text))
      expect(
        written.map((prompt: Record<string, unknown>) => [prompt['session'], prompt['linkedBy'], prompt['onDisk']]),
      ).toEqual([
        [ids.old, 'text', true],
        [ids.old, 'time', true],
        [ids.cart, 'id', true],
        ['dddddddd-gone', 'id', false],
        [ids.tax, 'text', true],
        [undefined, undefined, false],
        [undefined, undefined, false],
      ])
      expect(written[5].pasted).toEqual([
        { type: 'text', bytes: 12, text: 'one\n\u001b[31mtwo' },
        { type: 'image', bytes: 0 },
      ])
      expect(written[6].pasted).toEqual([{ type: 'text', bytes: 14, text: 'kept elsewhere' }])
    }),
  )

  it(
    'finds the session that has a prompt where another one is as old; without a text it is unclear, not gone',
    inHome(async home => {
      const other = new SessionLines('eeeeeeee-0000-4000-8000-000000000005', '2025-10-31T10:00:00Z', shop, 'main')
      other.prompt('Count the cakes')
      const later = new SessionLines('eeeeeeee-0000-4000-8000-000000000005', '2025-11-02T10:00:00Z', shop, 'main')
      writeLines(join(home, 'projects/-home-mira-shop/eeeeeeee-0000-4000-8000-000000000005.jsonl'), [
        ...other.lines,
        ...later.answer('Twelve').lines,
      ])
      const { stdout } = await capture(history, { root: [home], columns: 100 })
      expect(stdout).toMatch(/cccccccc +Where is the till/)
      expect(stdout).toMatch(/shop +\? +\/cost/)
    }),
  )

  it(
    'marks what is gone and what is likely, and fits the terminal',
    inHome(async home => {
      for (const columns of [40, 80, 200]) {
        const { stdout } = await capture(history, { root: [home], columns })
        expect(Math.max(...stdout.split('\n').map(columnsOf))).toBeLessThanOrEqual(columns)
        expect(stdout).toContain('aaaaaaaa-0')
        expect(stdout).toContain('cccccccc?')
        expect(stdout.match(/gone/g)?.length).toBeGreaterThanOrEqual(3)
        expect([...stdout].some(character => character < ' ' && character !== '\n')).toBe(false)
      }
    }),
  )

  it(
    'prints what was pasted, harmless',
    inHome(async home => {
      const { stdout } = await capture(history, { root: [home], options: { pasted: true, grep: 'two' } })
      expect(stdout).toContain('[pasted 2, 12 B]')
      expect(stdout).toContain('  | one\n  | \\u{1b}[31mtwo\n')
      expect(stdout).toContain('image, not in the history')
    }),
  )

  it(
    'filters by project, time and text',
    inHome(async home => {
      const texts = async (options: Record<string, unknown>) => {
        const { stdout } = await capture(history, { root: [home], json: true, options })
        return JSON.parse(stdout).prompts.map((prompt: { text: string }) => prompt.text)
      }
      expect(await texts({ project: 'shop', since: '2026-02-18' })).toEqual(['Add the tax', 'And the rest'])
      expect(await texts({ until: '2025-12-31' })).toEqual(['Where is the till?', '/cost'])
      expect(await texts({ grep: '/^r/i' })).toEqual(['Round the cart'])
      expect(await texts({ limit: '1' })).toEqual(['島の地図を描いて 🏝️'])
      expect((await capture(history, { root: [home], options: { grep: 'nowhere' } })).code).toBe(1)
    }),
  )

  it('calls projects as lists do', () =>
    withFolder(async home => {
      const places = ['/home/mira/work/shop', '/home/mira/play/shop']
      for (const [n, cwd] of places.entries()) {
        const session = `0000000${n}-0000-4000-8000-000000000000`
        const folder = join(home, 'projects', cwd.replaceAll('/', '-'))
        const line = { type: 'user', uuid: `u${n}`, parentUuid: null, sessionId: session, cwd, version: '2.1.100' }
        const said = { timestamp: '2026-02-17T23:30:00Z', message: { role: 'user', content: 'Round the cart' } }
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, `${session}.jsonl`), `${JSON.stringify({ ...line, ...said })}\n`)
      }
      const typed = places.map(project => ({ display: 'Hi', pastedContents: {}, timestamp: at('2026-02-17'), project }))
      writeFileSync(join(home, 'history.jsonl'), typed.map(entry => `${JSON.stringify(entry)}\n`).join(''))
      const { stdout } = await capture(history, { root: [home] })
      expect(stdout).toContain('shop (work)')
      expect(stdout).toContain('shop (play)')
    }))

  it('prints whole prompts, however long', () =>
    withFolder(async home => {
      makeHome(home)
      const text = `${'word '.repeat(80)}end\nsecond line`
      writeFileSync(
        join(home, 'history.jsonl'),
        `${JSON.stringify({ display: text, timestamp: at('2026-01-01'), project: shop })}\n`,
      )
      for (const columns of [40, 100]) {
        const { stdout } = await capture(history, { root: [home], columns })
        expect(stdout.match(/word/g)).toHaveLength(80)
        expect(stdout).toMatch(/end\n +second line\n/)
        expect(Math.max(...stdout.split('\n').map(columnsOf))).toBeLessThanOrEqual(columns)
      }
    }))

  it('joins one line of a history with all that was typed, of every root, from an index and without', () =>
    withFolder(async folder => {
      const homes = ['one', 'other'].map((name, at) => {
        const home = join(folder, name)
        const prompts = ['Peel carrots', 'Cook rice', `Long ${'words '.repeat(4_000)}end ${at}`]
        const session = `0000000${at}-0000-4000-8000-000000000000`
        const lines = prompts.map((content, n) => ({
          ...{
            type: 'user',
            uuid: `${name}-${n}`,
            parentUuid: n === 0 ? null : `${name}-${n - 1}`,
            sessionId: session,
          },
          ...{
            cwd: shop,
            version: '2.1.100',
            timestamp: `2026-03-0${at + 1}T10:0${n}:00Z`,
            message: { role: 'user', content },
          },
        }))
        mkdirSync(join(home, 'projects', '-home-mira-shop'), { recursive: true })
        const log = join(home, 'projects', '-home-mira-shop', `${session}.jsonl`)
        writeFileSync(log, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
        return { home, session, prompts }
      })
      const line = { display: 'Peel carrots', pastedContents: {}, timestamp: at('2026-03-01T10:00:02Z'), project: shop }
      writeFileSync(join(homes[0]?.home ?? '', 'history.jsonl'), `${JSON.stringify(line)}\n`)
      const root = homes.map(({ home }) => home)
      const places = { home: join(folder, 'own'), root, isRootNamed: true, json: true }
      const texts = async (more: object = {}) => {
        const { prompts } = JSON.parse((await capture(history, { ...places, ...more })).stdout)
        return prompts.map(({ text, session }: { text: string; session: string }) => [session, text.trim()])
      }
      const expected = homes.flatMap(({ session, prompts }) => prompts.map(text => [session, text]))
      expect(await texts({ usesIndex: false })).toEqual(expected)
      const clew = await openClew({ roots: root, home: places.home })
      ;(await openIndex(clew, { isNeeded: true }))?.db.close()
      expect(await texts()).toEqual(expected)
      expect(await texts({ options: { limit: '2' } })).toEqual(expected.slice(-2))
      expect(await texts({ options: { grep: 'end 0' } })).toEqual([expected[2]])
      const data = await openData({ home: places.home, roots: root })
      const { prompts } = await data.answer('GET /api/history', {}).finally(() => data.close())
      expect(prompts.map(({ session, text }) => [session, text.slice(0, 12).trim()])).toEqual(
        expected.map(([session, text]) => [session, text?.slice(0, 12).trim()]).reverse(),
      )
    }))

  it('takes the prompts from sessions where there is no history.jsonl, and says so', () =>
    withFolder(async home => {
      makeHome(home)
      const { stdout, stderr, code } = await capture(history, { root: [home], json: true })
      expect([code, stderr]).toEqual([0, 'clew: no history.jsonl found; showing the prompts of the sessions\n'])
      const { prompts } = JSON.parse(stdout)
      const listed = await capture(ls, { root: [home], json: true })
      const counts = JSON.parse(listed.stdout).sessions.map((row: { prompts: number }) => row.prompts)
      expect(prompts).toHaveLength(counts.reduce((sum: number, count: number) => sum + count, 0))
      expect(prompts[0]).toMatchObject({ project: shop, linkedBy: 'id', onDisk: true, session: expect.any(String) })
      const some = await capture(history, { root: [home], json: true, options: { project: 'nowhere' } })
      expect(some.code).toBe(1)
    }))

  it('says that there is nothing', () =>
    withFolder(async home => {
      const { stderr, code } = await capture(history, { root: [home] })
      expect(code).toBe(2)
      expect(stderr).toContain('neither history.jsonl nor sessions found')
    }))
})
