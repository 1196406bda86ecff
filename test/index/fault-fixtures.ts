// Worlds that something is about to be done to: homes as they are, and Clew's folder as it was before, which can be put back as
// often as needed. No fault is made here.

import { appendFileSync, cpSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { planPrune, prune } from '../../src/archive/maintain/prune.ts'
import type { RefreshOptions } from '../../src/index/refresh/refresh.ts'
import { currentPath } from '../../src/index/store/open.ts'
import { ageUnwrittenLock } from '../archive/faults.ts'
import { type Fixture, sessionA, sessionB, sessionC } from '../archive/fixture.ts'
import type { IndexTask } from './index-driver.ts'
import { type ArchiveMode, IndexFixture, mergeLog } from './index-fixture.ts'
import { talkBytes } from './talk.ts'

const boat = 'projects/-home-mira-boat'
const choir = 'projects/-home-mira-choir'

export interface IndexCase {
  name: string
  mode: ArchiveMode
  kind: IndexTask['kind']
  /** What SQLite left next to the file is not what belongs to it. */
  isDamaged?: boolean
  prepare(fixture: IndexFixture): Promise<void>
}

function talk(
  session: string,
  seed: number,
  turns: number,
  ending: 'whole' | 'open' | 'torn' | 'glued' = 'whole',
): Buffer {
  return talkBytes({ session, seed, turns, ending })
}

export function fill({ one, two }: IndexFixture): void {
  one.write(`${boat}/${sessionA}.jsonl`, talk(sessionA, 1, 6))
  one.write(
    `${boat}/${sessionA}/subagents/agent-a1.jsonl`,
    talkBytes({ session: sessionA, seed: 2, turns: 2, agent: 'a1' }),
  )
  one.write(`${boat}/${sessionB}.jsonl`, talk(sessionB, 3, 4, 'open'))
  one.write(`${choir}/${sessionC}.jsonl`, talk(sessionC, 4, 3, 'torn'))
  one.write(`${choir}/moving.jsonl`, talk('44444444-4444-4444-8444-444444444444', 5, 2))
  one.write(`${choir}/deleted.jsonl`, talk('55555555-5555-4555-8555-555555555555', 6, 2))
  one.write('history.jsonl', '{"display":"tune the bells","timestamp":1772323200000,"project":"/home/mira/choir"}\n')
  two.write(`${boat}/${sessionA}.jsonl`, talk(sessionA, 1, 4))
  two.write(`${choir}/${sessionC}.jsonl`, talk(sessionC, 7, 2))
}

/** All that clients and people do to files. */
export function change({ one, two }: IndexFixture): void {
  const at = (fixture: Fixture, path: string) => fixture.at(path)
  appendFileSync(at(one, `${boat}/${sessionA}.jsonl`), talk(sessionA, 11, 2, 'torn'))
  truncateSync(at(one, `${boat}/${sessionB}.jsonl`), 700)
  writeFileSync(at(one, `${choir}/${sessionC}.jsonl`), talk(sessionC, 12, 3))
  renameSync(at(one, `${choir}/moving.jsonl`), at(one, `${boat}/moving.jsonl`))
  rmSync(at(one, `${choir}/deleted.jsonl`))
  one.write(`${boat}/new.jsonl`, talk('66666666-6666-4666-8666-666666666666', 13, 2, 'glued'))
  one.append('history.jsonl', '{"display":"and the ropes","timestamp":1772323300000,"project":"/home/mira/boat"}\n')
  two.append(`${boat}/${sessionA}.jsonl`, talk(sessionA, 14, 1))
}

async function filled(fixture: IndexFixture, mode: ArchiveMode): Promise<void> {
  fill(fixture)
  await fixture.refresh(fixture.options(mode))
}

export const indexCases: readonly IndexCase[] = [
  { name: 'a first refresh', mode: 'auto', kind: 'refresh', prepare: async fixture => fill(fixture) },
  {
    name: 'a refresh over files that grew, shrank, were rewritten, moved, deleted and made',
    mode: 'auto',
    kind: 'refresh',
    async prepare(fixture) {
      await filled(fixture, 'auto')
      change(fixture)
    },
  },
  {
    name: 'a refresh after earlier contents were pruned',
    mode: 'auto',
    kind: 'refresh',
    async prepare(fixture) {
      await filled(fixture, 'auto')
      change(fixture)
      await fixture.refresh()
      const archive = fixture.archive()
      await prune(archive, await planPrune(archive, { keepGenerations: 1 }))
    },
  },
  {
    name: 'a refresh without an archive',
    mode: 'off',
    kind: 'refresh',
    async prepare(fixture) {
      await filled(fixture, 'off')
      change(fixture)
    },
  },
  {
    name: 'a rebuild',
    mode: 'auto',
    kind: 'rebuild',
    async prepare(fixture) {
      await filled(fixture, 'auto')
      change(fixture)
      await fixture.refresh()
    },
  },
  {
    name: 'a refresh of a damaged index',
    mode: 'auto',
    kind: 'refresh',
    isDamaged: true,
    async prepare(fixture) {
      await filled(fixture, 'auto')
      mergeLog(fixture.home)
      writeFileSync(currentPath(fixture.home) ?? '', 'this is no database, whatever its name says\n'.repeat(200))
    },
  },
]

/** A fixture in which Clew's folder can be put back to how the task finds it. */
export class PreparedIndex {
  readonly fixture: IndexFixture
  readonly indexCase: IndexCase
  private readonly base: string

  private constructor(fixture: IndexFixture, indexCase: IndexCase) {
    this.fixture = fixture
    this.indexCase = indexCase
    this.base = join(fixture.one.folder, 'base')
  }

  static async make(indexCase: IndexCase): Promise<PreparedIndex> {
    const prepared = new PreparedIndex(new IndexFixture(), indexCase)
    await indexCase.prepare(prepared.fixture)
    const { home } = prepared.fixture
    const filter = (path: string) => indexCase.isDamaged !== true || !/-(wal|shm)$/.test(path)
    if (existsSync(home)) cpSync(home, prepared.base, { recursive: true, preserveTimestamps: true, filter })
    return prepared
  }

  get options(): RefreshOptions {
    return this.fixture.options(this.indexCase.mode)
  }

  get task(): IndexTask {
    const { ops: _ops, onStep: _onStep, ...options } = this.options
    return { kind: this.indexCase.kind, options }
  }

  reset(): void {
    const { home } = this.fixture
    rmSync(home, { recursive: true, force: true })
    if (existsSync(this.base)) cpSync(this.base, home, { recursive: true, preserveTimestamps: true })
  }

  /** No one waits half a minute for a lock that was made but not written to. */
  ageLocks(): void {
    for (const folder of ['index', 'archive']) ageUnwrittenLock(join(this.fixture.home, folder))
  }

  remove(): void {
    this.fixture.remove()
  }
}
