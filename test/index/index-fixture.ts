// A fixture for tests of the index: two Claude homes and one folder of Clew, and the two questions that every test asks
// afterwards: is the index what a new one would be, and is everything in it that is on disk or archived, once.

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { archiveFolder } from '../../src/archive/format/layout.ts'
import { openArchiveView } from '../../src/archive/read/tree.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { mergeDiscoveries } from '../../src/disk/discover/resolve.ts'
import { diskTree } from '../../src/disk/discover/tree.ts'
import {
  buildIndexAt,
  type RefreshOptions,
  type RefreshReport,
  refreshIndex,
  surveyFor,
} from '../../src/index/refresh/refresh.ts'
import { type Difference, differences } from '../../src/index/store/dump.ts'
import { currentPath, indexFolder, openToRead } from '../../src/index/store/open.ts'
import { Database } from '../../src/index/store/port.ts'
import { Fixture, quickOps } from '../archive/fixture.ts'
import { audit } from './audit.ts'

/** Where the archive comes in: everything is archived first, or nothing is. */
export type ArchiveMode = 'auto' | 'off'

export class IndexFixture {
  readonly one = new Fixture()
  readonly two = new Fixture({ name: 'second' })
  /** Clew's own folder. */
  readonly home: string

  constructor(home?: string) {
    this.home = home ?? this.one.own
  }

  get roots(): string[] {
    return [this.one.home, this.two.home]
  }

  options(mode: ArchiveMode = 'auto', more: Partial<RefreshOptions> = {}): RefreshOptions {
    return {
      home: this.home,
      roots: this.roots,
      isScoped: false,
      archiveRoots: mode === 'auto' ? this.roots : [],
      ops: quickOps,
      ...more,
    }
  }

  archive(): Archive {
    return new Archive(archiveFolder(this.home), { ops: quickOps })
  }

  refresh(options: RefreshOptions = this.options()): Promise<RefreshReport> {
    return refreshIndex(options)
  }

  remove(): void {
    this.one.remove()
    this.two.remove()
  }
}

export async function withIndexFixture<Value>(work: (fixture: IndexFixture) => Value | Promise<Value>): Promise<Value> {
  const fixture = new IndexFixture()
  try {
    return await work(fixture)
  } finally {
    fixture.remove()
  }
}

/**
 * Looks at the files whenever it is called, but as if at one time: a file that changed just before counts as racy in all of
 * them, however busy the machine is. Two seconds later it would be taken for what is archived of it.
 */
export function atOneMoment(options: RefreshOptions, lookedAtMs = Date.now()): () => RefreshOptions {
  return () => ({ ...options, surveyed: { ...surveyFor(options), lookedAtMs } })
}

/** How the index differs from one that is rebuilt from the same bytes. */
export async function differencesToNew(options: RefreshOptions, most = 5): Promise<Difference[]> {
  const path = join(options.home, `aside-${Math.random().toString(36).slice(2)}.sqlite`)
  const index = openToRead(options.home)
  if (index === null) throw new Error('there is no index')
  try {
    const { ops: _ops, onStep: _onStep, ...plain } = options
    await buildIndexAt(path, plain)
    const rebuilt = new Database(path, { isReadOnly: true })
    try {
      return differences(index, rebuilt, most)
    } finally {
      rebuilt.close()
    }
  } finally {
    index.close()
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  }
}

/** Throws unless the index is what a new one would be, and all is in it once. */
export async function proveIndex(options: RefreshOptions): Promise<void> {
  const found = await differencesToNew(options)
  if (found.length > 0)
    throw new Error(`the index is not what a new one would be:\n${found.map(each => JSON.stringify(each)).join('\n')}`)
  const problems = await auditIndex(options)
  expect(problems.slice(0, 6), 'the index differs from what there is').toEqual([])
}

/** What the index reports otherwise than the files themselves. */
export async function auditIndex(options: RefreshOptions): Promise<string[]> {
  const folder = archiveFolder(options.home)
  const isArchived = existsSync(join(folder, 'manifest'))
  const archived = isArchived ? openArchiveView(folder) : undefined
  const tree = archived?.tree ?? diskTree
  const homes = new Set([...options.roots, ...(archived?.archive.manifest.catalog.homes() ?? [])])
  const discoveries = await Promise.all([...homes].map(root => discover(root, tree)))
  const sessions = mergeDiscoveries(discoveries, tree.source)
  const db = openToRead(options.home)
  if (db === null) return ['there is no index']
  try {
    const archive = archived?.archive
    return await audit({ db, source: tree.source, sessions, discoveries, ...(archive !== undefined && { archive }) })
  } finally {
    db.close()
  }
}

/** Brings all into the one file: else what is in the log of changes hides what is done to it. */
export function mergeLog(home: string): void {
  const path = currentPath(home)
  if (path === null) throw new Error('there is no index')
  const db = new Database(path)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Databases next to the one in use: what killed rebuilds left. */
export function leftovers(home: string): string[] {
  const current = currentPath(home)
  const names = readdirSync(indexFolder(home)).filter(name => /\.sqlite|\.tmp-|lock/.test(name))
  return names.filter(name => current === null || !join(indexFolder(home), name).startsWith(current))
}
