// The one rule that no file can break by itself: the archive remembers what a file held before.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { openArchiveView } from '../../src/archive/read/tree.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { Checker } from '../../src/check/check.ts'
import { jobsOfPath, runJobs } from '../../src/check/scan/scan.ts'
import type { Profile } from '../../src/model/finding.ts'

const id = '0c7a1f7e-7d7a-4d4e-9b43-0d2f6a3b5c11'
let place: string
let home: string
let log: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'clew-append-only-'))
  home = join(place, '.claude')
  log = join(home, 'projects/-home-dev-shop', `${id}.jsonl`)
  mkdirSync(join(home, 'projects/-home-dev-shop'), { recursive: true })
  writeFileSync(log, line('first') + line('second'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

function line(text: string): string {
  return `${JSON.stringify({ type: 'user', sessionId: id, uuid: text, parentUuid: null, message: { role: 'user', content: text } })}\n`
}

const archive = () => new Archive(join(place, 'archive'))
const captureAll = () => capture(archive(), { roots: [home] })

async function severities(profile: Profile): Promise<string[]> {
  const checker = new Checker(profile)
  const places = openArchiveView(join(place, 'archive'))
  await runJobs(checker, await jobsOfPath(checker, home, places), places)
  return checker
    .report()
    .findings.filter(({ code }) => code === 'append-only')
    .map(({ severity }) => severity)
}

describe('append-only', () => {
  test('finds nothing in a file that only grew', async () => {
    await captureAll()
    appendFileSync(log, line('third'))
    await captureAll()
    expect(await severities('s4')).toEqual([])
  })

  test('finds a file that was cut, whether it is on disk or only in the archive', async () => {
    await captureAll()
    truncateSync(log, line('first').length)
    await captureAll()
    expect(await severities('s4')).toEqual(['warning'])
    expect(await severities('real')).toEqual(['info'])
    expect(await severities('s1')).toEqual([])
    rmSync(join(home, 'projects'), { recursive: true })
    expect(await severities('s4')).toEqual(['warning'])
  })
})
