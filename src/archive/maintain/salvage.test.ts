// A damaged manifest whose files are gone from the disk: nothing is promised, what is shorter is named, and what the packs
// still have is put together again.

import { readdirSync, readFileSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Fixture, recordLine, sessionA, sessionB, sessionC, withFixture } from '../../../test/archive/fixture.ts'
import { capture } from '../capture/capture.ts'
import type { Archive } from '../store/archive.ts'
import { importBackup } from '../transfer/import.ts'
import { restoreFiles } from '../transfer/restore.ts'
import { forget } from './forget.ts'
import { mendArchive } from './mend.ts'
import { planSalvage, salvage } from './salvage.ts'
import { verifyArchive } from './verify.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`
const agentOf = (session: string) => `projects/-home-mira-boat/${session}/subagents/agent-7.jsonl`
const resultOf = (session: string) => `projects/-home-mira-boat/${session}/tool-results/out.txt`

let clock = 0

/** A record of its own time, so that pieces have an order. */
function line(session: string, text: string, more: object = {}): string {
  const timestamp = new Date(1_700_000_000_000 + clock++ * 1000).toISOString()
  return `${JSON.stringify({ type: 'user', sessionId: session, cwd: '/home/mira/boat', timestamp, message: { content: text }, ...more })}\n`
}

/** Three runs: each adds to two logs; the second begins an agent's log and a result, too. */
async function grown(fixture: Fixture, aheadMs = 60_000): Promise<{ archive: Archive; files: Map<string, Buffer> }> {
  fixture.aheadMs = aheadMs
  const archive = fixture.archive()
  for (const run of [1, 2, 3]) {
    for (const session of [sessionA, sessionB]) {
      const before = run === 1 ? '' : fixture.read(logOf(session)).toString()
      fixture.write(logOf(session), before + line(session, `${run} `.repeat(400)))
    }
    if (run === 2) {
      fixture.write(agentOf(sessionA), line(sessionA, 'agent', { isSidechain: true, agentId: '7' }))
      fixture.write(resultOf(sessionA), 'plain output, no record\n')
      fixture.write(logOf(sessionC), line(sessionC, 'only in the second run'))
    }
    await capture(archive, { roots: [fixture.home] })
  }
  const paths = [logOf(sessionA), logOf(sessionB), logOf(sessionC), agentOf(sessionA), resultOf(sessionA)]
  return { archive, files: new Map(paths.map(path => [path, fixture.read(path)])) }
}

function segments(archive: Archive): string[] {
  return readdirSync(archive.layout.manifest)
    .sort()
    .map(name => join(archive.layout.manifest, name))
}

/** As a disk does it after a power cut: the length is there, the content is not. */
function zero(path: string, from = 0): void {
  writeFileSync(path, readFileSync(path).fill(0, from))
}

const ways: [string, (path: string) => void][] = [
  ['is zeroed', path => zero(path)],
  [
    'has zeros from its first line about a file on',
    path => zero(path, readFileSync(path).indexOf('{"generation"') + 40),
  ],
  ['is empty', path => truncateSync(path, 0)],
  ['is missing', unlinkSync],
  ['ends after its first line', path => truncateSync(path, readFileSync(path).indexOf('\n') + 1)],
]

describe('where a segment', () => {
  test.each(ways)('%s, verify promises nothing and names who lost what', (_, harm) =>
    withFixture(async fixture => {
      const { archive, files } = await grown(fixture)
      harm(segments(archive).at(-1) ?? '')
      rmSync(fixture.home, { recursive: true })
      archive.reload()
      const report = await verifyArchive(archive)
      expect(report).toMatchObject({ isIntact: false, mayLackMore: true })
      for (const session of [sessionA, sessionB]) {
        const size = files.get(logOf(session))?.length ?? 0
        const part = report.damaged.find(({ path }) => path === logOf(session))
        expect(part).toMatchObject({ session, home: fixture.home })
        expect((part?.from ?? 0) + (part?.bytes ?? 0), 'the lost bytes reach to the end').toBe(size)
        expect(part?.from).toBeGreaterThan(0)
      }
      expect(report.findings.map(({ code }) => code)).not.toContain('unneeded-pack')
    }),
  )

  test.each(ways)('%s, restore names what it gives back shortened', (_, harm) =>
    withFixture(async fixture => {
      const { archive, files } = await grown(fixture)
      harm(segments(archive).at(-1) ?? '')
      rmSync(fixture.home, { recursive: true })
      archive.reload()
      const { shortened } = await restoreFiles(archive, {})
      expect(shortened.map(({ session, path, archived }) => [session, path, archived]).sort()).toEqual(
        [sessionA, sessionB].map(session => [session, logOf(session), files.get(logOf(session))?.length]).sort(),
      )
    }),
  )

  test.each(ways)('%s, what the packs have is put together again, byte for byte', (_, harm) =>
    withFixture(async fixture => {
      const { archive, files } = await grown(fixture)
      harm(segments(archive).at(-1) ?? '')
      rmSync(fixture.home, { recursive: true })
      archive.reload()
      const before = readdirSync(archive.layout.folder, { recursive: true }).sort()
      const to = join(fixture.folder, 'salvaged')
      const plan = await salvage(archive, to)
      expect(plan.files.map(({ path, isWhole }) => [path, isWhole]).sort()).toEqual([
        [logOf(sessionA), true],
        [logOf(sessionB), true],
      ])
      for (const path of [logOf(sessionA), logOf(sessionB)])
        expect(readFileSync(join(to, path)).equals(files.get(path) ?? Buffer.of(0)), path).toBe(true)
      expect(JSON.parse(readFileSync(join(to, 'salvage.json'), 'utf8'))).toEqual(plan)
      expect(readdirSync(archive.layout.folder, { recursive: true }).sort(), 'the archive is as it was').toEqual(before)
      await expect(salvage(archive, to)).rejects.toMatchObject({ code: 'not-empty' })
      const report = await importBackup(archive, to, { as: fixture.home })
      expect(report).toMatchObject({ added: 2, skipped: [] })
    }),
  )
})

describe('a segment that is zeroed in the middle', () => {
  test('costs files that only it described: they are named, and found again by what their records say or by their length', () =>
    withFixture(async fixture => {
      const { archive, files } = await grown(fixture)
      zero(segments(archive)[1] ?? '')
      rmSync(fixture.home, { recursive: true })
      archive.reload()
      const { damaged } = await verifyArchive(archive)
      const lost = [logOf(sessionC), agentOf(sessionA), resultOf(sessionA)]
      expect(damaged.map(({ path }) => path)).toEqual(expect.arrayContaining(lost))
      const to = join(fixture.folder, 'salvaged')
      const plan = await salvage(archive, to)
      for (const path of lost) {
        expect(readFileSync(join(to, path)).equals(files.get(path) ?? Buffer.of(0)), path).toBe(true)
        expect(
          plan.files.find(file => file.path === path),
          path,
        ).toMatchObject({ isWhole: true })
      }
      const result = plan.files.find(({ path }) => path === resultOf(sessionA))
      expect(result?.inferred).toEqual(['that these bytes are its: no other lost file has this length'])
    }))
})

test('without the list of what was seen, verify still says that it cannot tell, and the packs name the sessions', () =>
  withFixture(async fixture => {
    const { archive, files } = await grown(fixture)
    zero(segments(archive).at(-1) ?? '')
    rmSync(archive.layout.seen)
    rmSync(fixture.home, { recursive: true })
    archive.reload()
    const report = await verifyArchive(archive)
    expect(report.mayLackMore).toBe(true)
    expect(new Set(report.damaged.map(({ session }) => session))).toEqual(new Set([sessionA, sessionB]))
    const to = join(fixture.folder, 'salvaged')
    const plan = await salvage(archive, to)
    for (const { path, isWhole, inferred } of plan.files) {
      expect(isWhole).toBe(false)
      expect(inferred).toContain('whether more of it is lost')
      expect(readFileSync(join(to, path)).equals(files.get(path) ?? Buffer.of(0)), path).toBe(true)
    }
  }))

test('a later run does not lose what is known of the files that are gone', () =>
  withFixture(async fixture => {
    const { archive } = await grown(fixture)
    zero(segments(archive).at(-1) ?? '')
    rmSync(fixture.at(logOf(sessionA)))
    archive.reload()
    fixture.write(logOf(sessionB), `${fixture.read(logOf(sessionB))}${line(sessionB, 'four')}`)
    await capture(archive, { roots: [fixture.home] })
    archive.reload()
    const { damaged } = await verifyArchive(archive)
    expect(damaged.map(({ path }) => path)).toEqual([logOf(sessionA)])
    expect(planSalvage(archive).files).toMatchObject([{ path: logOf(sessionA), isWhole: true }])
  }))

test('files that had just been written when they were archived are named, too', () =>
  withFixture(async fixture => {
    const { archive } = await grown(fixture, 0)
    zero(segments(archive).at(-1) ?? '')
    rmSync(fixture.home, { recursive: true })
    archive.reload()
    expect((await restoreFiles(archive, {})).shortened.map(({ path }) => path).sort()).toEqual(
      [logOf(sessionA), logOf(sessionB)].sort(),
    )
  }))

test('a flip in a line of the manifest costs nothing that its text and the packs still prove', () =>
  withFixture(async fixture => {
    const { archive, files } = await grown(fixture)
    const path = segments(archive)[1] ?? ''
    const text = readFileSync(path, 'latin1')
    const at = text.indexOf(`"path":"${logOf(sessionC)}","size"`)
    const modified = text.indexOf('"modified":"', at) + 12
    writeFileSync(path, `${text.slice(0, modified)}3${text.slice(modified + 1)}`, 'latin1')
    rmSync(fixture.home, { recursive: true })
    archive.reload()
    const to = join(fixture.folder, 'salvaged')
    expect((await salvage(archive, to)).files).toMatchObject([
      { path: logOf(sessionC), isWhole: true, inferred: ['its name is in a damaged line of the manifest'] },
    ])
    expect(readFileSync(join(to, logOf(sessionC))).equals(files.get(logOf(sessionC)) ?? Buffer.of(0))).toBe(true)
  }))

test('a frame whose own line is lost is found again by its hash, and mending says where it is', () =>
  withFixture(async fixture => {
    const { archive, files } = await grown(fixture)
    const frame = archive.manifest.catalog.current(fixture.home, logOf(sessionC))?.frames[0] ?? ''
    const path = segments(archive)[1] ?? ''
    const text = readFileSync(path, 'latin1')
    const at =
      text.indexOf(`{"frame":"${frame}"`) + text.slice(text.indexOf(`{"frame":"${frame}"`)).indexOf('"at":') + 5
    writeFileSync(path, `${text.slice(0, at)}9${text.slice(at + 1)}`, 'latin1')
    rmSync(fixture.home, { recursive: true })
    archive.reload()
    expect((await verifyArchive(archive)).damaged.map(({ path }) => path)).toEqual([logOf(sessionC)])
    expect(await mendArchive(archive)).toMatchObject({ frames: 1, lost: 0, linesLost: 1 })
    archive.reload()
    expect((await verifyArchive(archive)).damaged).toEqual([])
    await restoreFiles(archive, {})
    expect(fixture.read(logOf(sessionC)).equals(files.get(logOf(sessionC)) ?? Buffer.of(0))).toBe(true)
  }))

test('a line that repeats an earlier one is found where the length shows that it is missing', () =>
  withFixture(async fixture => {
    fixture.aheadMs = 60_000
    const archive = fixture.archive()
    const mode = `${JSON.stringify({ type: 'mode', mode: 'plan', sessionId: sessionA })}\n`
    fixture.write(logOf(sessionA), mode + line(sessionA, 'one'))
    await capture(archive, { roots: [fixture.home] })
    fixture.append(logOf(sessionA), mode)
    await capture(archive, { roots: [fixture.home] })
    const whole = fixture.read(logOf(sessionA))
    zero(segments(archive).at(-1) ?? '')
    rmSync(fixture.home, { recursive: true })
    archive.reload()
    const to = join(fixture.folder, 'salvaged')
    expect((await salvage(archive, to)).files).toMatchObject([{ path: logOf(sessionA), isWhole: true }])
    expect(readFileSync(join(to, logOf(sessionA))).equals(whole)).toBe(true)
  }))

test('a forgotten session is not salvaged', () =>
  withFixture(async fixture => {
    const { archive } = await grown(fixture)
    zero(segments(archive).at(-1) ?? '')
    rmSync(fixture.home, { recursive: true })
    archive.reload()
    // Where the manifest cannot be rewritten, the pack may stay.
    await archive.change('mark', async manifest => {
      manifest.catalog.forgotten.add(sessionA)
    })
    archive.manifest.catalog.forgotten.add(sessionA)
    expect(planSalvage(archive).files.map(({ session }) => session)).toEqual([sessionB])
    await forget(archive, sessionA, { evenIfDamaged: true })
    expect(JSON.stringify(planSalvage(archive))).not.toContain(sessionA)
  }))

test('records that name another place are written below the folder, or as unknown', () =>
  withFixture(async fixture => {
    fixture.aheadMs = 60_000
    const archive = fixture.archive()
    fixture.write(logOf(sessionA), recordLine(sessionA, '/home/mira/boat'))
    await capture(archive, { roots: [fixture.home] })
    fixture.write('projects/-p/x.jsonl', line('../../../../evil', 'x', { cwd: '/../../etc' }))
    await capture(archive, { roots: [fixture.home] })
    zero(segments(archive).at(-1) ?? '')
    rmSync(archive.layout.seen)
    archive.reload()
    const to = join(fixture.folder, 'deep', 'salvaged')
    const { files } = await salvage(archive, to)
    expect(files.map(({ path }) => path.replace(/[0-9a-f]{32}/, 'P'))).toEqual(['unknown/P.br-0'])
    expect(readdirSync(fixture.folder).sort()).toEqual(['.claude', 'clew', 'deep'])
  }))
