// What a session leaves outside of its own files: prompts in histories, pasted texts, pictures, and what Clew remembers.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  archivedBytes,
  archivedPaths,
  type Fixture,
  recordLine,
  sessionA,
  sessionB,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { unpackAll } from '../../../test/archive/unpack-all.ts'
import { discover } from '../../disk/discover/discover.ts'
import { capture } from '../capture/capture.ts'
import { type Archive, Archive as OpenArchive } from '../store/archive.ts'
import { importBackup } from '../transfer/import.ts'
import { forget, isDone, planForget, remember } from './forget.ts'
import { tracedSessions } from './traces.ts'
import { verifyArchive } from './verify.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)
const pasteA = 'paste-cache/aaaaaaaaaaaaaaaa.txt'
const pasteB = 'paste-cache/bbbbbbbbbbbbbbbb.txt'
const pasteBoth = 'paste-cache/cccccccccccccccc.txt'

function prompt(session: string | undefined, display: string, ...pastes: string[]): string {
  const hashes = pastes.map((paste, id) => [id, { id, type: 'text', contentHash: /([0-9a-f]+)\.txt/.exec(paste)?.[1] }])
  return `${JSON.stringify({ display, pastedContents: Object.fromEntries(hashes), timestamp: 1_700_000_000_000, project: '/p', sessionId: session })}\n`
}

function everyText(archive: Archive): string {
  const entries = readdirSync(archive.layout.folder, { recursive: true, withFileTypes: true }).filter(one =>
    one.isFile(),
  )
  return entries
    .map(({ name, parentPath }) => unpackAll(name, readFileSync(join(parentPath, name))).toString())
    .join('\n')
}

/** Two sessions with prompts, pasted texts (one that both have) and pictures. */
async function filled(fixture: Fixture): Promise<Archive> {
  for (const session of [sessionA, sessionB]) {
    fixture.write(logOf(session), line(session))
    fixture.write(`image-cache/${session}/1.png`, `picture of ${session}`)
  }
  fixture.write(pasteA, 'xylophone pasted')
  fixture.write(pasteB, 'banjo pasted')
  fixture.write(pasteBoth, 'cello pasted')
  const history =
    prompt(sessionA, 'xylophone typed', pasteA, pasteBoth) + prompt(sessionB, 'banjo typed', pasteB, pasteBoth)
  fixture.write('history.jsonl', history)
  const archive = fixture.archive()
  await capture(archive, { roots: [fixture.home] })
  return archive
}

/** Claude Code deletes the session; the prompt history and what is next to it stay. */
function deleteSession(fixture: Fixture): void {
  rmSync(fixture.at(logOf(sessionA)))
}

const planOf = async (archive: Archive, fixture: Fixture) =>
  planForget(archive, sessionA, { discoveries: [await discover(fixture.home)] })

test('pasted texts go where only its prompts have them; those on disk and those of others are named', () =>
  withFixture(async fixture => {
    const archive = await filled(fixture)
    deleteSession(fixture)
    const { files, remains } = await forget(archive, sessionA, { discoveries: [await discover(fixture.home)] })
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining([pasteA, `image-cache/${sessionA}/1.png`]))
    expect(everyText(archive)).not.toContain('xylophone pasted')
    expect(everyText(archive)).not.toContain(`picture of ${sessionA}`)
    expect(remains.sharedFiles).toEqual([{ home: fixture.home, path: pasteBoth, sessions: [sessionB] }])
    expect(remains.live).toEqual(
      expect.arrayContaining([pasteA, pasteBoth, `image-cache/${sessionA}/1.png`].map(path => fixture.at(path))),
    )
    expect(remains.live).not.toContain(fixture.at(pasteB))
    expect(remains.liveMentions).toEqual([{ path: fixture.at('history.jsonl'), lines: 1 }])
  }))

test('they are not archived again, nor is what was pasted into its prompts since', () =>
  withFixture(async fixture => {
    const archive = await filled(fixture)
    await forget(archive, sessionA)
    const later = 'paste-cache/dddddddddddddddd.txt'
    fixture.write(later, 'xylophone pasted later')
    fixture.append('history.jsonl', prompt(sessionA, 'again', later))
    await capture(archive, { roots: [fixture.home] })
    expect(archivedPaths(archive).filter(path => path.startsWith('paste-cache/'))).toEqual([pasteB, pasteBoth])
    // Not even where the lines that named them are gone.
    fixture.write('history.jsonl', prompt(sessionB, 'banjo typed', pasteB))
    await capture(fixture.archive(), { roots: [fixture.home] })
    expect(archivedPaths(fixture.archive())).not.toContain(pasteA)
    expect(await remember(archive, sessionA)).toBe(true)
    await capture(archive, { roots: [fixture.home] })
    expect(archivedPaths(fixture.archive())).toContain(pasteA)
  }))

test('earlier contents of the prompt history stay without its lines, byte for byte', () =>
  withFixture(async fixture => {
    const archive = await filled(fixture)
    const more = prompt(sessionB, 'second content') + prompt(sessionA, 'xylophone again').trimEnd()
    fixture.write('history.jsonl', more)
    await capture(archive, { roots: [fixture.home] })
    fixture.write('history.jsonl', prompt(sessionB, 'third content'))
    await capture(archive, { roots: [fixture.home] })
    const plan = await planOf(archive, fixture)
    expect(plan.histories).toEqual([
      { home: fixture.home, path: 'history.jsonl', number: 1, lines: 1 },
      { home: fixture.home, path: 'history.jsonl', number: 2, lines: 1 },
    ])
    const before = plan.generationIds.filter(
      id => archive.manifest.catalog.generations.get(id)?.path === 'history.jsonl',
    )
    expect(before).toHaveLength(2)
    await forget(archive, sessionA)
    expect(everyText(archive)).not.toContain('xylophone')
    const kept = fixture.archive().manifest.catalog.of(fixture.home, 'history.jsonl')
    expect(kept.map(({ number, more: said }) => [number, said?.['erasedLines']])).toEqual([
      [1, 1],
      [2, 1],
      [3, undefined],
    ])
    expect(kept.some(({ id }) => before.includes(id))).toBe(false)
    rmSync(fixture.at('history.jsonl'))
    const texts = await Promise.all(kept.map(async ({ id }) => (await archivedBytes(archive, id)).toString()))
    expect(texts).toEqual([
      prompt(sessionB, 'banjo typed', pasteB, pasteBoth),
      prompt(sessionB, 'second content'),
      prompt(sessionB, 'third content'),
    ])
    expect(await verifyArchive(fixture.archive())).toMatchObject({ isIntact: true, findings: [] })
  }))

test('the content that the prompt history still has is named; once the file is gone, a second time erases it', () =>
  withFixture(async fixture => {
    const archive = await filled(fixture)
    const first = await forget(archive, sessionA, { discoveries: [await discover(fixture.home)] })
    expect(first).toMatchObject({ histories: [], remains: { mentions: [{ path: 'history.jsonl', lines: 1 }] } })
    expect(everyText(archive)).toContain('xylophone typed')
    const again = await planOf(archive, fixture)
    expect(isDone(again)).toBe(true)
    expect(again.remains.liveMentions).toHaveLength(1)
    expect(again.remains.live).toContain(fixture.at(pasteA))
    fixture.write('history.jsonl', prompt(sessionB, 'banjo typed'))
    await capture(archive, { roots: [fixture.home] })
    expect(isDone(await planOf(archive, fixture))).toBe(false)
    expect(await forget(archive, sessionA)).toMatchObject({ wasForgotten: true, histories: [{ number: 1, lines: 1 }] })
    expect(everyText(archive)).not.toContain('xylophone')
    const last = await planOf(archive, fixture)
    expect(isDone(last)).toBe(true)
    expect(last.remains.live, 'its name was noted with the mark').toContain(fixture.at(pasteA))
  }))

test('a session that Claude Code deleted before anything was archived is found by what it left', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionB), line(sessionB))
    fixture.write('history.jsonl', prompt(sessionA, 'xylophone typed', pasteA))
    fixture.write(pasteA, 'xylophone pasted')
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    expect(await tracedSessions(archive, [])).toContain(sessionA)
    const report = await forget(archive, sessionA, { discoveries: [await discover(fixture.home)] })
    expect(report.files.map(({ path }) => path)).toEqual([pasteA])
    expect(everyText(archive)).not.toContain('xylophone pasted')
  }))

test('files of Clew that remember its logs go, others stay', () =>
  withFixture(async fixture => {
    const archive = await filled(fixture)
    const folder = join(fixture.folder, 'clew', 'statusline')
    mkdirSync(folder)
    writeFileSync(join(folder, '1.json'), JSON.stringify({ logs: [{ path: fixture.at(logOf(sessionA)) }] }))
    writeFileSync(join(folder, '2.json'), JSON.stringify({ logs: [{ path: fixture.at(logOf(sessionB)) }] }))
    const { own } = await forget(archive, sessionA, { ownFolders: [folder] })
    expect(own).toEqual([join(folder, '1.json')])
    expect(readdirSync(folder)).toEqual(['2.json'])
  }))

test('an archive that has a mark of forgotten files stays readable to versions that do not know it', () =>
  withFixture(async fixture => {
    const archive = await filled(fixture)
    await forget(archive, sessionA)
    await capture(archive, { roots: [fixture.home] })
    const [segment = ''] = readdirSync(archive.layout.manifest)
    const text = readFileSync(join(archive.layout.manifest, segment), 'utf8')
    expect(text).toContain(`{"forgottenFile":"${pasteA}","session":"${sessionA}"`)
    expect(text).toContain('"format":2')
  }))

test('what comes back with an import is erased by a second time', () =>
  withFixture(async fixture => {
    const archive = await filled(fixture)
    cpSync(archive.layout.folder, join(fixture.folder, 'copy'), { recursive: true })
    rmSync(fixture.home, { recursive: true })
    await forget(archive, sessionA)
    expect(everyText(archive)).not.toContain('xylophone')
    await importBackup(archive, join(fixture.folder, 'copy'), { as: fixture.home })
    await forget(archive, sessionA)
    expect(everyText(new OpenArchive(archive.layout.folder))).not.toContain('xylophone')
    expect(existsSync(join(fixture.folder, 'copy'))).toBe(true)
  }))
