// Keeps a home while another process deletes, cuts, rewrites, replaces and moves its files as fast as it can. Whatever is archived
// must be something that was there, whatever is not must be reported, and once all is quiet nothing may be missing.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { archivedBytes } from '../../src/archive/read/source.ts'
import type { Archive } from '../../src/archive/store/archive.ts'
import type { WriteOps } from '../../src/files/ops.ts'
import { isDeep } from '../needs.ts'
import { buildDriver, damageOf, quickOps } from './faults.ts'
import { Fixture, imagesBelow } from './fixture.ts'
import { bytesOf, lineBytes, type Span } from './mutate.ts'
import { watchedOps } from './operate.ts'

let root: string
let driver: string

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'clew-race-')))
  driver = await buildDriver(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Mutation {
  /** Every content that a file had. */
  contents: Span[][]
  isOver: boolean
  ended: Promise<number | null>
}

function startMutation(home: string, seed: number, ms: number): Mutation {
  const child = spawn(process.execPath, [driver, '--mutate', home, String(seed), String(ms)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', chunk => chunks.push(chunk))
  const mutation: Mutation = { contents: [], isOver: false, ended: Promise.resolve(null) }
  mutation.ended = new Promise(done => {
    child.on('close', code => {
      const lines = Buffer.concat(chunks).toString('utf8').split('\n').filter(Boolean)
      mutation.contents = lines.map(line => JSON.parse(line) as Span[])
      mutation.isOver = true
      done(code)
    })
  })
  return mutation
}

/** Whether bytes are a content that some file had, or the beginning of one that was being written. */
class Contents {
  private readonly byFirst = new Map<number, Span[][]>()

  constructor(contents: readonly Span[][]) {
    for (const spans of contents) {
      const first = spans[0]?.[0] ?? -1
      const list = this.byFirst.get(first) ?? []
      this.byFirst.set(first, list)
      list.push(spans)
    }
  }

  hold(bytes: Buffer): boolean {
    if (bytes.length === 0) return true
    const first = Number(/"n":(\d+)/.exec(bytes.subarray(0, lineBytes).toString('latin1'))?.[1] ?? -1)
    if (bytes.length < lineBytes) return true
    return (this.byFirst.get(first) ?? []).some(spans => {
      const whole = bytesOf(spans)
      return whole.length >= bytes.length && whole.subarray(0, bytes.length).equals(bytes)
    })
  }
}

async function archivedContents(archive: Archive): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  archive.reload()
  for (const generation of archive.manifest.catalog.generations.values()) {
    const chunks: Buffer[] = []
    for await (const chunk of archivedBytes(archive, generation)) chunks.push(chunk)
    found.set(`${generation.path} ${generation.number}`, Buffer.concat(chunks))
  }
  return found
}

describe('files that change while they are kept', () => {
  for (const seed of isDeep ? [1, 2] : [1]) {
    test(`are archived as they were, or reported (seed ${seed})`, { timeout: 90_000 }, async () => {
      const fixture = new Fixture()
      try {
        const mutation = startMutation(fixture.home, seed, 4000)
        const codes = new Set<string>()
        let runs = 0
        while (!mutation.isOver) {
          const { failure, findings } = await capture(fixture.archive(), { roots: [fixture.home] })
          expect(failure).toBeUndefined()
          for (const { code } of findings) codes.add(code)
          runs++
          await new Promise(done => setTimeout(done, 5))
        }
        expect(await mutation.ended).toBe(0)
        for (const code of codes) expect(['vanished-file', 'unreadable-file', 'missing-root']).toContain(code)

        const contents = new Contents(mutation.contents)
        const archived = await archivedContents(fixture.archive())
        const strange = [...archived]
          .filter(([, bytes]) => !contents.hold(bytes))
          .map(([name, bytes]) => `${name}: ${bytes.length}`)
        console.log(
          `${runs} runs while ${mutation.contents.length} contents came and went: ${archived.size} generations kept`,
        )
        expect(strange).toEqual([])

        await expectQuiet(fixture)
      } finally {
        fixture.remove()
      }
    })
  }
})

/** Does something to a file between two reads of it: when frames of it are written into a pack. */
function opsThat(act: () => void, times: number): WriteOps {
  let left = times
  let isPackOpen = false
  return watchedOps(quickOps, {
    after(call, target) {
      if (call === 'create') isPackOpen = basename(dirname(String(target))) === 'packs'
      if (call !== 'write' || !isPackOpen || left === 0) return
      left--
      act()
    },
  })
}

describe('a file that is rewritten in place between two reads of it', () => {
  const path = 'projects/-p/11111111-1111-4111-8111-111111111111.jsonl'
  const before = bytesOf([[0, 100_000]])
  const after = bytesOf([[200_000, 300_000]])

  test('is archived as it is then', async () => {
    const fixture = new Fixture()
    try {
      fixture.write(path, before)
      const archive = fixture.archive({ ops: opsThat(() => fixture.write(path, after), 1) })
      const { failure, findings } = await capture(archive, { roots: [fixture.home] })
      expect({ failure, findings }).toEqual({ findings: [] })
      expect([...(await archivedContents(archive)).values()].map(bytes => bytes.equals(after))).toEqual([true])
    } finally {
      fixture.remove()
    }
  })

  test('is reported where that never ends, and archived by a later run', async () => {
    const fixture = new Fixture()
    try {
      fixture.write(path, before)
      let times = 0
      const rewrite = () => {
        if (times++ % 8 === 0) fixture.write(path, before.toString('latin1').replaceAll('user', `user ${times}`))
      }
      const archive = fixture.archive({ ops: opsThat(rewrite, Number.POSITIVE_INFINITY) })
      const { failure, findings, added } = await capture(archive, { roots: [fixture.home] })
      expect({ failure, added }).toEqual({ added: 0 })
      expect(findings.map(({ code, file }) => [code, file])).toEqual([['unreadable-file', fixture.at(path)]])
      await expectQuiet(fixture)
    } finally {
      fixture.remove()
    }
  })

  test('counts as one file where it only grew', async () => {
    const fixture = new Fixture()
    try {
      fixture.write(path, before)
      const archive = fixture.archive({ ops: opsThat(() => fixture.append(path, after.subarray(0, 640)), 3) })
      const { findings, added } = await capture(archive, { roots: [fixture.home] })
      expect({ findings, added }).toEqual({ findings: [], added: 1 })
      await expectQuiet(fixture)
      expect(fixture.archive().manifest.catalog.generations.size).toBe(1)
    } finally {
      fixture.remove()
    }
  })
})

/** With no one at work any more, a run archives exactly what is there. */
async function expectQuiet(fixture: Fixture): Promise<void> {
  const { failure, findings } = await capture(fixture.archive(), { roots: [fixture.home] })
  expect(failure).toBeUndefined()
  expect(findings).toEqual([])
  expect(await damageOf(fixture.archiveFolder)).toEqual([])
  const archive = fixture.archive()
  const { catalog } = archive.manifest
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const archived = await archivedContents(archive)
  for (const [path, { bytes }] of imagesBelow(fixture.home)) {
    const current = catalog.current(fixture.home, path)
    expect(hash(archived.get(`${path} ${current?.number}`) ?? Buffer.alloc(0)), path).toBe(hash(bytes))
  }
}
