import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeHome } from '../../../test/specs/home.ts'
import type { JsonObject } from '../../base/json.ts'
import { Sketch } from '../../graph/testing.ts'
import { diskSource } from '../read/read.ts'
import { discover } from './discover.ts'
import { mergeDiscoveries, resolveSession } from './resolve.ts'

const id = '11111111-0000-4000-8000-000000000000'
const uuid = (name: string) => `${name}-0000-4000-8000-000000000000`

const till = new Sketch(id)
  .user(uuid('aaaaaaa1'), null, 'Mend the till')
  .user(uuid('aaaaaaa2'), uuid('aaaaaaa1'), 'Go on')
const sign = new Sketch(id).user(uuid('bbbbbbb1'), null, 'Paint the sign')
const later = new Sketch(id).user(uuid('ccccccc1'), uuid('aaaaaaa2'), 'And the drawer')

type Logs = Record<string, Sketch | JsonObject[]>

describe('what several project folders have under one id', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'clew-same-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** By project folder, in the order in which they are found; the sessions with the folders of their logs. */
  async function sessionsOf(logs: Logs): Promise<Record<string, string[]>> {
    const sessions = await merged(logs)
    return Object.fromEntries(sessions.map(session => [session.id, session.places]))
  }

  async function merged(logs: Logs) {
    const roots = Object.entries(logs).map(([slug, records], n) => {
      const root = join(folder, `${Math.random()}-${n}`)
      const lines = records instanceof Sketch ? (records.records as readonly JsonObject[]) : records
      writeHome(root, { [`projects/${slug}/${id}.jsonl`]: lines })
      return root
    })
    const discoveries = await Promise.all(roots.map(root => discover(root)))
    const slugOf = (path: string) => path.split('/').at(-2) as string
    return mergeDiscoveries(discoveries, diskSource()).map(session => ({
      ...session,
      places: [...session.logs, ...session.twins].map(log => slugOf(log.path)).sort(),
    }))
  }

  it('is one session where it is a copy, its beginning, or what it goes on with', async () => {
    const start: Logs[string] = till.records.slice(0, 1) as JsonObject[]
    expect(await sessionsOf({ one: till, two: till, three: start, four: later, five: [] })).toEqual({
      [id]: ['five', 'four', 'one', 'three', 'two'],
    })
  })

  it('is several where their records have nothing in common, each with an id of its own', async () => {
    const sessions = await sessionsOf({ one: till, two: sign, three: till })
    expect(Object.values(sessions)).toEqual([['one', 'three'], ['two']])
    for (const key of Object.keys(sessions)) expect(key).toMatch(new RegExp(`^${id}~[0-9a-f]{4}$`))
  })

  it('has the same ids in whatever order it is found, and what has no beginning is where it goes on from', async () => {
    const logs: Logs = { one: till, two: sign, three: later, four: till }
    const expected = await sessionsOf(logs)
    expect(Object.values(expected).sort()).toEqual([['four', 'one', 'three'], ['two']])
    for (const order of [Object.keys(logs).reverse(), ['three', 'two', 'one', 'four']]) {
      expect(await sessionsOf(Object.fromEntries(order.map(slug => [slug, logs[slug] as Sketch])))).toEqual(expected)
    }
  })

  it('is ambiguous by that id, and known by its own', async () => {
    const sessions = await merged({ one: till, two: sign })
    expect(resolveSession(sessions, id)).toMatchObject({ candidates: sessions })
    for (const session of sessions) {
      expect(resolveSession(sessions, session.id)).toMatchObject({ found: { id: session.id } })
      expect(resolveSession(sessions, `1111~${session.id.slice(-4)}`)).toMatchObject({ found: { id: session.id } })
    }
  })
})
