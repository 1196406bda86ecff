// Single lives that random ones meet rarely: each says what must be in the index, beyond being what a new one would be.

import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RefreshOptions } from '../../src/index/refresh/refresh.ts'
import { openToRead } from '../../src/index/store/open.ts'
import { sessionA, sessionB } from '../archive/world.ts'
import { IndexWorld, proveIndex } from './index-world.ts'
import { talkBytes, uuidOf } from './talk.ts'

const path = `projects/-p/${sessionA}.jsonl`

let world: IndexWorld

beforeEach(() => {
  world = new IndexWorld()
})

afterEach(() => world.remove())

function ask(sql: string): unknown[] {
  const db = openToRead(world.home)
  try {
    return (db?.prepare(sql).all() ?? []).map(([cell]) => cell)
  } finally {
    db?.close()
  }
}

async function refreshAndProve(options: RefreshOptions): Promise<void> {
  await world.refresh(options)
  await proveIndex(options)
}

function prompt(text: string): string {
  const message = { role: 'user', content: text }
  const fields = { type: 'user', uuid: uuidOf(1, 1), parentUuid: null, sessionId: sessionA }
  return `${JSON.stringify({ ...fields, timestamp: '2026-03-01T10:00:00.000Z', message })}\n`
}

describe('an index', () => {
  test('is brought up to date when what is asked for changes and changes back', async () => {
    world.two.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    const half = world.options('auto', { archiveRoots: [world.one.home] })
    await refreshAndProve(world.options())
    await refreshAndProve(half)
    await refreshAndProve(world.options())
  })

  test('does not take what was archived long ago for what lies in a home that is not archived now', async () => {
    world.two.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(world.options())
    world.two.append(path, talkBytes({ session: sessionA, seed: 2, turns: 2 }))
    await refreshAndProve(world.options('auto', { archiveRoots: [world.one.home] }))
    expect(ask('SELECT uuid FROM event')).toContain(uuidOf(2, 3))
  })

  test('tells the earlier content of a file that was rewritten while nothing is kept', async () => {
    world.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(world.options())
    world.one.write(path, talkBytes({ session: sessionA, seed: 2, turns: 2 }))
    await refreshAndProve(world.options('off'))
    expect(ask('SELECT uuid FROM event')).toEqual(expect.arrayContaining([uuidOf(1, 0), uuidOf(2, 0)]))
    expect(ask('SELECT standing FROM file ORDER BY standing')).toEqual([0, 2])
  })

  test('tells a file once that only grew since it was kept', async () => {
    world.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(world.options())
    world.one.append(path, talkBytes({ session: sessionA, seed: 2, turns: 2 }))
    await refreshAndProve(world.options('off'))
    expect(ask('SELECT standing FROM file')).toEqual([0])
  })

  test('tells when a log was changed last, also where only its time is another', async () => {
    world.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(world.options())
    utimesSync(world.one.at(path), 1_700_000_000, 1_700_000_000)
    await refreshAndProve(world.options())
    expect(String(ask('SELECT files FROM session')[0])).toContain('"modifiedMs":1700000000000')
  })

  test('notices another content of the same length and time, at once', async () => {
    world.one.write(path, prompt('tune the bells'))
    const place = world.one.at(path)
    const { atime, mtime } = statSync(place)
    utimesSync(place, atime, mtime)
    await refreshAndProve(world.options('off'))
    writeFileSync(place, prompt('tune the pipes'))
    utimesSync(place, atime, mtime)
    await refreshAndProve(world.options('off'))
    expect(ask('SELECT title FROM session')).toEqual(['tune the pipes'])
    writeFileSync(place, prompt('tune the organ').trimEnd())
    await refreshAndProve(world.options('off'))
    writeFileSync(place, prompt('tune the choir').trimEnd())
    await refreshAndProve(world.options('off'))
    expect(ask('SELECT title FROM session')).toEqual(['tune the choir'])
  })

  test('takes back the titles that a session gave where it was', async () => {
    world.one.write(path, prompt('tune the bells'))
    const summary = { type: 'summary', summary: 'Of bells', leafUuid: uuidOf(1, 1) }
    const giver = `projects/-p/${sessionB}.jsonl`
    world.one.write(giver, `${JSON.stringify(summary)}\n${talkBytes({ session: sessionB, seed: 3, turns: 1 })}`)
    await refreshAndProve(world.options('off'))
    expect(ask(`SELECT title FROM session WHERE id = '${sessionA}'`)).toEqual(['Of bells'])
    const to = `projects/-q/${sessionB}.jsonl`
    world.one.write(`projects/-q/x.jsonl`, '')
    renameSync(world.one.at(giver), world.one.at(to))
    await refreshAndProve(world.options('off'))
    expect(ask(`SELECT title FROM session WHERE id = '${sessionA}'`)).toEqual(['tune the bells'])
  })

  test('keeps all of a home that is gone', async () => {
    world.two.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(world.options())
    rmSync(world.two.home, { recursive: true })
    await refreshAndProve(world.options('auto', { archiveRoots: [world.one.home] }))
    expect(ask('SELECT uuid FROM event')).toContain(uuidOf(1, 3))
    expect(ask('SELECT standing FROM file')).toEqual([1])
    expect(dirname(String(ask('SELECT path FROM file')[0]))).toBe(world.two.at('projects/-p'))
  })
})
