// Single lives that random ones meet rarely: each says what must be in the index, beyond being what a new one would be.

import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { archiveFolder } from '../../src/archive/format/layout.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import type { RefreshOptions } from '../../src/index/refresh/refresh.ts'
import { openToRead } from '../../src/index/store/open.ts'
import { sessionA, sessionB } from '../archive/fixture.ts'
import { atOneMoment, IndexFixture, proveIndex } from './index-fixture.ts'
import { talkBytes, uuidOf } from './talk.ts'

const path = `projects/-p/${sessionA}.jsonl`

let fixture: IndexFixture

beforeEach(() => {
  fixture = new IndexFixture()
})

afterEach(() => {
  vi.useRealTimers()
  fixture.remove()
})

function ask(sql: string): unknown[] {
  const db = openToRead(fixture.home)
  try {
    return (db?.prepare(sql).all() ?? []).map(([cell]) => cell)
  } finally {
    db?.close()
  }
}

async function refreshAndProve(options: RefreshOptions, lookedAtMs?: number): Promise<void> {
  const look = atOneMoment(options, lookedAtMs)
  await fixture.refresh(look())
  await proveIndex(look())
}

/** As if nothing had changed for a while: what changed just now is looked at again in any case. */
async function refreshLater(options: RefreshOptions): Promise<void> {
  await refreshAndProve(options, Date.now() + 5000)
}

function prompt(text: string): string {
  const message = { role: 'user', content: text }
  const fields = { type: 'user', uuid: uuidOf(1, 1), parentUuid: null, sessionId: sessionA }
  return `${JSON.stringify({ ...fields, timestamp: '2026-03-01T10:00:00.000Z', message })}\n`
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}

describe('an index', () => {
  test('does not read what is archived, where it has read the same file before', async () => {
    for (const [at, session] of [sessionA, sessionB].entries()) {
      fixture.one.write(`projects/-p/${session}.jsonl`, talkBytes({ session, seed: at + 1, turns: 3 }))
    }
    const options = fixture.options('auto')
    await refreshLater(fixture.options('off'))
    vi.setSystemTime(Date.now() + 5000)
    const report = await fixture.refresh(options)
    expect(report.archived?.bytes).toBeGreaterThan(0)
    expect([report.files, report.dropped, report.bytes]).toEqual([0, 0, 0])
    expect(ask("SELECT count(*) FROM file WHERE generation LIKE 'kept:%'")).toEqual([2])
    await proveIndex(options)
    // It grows as an archived file does.
    appendFileSync(join(fixture.one.home, `projects/-p/${sessionA}.jsonl`), prompt('And one more'))
    await refreshLater(options)
    expect(ask("SELECT count(*) FROM file WHERE generation LIKE 'live:%'")).toEqual([0])
  })

  describe('of much that was never archived is read while it is archived', () => {
    const at = (name: string) => `projects/-p/${name}.jsonl`
    const write = (name: string, seed: number) => {
      fixture.one.write(at(name), talkBytes({ session: sessionB, seed, turns: 3 }))
    }

    beforeEach(() => {
      // It is archived, not indexed.
      fixture.one.write(`file-history/${sessionB}/0a@v1`, Buffer.alloc(33 * 1024 * 1024))
      for (const [n, name] of ['same', 'grows', 'rewritten', 'goes'].entries()) write(name, n + 2)
      vi.setSystemTime(Date.now() + 5000)
    })

    test('each file once, where none changes', async () => {
      const begun: string[] = []
      const options = fixture.options('auto', { begin: what => void begun.push(what) })
      const report = await fixture.refresh(options)
      expect(begun).toEqual(['indexing'])
      expect([report.files, report.dropped, report.archived?.added, report.archived?.committed]).toEqual([4, 0, 5, 5])
      expect(ask("SELECT count(*) FROM file WHERE generation LIKE 'kept:%' AND state IS NULL")).toEqual([4])
      await proveIndex(options)
      expect(await fixture.refresh(options)).toMatchObject({ isUnchanged: true })
    })

    test('and read again what changes meanwhile', async () => {
      const before = fixture.one.read(at('rewritten')).toString()
      const begin = once(() => {
        fixture.one.append(at('grows'), prompt('And one more'))
        fixture.one.write(at('rewritten'), before.replaceAll('00000004', '00000007'))
        rmSync(join(fixture.one.home, at('goes')))
        write('comes', 9)
      })
      const report = await fixture.refresh(fixture.options('auto', { begin }))
      expect(report.findings.filter(({ code }) => code === 'not-indexed')).toEqual([])
      expect(ask('SELECT uuid FROM event')).toEqual(expect.arrayContaining([uuidOf(7, 0), uuidOf(9, 0)]))
      await refreshAndProve(fixture.options())
    })

    test('up to where it is stopped', async () => {
      let isStopped = false
      const stopped = await fixture.refresh(
        fixture.options('auto', { progress: () => (isStopped = true), isStopped: () => isStopped }),
      )
      expect(stopped.isStopped).toBe(true)
      await refreshAndProve(fixture.options())
      expect(ask("SELECT count(*) FROM file WHERE generation LIKE 'kept:%'")).toEqual([4])
    })
  })

  test('reads what is archived where the file was rewritten between the look at it and its capture', async () => {
    fixture.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 3 }))
    await refreshLater(fixture.options('off'))
    const options = atOneMoment(fixture.options('auto'), Date.now() + 5000)()
    const changed = fixture.one.read(path).toString().replaceAll('00000001', '00000007')
    fixture.one.write(path, changed)
    await fixture.refresh(options)
    await proveIndex(options)
  })

  test('is brought up to date when what is asked for changes and changes back', async () => {
    fixture.two.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    const half = fixture.options('auto', { archiveRoots: [fixture.one.home] })
    await refreshAndProve(fixture.options())
    await refreshAndProve(half)
    await refreshAndProve(fixture.options())
  })

  test('does not take what was archived long ago for what is in a home that is not archived now', async () => {
    fixture.two.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(fixture.options())
    fixture.two.append(path, talkBytes({ session: sessionA, seed: 2, turns: 2 }))
    await refreshAndProve(fixture.options('auto', { archiveRoots: [fixture.one.home] }))
    expect(ask('SELECT uuid FROM event')).toContain(uuidOf(2, 3))
  })

  test('reports the earlier content of a file that was rewritten while nothing is archived', async () => {
    fixture.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(fixture.options())
    fixture.one.write(path, talkBytes({ session: sessionA, seed: 2, turns: 2 }))
    await refreshAndProve(fixture.options('off'))
    expect(ask('SELECT uuid FROM event')).toEqual(expect.arrayContaining([uuidOf(1, 0), uuidOf(2, 0)]))
    expect(ask('SELECT standing FROM file ORDER BY standing')).toEqual([0, 2])
  })

  test('counts a message where it is first, whichever content of a file was indexed first', async () => {
    const text = talkBytes({ session: sessionA, seed: 1, turns: 4 }).toString()
    fixture.one.write(path, text)
    const { atime, mtime } = statSync(fixture.one.at(path))
    await refreshAndProve(fixture.options())
    fixture.one.write(path, text.replaceAll('mira', 'omar'))
    utimesSync(fixture.one.at(path), atime, mtime)
    await refreshAndProve(fixture.options('off'))
    expect(ask('SELECT number FROM file ORDER BY standing')).toEqual([2, 1])
  })

  test('does not depend on whether the archive has seen that a file stayed as it is', async () => {
    fixture.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await capture(fixture.archive(), { roots: fixture.roots })
    await refreshLater(fixture.options('off'))
    const later = new Archive(archiveFolder(fixture.home), { now: () => Date.now() + 5000 })
    await capture(later, { roots: fixture.roots })
    await refreshLater(fixture.options('off'))
    expect(ask('SELECT generation FROM file')).toEqual([expect.stringMatching(/^kept:/)])
  })

  test('reports a file once that only grew since it was archived', async () => {
    fixture.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(fixture.options())
    fixture.one.append(path, talkBytes({ session: sessionA, seed: 2, turns: 2 }))
    await refreshAndProve(fixture.options('off'))
    expect(ask('SELECT standing FROM file')).toEqual([0])
  })

  test('reports when a log was changed last, also where only its time is another', async () => {
    fixture.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(fixture.options())
    utimesSync(fixture.one.at(path), 1_700_000_000, 1_700_000_000)
    await refreshAndProve(fixture.options())
    expect(String(ask('SELECT files FROM session')[0])).toContain('"modifiedMs":1700000000000')
  })

  test('notices another content of the same length and time, at once', async () => {
    fixture.one.write(path, prompt('tune the bells'))
    const place = fixture.one.at(path)
    const { atime, mtime } = statSync(place)
    utimesSync(place, atime, mtime)
    await refreshAndProve(fixture.options('off'))
    writeFileSync(place, prompt('tune the pipes'))
    utimesSync(place, atime, mtime)
    await refreshAndProve(fixture.options('off'))
    expect(ask('SELECT title FROM session')).toEqual(['tune the pipes'])
    writeFileSync(place, prompt('tune the organ').trimEnd())
    await refreshAndProve(fixture.options('off'))
    writeFileSync(place, prompt('tune the choir').trimEnd())
    await refreshAndProve(fixture.options('off'))
    expect(ask('SELECT title FROM session')).toEqual(['tune the choir'])
  })

  test('takes back the titles that a session gave where it was', async () => {
    fixture.one.write(path, prompt('tune the bells'))
    const summary = { type: 'summary', summary: 'Of bells', leafUuid: uuidOf(1, 1) }
    const giver = `projects/-p/${sessionB}.jsonl`
    fixture.one.write(giver, `${JSON.stringify(summary)}\n${talkBytes({ session: sessionB, seed: 3, turns: 1 })}`)
    await refreshAndProve(fixture.options('off'))
    expect(ask(`SELECT title FROM session WHERE id = '${sessionA}'`)).toEqual(['Of bells'])
    const to = `projects/-q/${sessionB}.jsonl`
    fixture.one.write(`projects/-q/x.jsonl`, '')
    renameSync(fixture.one.at(giver), fixture.one.at(to))
    await refreshAndProve(fixture.options('off'))
    expect(ask(`SELECT title FROM session WHERE id = '${sessionA}'`)).toEqual(['tune the bells'])
  })

  test('keeps all of a home that is gone', async () => {
    fixture.two.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    await refreshAndProve(fixture.options())
    rmSync(fixture.two.home, { recursive: true })
    await refreshAndProve(fixture.options('auto', { archiveRoots: [fixture.one.home] }))
    expect(ask('SELECT uuid FROM event')).toContain(uuidOf(1, 3))
    expect(ask('SELECT standing FROM file')).toEqual([1])
    expect(dirname(String(ask('SELECT path FROM file')[0]))).toBe(fixture.two.at('projects/-p'))
  })

  test.each(['auto', 'off'] as const)(
    'notices links that come, lead to something else and go; archive %s',
    async mode => {
      const options = fixture.options(mode)
      const linked = fixture.one.at(`projects/-a/${sessionA}.jsonl`)
      fixture.one.write(path, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
      await refreshLater(options)
      mkdirSync(dirname(linked))
      symlinkSync(fixture.one.at(path), linked)
      await refreshLater(options)
      expect(ask('SELECT slug FROM session')).toEqual(['-a'])
      rmSync(linked)
      await refreshLater(options)
      expect(ask('SELECT slug FROM session')).toEqual(['-p'])
      const outside = join(fixture.one.folder, `${sessionB}.jsonl`)
      writeFileSync(outside, talkBytes({ session: sessionB, seed: 2, turns: 2 }))
      symlinkSync(outside, fixture.one.at(`projects/-a/${sessionB}.jsonl`))
      await refreshLater(options)
      appendFileSync(outside, talkBytes({ session: sessionB, seed: 3, turns: 2 }))
      await refreshLater(options)
      expect(ask('SELECT uuid FROM event')).toContain(uuidOf(3, 3))
      rmSync(fixture.one.at(`projects/-a/${sessionB}.jsonl`))
      await refreshLater({ ...options, isScoped: true })
      expect(ask('SELECT uuid FROM event')).not.toContain(uuidOf(3, 3))
    },
  )

  test('follows links to folders, in circles too', async () => {
    const outside = join(fixture.one.folder, 'elsewhere')
    const log = join(outside, '-c', `${sessionA}.jsonl`)
    mkdirSync(dirname(log), { recursive: true })
    writeFileSync(log, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
    symlinkSync(outside, join(outside, '-c', sessionA))
    symlinkSync(outside, fixture.one.at('projects'))
    await refreshLater(fixture.options())
    appendFileSync(log, talkBytes({ session: sessionA, seed: 2, turns: 2 }))
    await refreshLater(fixture.options())
    expect(ask('SELECT uuid FROM event')).toContain(uuidOf(2, 3))
  })
})
