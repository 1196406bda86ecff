// What sessions copied from each other, as lists and reports have it: whatever ids sort like, in whichever order logs come, with
// an index and without.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Sketch, type Wire } from '../../src/graph/testing.ts'
import { clewHere } from '../cli/run.ts'
import { withFolder } from '../home.ts'

const message = (name: string) => `msg_01KitchenKitchen${name}`
const at = (minute: number): Wire => ({ timestamp: new Date(Date.UTC(2026, 2, 4, 9, minute)).toISOString() })
const said = (text: string) => [{ type: 'text', text }]

const idOf = (n: number) => `${String(n).repeat(8)}-0000-4000-8000-000000000000`

function original(id: string): Sketch {
  return new Sketch(id)
    .user('a1', null, 'Write the menu', at(0))
    .blocks('a2', 'a1', said('Soup'), message('A1'), at(1))
    .user('a3', 'a2', 'Add a dessert', at(2))
    .blocks('a4', 'a3', said('Plums'), message('A2'), at(3))
}

/** A copy that says nothing of where it comes from, and goes on. */
function copy(of: Sketch, id: string, minute: number): Sketch {
  const copied = new Sketch(id)
  for (const record of of.records) copied.records.push({ ...record, sessionId: id })
  const name = `c${minute}`
  return copied
    .user(name, 'a4', `Go on at ${minute}`, at(minute))
    .blocks(`${name}a`, name, said('Done'), message(name.toUpperCase()), at(minute + 1))
}

class Kitchen {
  readonly folder: string
  readonly project: string

  constructor(folder: string) {
    this.folder = folder
    this.project = join(folder, 'home', 'projects', '-home-lena-kitchen')
    mkdirSync(this.project, { recursive: true })
  }

  log(id: string): string {
    return join(this.project, `${id}.jsonl`)
  }

  add(sketch: Sketch): void {
    writeFileSync(this.log(sketch.session), sketch.text())
  }

  async clew(...args: string[]): Promise<string> {
    const env = { CLEW_HOME: join(this.folder, 'own'), CLAUDE_CONFIG_DIR: join(this.folder, 'home') }
    return (await clewHere(args, { env })).stdout
  }

  /** By id: prompts, start, title and dollars. */
  async rows(...flags: string[]): Promise<Record<string, unknown[]>> {
    const { sessions } = JSON.parse(await this.clew('ls', '--json', ...flags))
    return Object.fromEntries(
      sessions.map((row: Record<string, unknown>) => [
        row['id'],
        [row['prompts'], row['startedAt'], row['title'], Math.round(Number(row['costUSD']) * 1e9)],
      ]),
    )
  }

  /** The same from the files, from the index, and from an index that is built again. */
  async rowsOfAll(): Promise<Record<string, unknown[]>> {
    await this.clew('index', 'refresh')
    const rows = await this.rows()
    expect(await this.rows('--no-index')).toEqual(rows)
    expect(await this.clew('index', 'verify')).toContain('equal')
    return rows
  }
}

const inKitchen = (work: (kitchen: Kitchen) => Promise<void>) => () => withFolder(folder => work(new Kitchen(folder)))
const time = (minute: number) => at(minute)['timestamp']

it.each([
  [1, 2, 3],
  [9, 8, 7],
])('a fork and its fork count what they did, whatever ids sort like (%i, %i, %i)', (one, two, three) =>
  inKitchen(async kitchen => {
    const first = original(idOf(one))
    const fork = copy(first, idOf(two), 300)
    kitchen.add(fork)
    const alone = await kitchen.rowsOfAll()
    expect(alone[idOf(two)]?.slice(0, 3)).toEqual([3, time(0), 'Write the menu'])
    // The original comes later, and the fork of the fork after it.
    kitchen.add(first)
    await kitchen.rowsOfAll()
    kitchen.add(copy(fork, idOf(three), 700))
    const rows = await kitchen.rowsOfAll()
    const cost = Number(rows[idOf(one)]?.[3])
    expect(rows).toEqual({
      [idOf(one)]: [2, time(0), 'Write the menu', cost],
      [idOf(two)]: [1, time(300), 'Go on at 300', cost / 2],
      [idOf(three)]: [1, time(700), 'Go on at 700', cost / 2],
    })
    expect(cost).toBeGreaterThan(0)
    // Without its original, the first copy has what it copied.
    rmSync(kitchen.log(idOf(one)))
    const left = await kitchen.rowsOfAll()
    expect(left[idOf(two)]).toEqual([3, time(0), 'Write the menu', cost * 1.5])
    expect(left[idOf(three)]).toEqual(rows[idOf(three)])
  })(),
)

it(
  'another id moves no cost',
  inKitchen(async kitchen => {
    const first = original(idOf(5))
    kitchen.add(first)
    kitchen.add(copy(first, idOf(6), 300))
    const before = await kitchen.rowsOfAll()
    rmSync(kitchen.log(idOf(5)))
    kitchen.add(original(idOf(8)))
    const after = await kitchen.rowsOfAll()
    expect(after[idOf(8)]).toEqual(before[idOf(5)])
    expect(after[idOf(6)]).toEqual(before[idOf(6)])
  }),
)

it(
  'a prompt that was copied is in the history once',
  inKitchen(async kitchen => {
    const first = original(idOf(9))
    kitchen.add(first)
    kitchen.add(copy(first, idOf(2), 300))
    for (const refresh of [false, true]) {
      if (refresh) await kitchen.clew('index', 'refresh')
      const { prompts } = JSON.parse(await kitchen.clew('history', '--json'))
      expect(prompts.map(({ text, session }: Record<string, unknown>) => [text, session])).toEqual([
        ['Write the menu', idOf(9)],
        ['Add a dessert', idOf(9)],
        ['Go on at 300', idOf(2)],
      ])
    }
  }),
)

it(
  'what two sessions once had in common does not make one a copy of the other for ever',
  inKitchen(async kitchen => {
    const prompts = (id: string, names: readonly string[]) => {
      const sketch = new Sketch(id)
      for (const [minute, name] of names.entries()) sketch.user(name, null, `Prompt ${name}`, at(minute))
      return sketch
    }
    const common = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']
    kitchen.add(prompts(idOf(1), common))
    kitchen.add(prompts(idOf(2), [...common, 'p7']))
    await kitchen.clew('index', 'refresh')
    expect((await kitchen.rows())[idOf(2)]?.[0]).toBe(1)
    // Its beginning is another one now: only later records are the same.
    kitchen.add(prompts(idOf(1), ['q1', 'q2', 'q3', 'q4', 'q5', 'p5', 'p6']))
    await kitchen.clew('index', 'refresh')
    expect(await kitchen.clew('index', 'verify')).toContain('equal')
  }),
)
