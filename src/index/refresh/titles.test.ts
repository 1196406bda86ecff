// Titles from other files of the folder: the same rule as lists that read files, and the same result in whatever order
// sessions come and go.

import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fullRows } from '../../answers/sessions/full-rows.ts'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import { indexRoots, type TestIndex } from './projection-testing.ts'
import { dropSession, summariseSession } from './summarise.ts'
import { titleFolders } from './titles.ts'

type Line = Record<string, unknown>

const ids = ['1', '2', '3', '4'].map(digit => `${digit}0000000-0000-4000-8000-000000000000`)
const user = (session: string, uuid: string, parentUuid: string | null, content: string): Line => {
  const base = { sessionId: session, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/x', isSidechain: false }
  return { type: 'user', uuid, parentUuid, message: { role: 'user', content }, ...base }
}
const summary = (title: string, leafUuid: string): Line => ({ type: 'summary', summary: title, leafUuid })

let home: string
let index: TestIndex | undefined

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'clew-titles-'))
})
afterEach(async () => {
  index?.close()
  index = undefined
  await rm(home, { recursive: true, force: true })
})

function write(project: string, session: string, lines: readonly Line[]): void {
  const folder = join(home, 'projects', project)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${session}.jsonl`), lines.map(line => `${JSON.stringify(line)}\n`).join(''))
}

/** The first has two branches and no title; others of its folder name one or the other; the last is elsewhere. */
function writeFolder(): void {
  const [first, second, third, other] = ids as [string, string, string, string]
  write('p', first, [
    user(first, 'u1', null, 'Begin'),
    user(first, 'u2', 'u1', 'Left'),
    user(first, 'u3', 'u1', 'Right'),
  ])
  write('p', second, [summary('The left branch', 'u2'), user(second, 'v1', null, 'Second')])
  write('p', third, [summary('The right branch', 'u3'), summary('Elsewhere', 'w9'), user(third, 'w1', null, 'Third')])
  write('q', other, [summary('Not of this folder', 'v1'), user(other, 'x1', null, 'Fourth')])
}

function titles({ db }: TestIndex): Record<string, unknown[]> {
  const rows = db.prepare('SELECT id, title, facts, own FROM session ORDER BY id').all()
  return Object.fromEntries(
    rows.map(([id, title, facts, own]) => {
      const { title: indexed, titleFrom } = JSON.parse(String(facts)) as { title: string; titleFrom: string }
      expect(indexed).toBe(title)
      return [id, [title, titleFrom, own]]
    }),
  )
}

function summariseAll(found: TestIndex, order: readonly number[], isTitledAtOnce: boolean): void {
  const folders: string[] = []
  for (const place of order) {
    const session = found.sessions.find(({ id }) => id === ids[place])
    if (session === undefined) continue
    summariseSession(found.db, session, found.fileIds, 'fingerprint')
    folders.push(...foldersOf(session))
    if (isTitledAtOnce) titleFolders(found.db, foldersOf(session))
  }
  titleFolders(found.db, folders)
}

test('a session without a title gets the summary of its active branch from another file of its folder', async () => {
  writeFolder()
  index = await indexRoots([home])
  summariseAll(index, [0, 1, 2, 3], false)
  const found = titles(index)
  expect(ids.map(id => found[id]?.slice(0, 2))).toEqual([
    ['The right branch', 'summary'],
    ['Second', 'first-prompt'],
    ['Third', 'first-prompt'],
    ['Fourth', 'first-prompt'],
  ])
})

/** Titles that are found in another session than that of their file: who it is, and the record. */
function named({ db }: TestIndex): unknown[] {
  return db.prepare('SELECT session, leaf FROM titled ORDER BY leaf').all()
}

test('a title is found in the session that it names; where that goes, in the one that has it', async () => {
  writeFolder()
  index = await indexRoots([home])
  summariseAll(index, [2, 1, 0, 3], true)
  expect(named(index)).toEqual([
    [ids[0], 'u2'],
    [ids[0], 'u3'],
  ])
  dropSession(index.db, ids[0] ?? '')
  titleFolders(index.db, [join(home, 'projects', 'p')])
  expect(named(index)).toEqual([])
})

test('a session in two folders names the same, whichever of them was refreshed last', async () => {
  const [first, second, , other] = ids as [string, string, string, string]
  writeFolder()
  write('q', second, [user(second, 'v2', 'v1', 'Second, elsewhere')])
  index = await indexRoots([home])
  summariseAll(index, [0, 1, 2, 3], false)
  const expected = [
    [first, 'u2'],
    [first, 'u3'],
    [second, 'v1'],
  ]
  expect(named(index)).toEqual(expected)
  for (const folder of ['p', 'q']) {
    titleFolders(index.db, [join(home, 'projects', folder)])
    expect(named(index), folder).toEqual(expected)
  }
  // What is of no session any more names none.
  for (const id of [second, other]) dropSession(index.db, id)
  titleFolders(index.db, [join(home, 'projects', 'q')])
  expect(named(index)).toEqual([[first, 'u3']])
})

test('sessions that number their records alike give each other no title', async () => {
  const [first, second, third] = ids as [string, string, string]
  write('p', first, [user(first, 'msg_1', null, 'Fix it'), summary('Fixing', 'msg_1')])
  write('p', second, [user(second, 'msg_1', null, 'Draw it')])
  write('p', third, [user(third, 'x', null, 'Third'), summary('Of which?', 'msg_1')])
  index = await indexRoots([home])
  summariseAll(index, [0, 1, 2], false)
  expect(named(index)).toEqual([])
  expect(titles(index)[first]?.[0]).toBe('Fixing')
})

test('titles are those of lists that read the files', async () => {
  writeFolder()
  index = await indexRoots([home])
  summariseAll(index, [3, 2, 1, 0], false)
  const found = titles(index)
  const { rows } = await fullRows(index.sessions, {}, { home })
  for (const { session, title, titleFrom } of rows) expect(found[session.id]?.slice(0, 2)).toEqual([title, titleFrom])
})

test('the order in which sessions are summarised does not matter', async () => {
  writeFolder()
  index = await indexRoots([home])
  summariseAll(index, [0, 1, 2, 3], false)
  const expected = titles(index)
  for (const order of [
    [3, 2, 1, 0],
    [1, 0, 3, 2],
    [2, 0, 1, 3],
    [0, 0, 2, 1, 3, 0],
  ]) {
    for (const { id } of index.sessions) dropSession(index.db, id)
    summariseAll(index, order, true)
    expect(titles(index)).toEqual(expected)
  }
})

test('when the file with the summary goes, the title goes', async () => {
  writeFolder()
  index = await indexRoots([home])
  summariseAll(index, [0, 1, 2, 3], false)
  const gone = index.sessions.find(({ id }) => id === ids[2])
  dropSession(index.db, ids[2] as string)
  titleFolders(index.db, gone === undefined ? [] : foldersOf(gone))
  expect(titles(index)[ids[0] as string]?.slice(0, 2)).toEqual(['The left branch', 'summary'])
  dropSession(index.db, ids[1] as string)
  titleFolders(index.db, gone === undefined ? [] : foldersOf(gone))
  expect(titles(index)[ids[0] as string]).toEqual([
    'Begin',
    'first-prompt',
    '{"title":"Begin","titleFrom":"first-prompt"}',
  ])
})

test('nothing of a dropped session is left', async () => {
  writeFolder()
  index = await indexRoots([home])
  summariseAll(index, [0, 1, 2, 3], false)
  for (const { id } of index.sessions) dropSession(index.db, id)
  for (const table of ['session', 'thread', 'turn', 'digest', 'folder', 'session_log']) {
    expect(index.db.prepare(`SELECT count(*) FROM ${table}`).get()).toEqual([0])
  }
})
