// A process of its own that does one thing to one index, and dies by SIGKILL at the given point.
//   node index-driver.js TASK [KILL]   both JSON
// It prints `DONE` with a report, `STEPS` with the names of all steps where it is asked for them, `SEEN` with what a reader
// found, or `FAILED` with the error. It judges nothing.

import { writeSync } from 'node:fs'
import { FileError } from '../../src/files/error.ts'
import { realOps, type WriteOps } from '../../src/files/ops.ts'
import { type RefreshOptions, rebuildIndex, refreshIndex } from '../../src/index/refresh/refresh.ts'
import { UnusableIndexError } from '../../src/index/store/open.ts'
import { isSqliteError } from '../../src/index/store/port.ts'
import { NewerIndexError } from '../../src/index/store/schema.ts'
import { harmless, watchedOps } from '../archive/operate.ts'
import { Reader } from './reader.ts'

export interface IndexTask {
  kind: 'refresh' | 'rebuild' | 'read'
  options: Pick<RefreshOptions, 'home' | 'roots' | 'isScoped' | 'archiveRoots' | 'waitMs'>
  isCounting?: boolean
  /** How long to continue with it. */
  forMs?: number
}

export interface Kill {
  /** Before the step of this number, from 1. */
  at: number
}

/** Counts every call and statement that changes something, and dies before the one that is asked for. */
class Steps {
  readonly names: string[] = []
  private readonly at: number | undefined

  constructor(kill: Kill | undefined) {
    this.at = kill?.at
  }

  readonly note = (what: string): void => {
    this.names.push(what.slice(0, 40))
    if (this.names.length !== this.at) return
    process.kill(process.pid, 'SIGKILL')
    // The signal may take a moment; nothing else may happen in it.
    for (;;);
  }

  ops(): WriteOps {
    // A kill loses nothing that the system has taken, so that no one needs to wait for the disk.
    const quick: WriteOps = { ...realOps, sync() {}, syncFolder() {} }
    return watchedOps(quick, { before: call => void (harmless.has(call) || this.note(`ops ${call}`)) })
  }
}

function print(what: string, value: unknown): void {
  writeSync(1, `${what} ${JSON.stringify(value)}\n`)
}

/** Whether it says what is wrong in its own words or in SQLite's. */
function isClear(error: unknown): boolean {
  if (error instanceof FileError || error instanceof UnusableIndexError || error instanceof NewerIndexError) return true
  return isSqliteError(error)
}

async function work(task: IndexTask, kill: Kill | undefined): Promise<void> {
  const steps = new Steps(kill)
  const isWatched = kill !== undefined || task.isCounting === true
  const options: RefreshOptions = isWatched ? { ...task.options, ops: steps.ops(), onStep: steps.note } : task.options
  const end = Date.now() + (task.forMs ?? 0)
  do {
    const { archived, ...report } = await (task.kind === 'rebuild' ? rebuildIndex(options) : refreshIndex(options))
    if (archived?.failure !== undefined) throw archived.failure
    print('DONE', report)
  } while (Date.now() < end)
  if (task.isCounting === true) print('STEPS', steps.names)
}

const [task, kill] = process.argv.slice(2).map(text => JSON.parse(text)) as [IndexTask, Kill | undefined]
try {
  if (task.kind === 'read') print('SEEN', await new Reader(task.options.home).readFor(task.forMs ?? 0))
  else await work(task, kill)
} catch (error) {
  print('FAILED', { isClear: isClear(error), message: String(error) })
  process.exitCode = 1
}
