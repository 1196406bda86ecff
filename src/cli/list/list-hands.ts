// Shares the reading of whole sessions among worker threads, the largest first; where there are none, or little is to be
// read, the main thread does it. Then joins the summaries that name sessions of other files.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { OpenPlaces } from '../../archive/read/places.ts'
import { builtWorker } from '../../disk/built-worker.ts'
import { foldersOf, isUnnamed, summariesByFolder } from '../../disk/discover/folder-titles.ts'
import { matcherOf } from '../../grep/pattern.ts'
import type { Finding } from '../../model/finding.ts'
import type { BranchSummary } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { Title } from '../../model/title.ts'
import { bytesOf, type ListRow, rowOfSummary } from './list-row.ts'
import { type Hand, type Scan, Scanner, type ScanOptions } from './list-scan.ts'

/** Starting a thread takes as long as reading about this much. */
const bytesPerWorker = 16 * 1024 * 1024

export interface Task {
  session: SessionFiles
  /** Present where a title is asked for, not a scan. */
  folder?: readonly BranchSummary[]
}
/** What a worker thread starts with. */
export interface Start {
  options: ScanOptions
  /** Opens the same places there: they cannot be handed to another thread. */
  home: string
}
export type Answer = { value: Scan | Title } | { error: string }

export interface WholeList {
  rows: ListRow[]
  findings: Finding[]
}

/** Rows of sessions that were read whole, in their order. `progress` is told how many bytes are done. */
export async function wholeRows(
  sessions: readonly SessionFiles[],
  options: ScanOptions,
  places: OpenPlaces,
  progress: (doneBytes: number) => void = () => {},
): Promise<WholeList> {
  const hands = handsFor(sessions, options, places)
  try {
    const done = await scanAll(sessions, hands, progress)
    await joinFolders(done)
    // The folder may have given a session another title since.
    const matches = matcherOf(options.grep ?? '')
    return {
      rows: done.map(({ session, scan }) => {
        const row = rowOfSummary(session, scan.facts)
        if (scan.isMatch !== undefined) row.isMatch = scan.isMatch || matches(row.title)
        return row
      }),
      findings: done.flatMap(({ scan }) => scan.findings),
    }
  } finally {
    await Promise.all(hands.map(hand => hand.close()))
  }
}

interface Done {
  session: SessionFiles
  scan: Scan
  hand: Hand
}

async function scanAll(
  sessions: readonly SessionFiles[],
  hands: readonly Hand[],
  progress: (doneBytes: number) => void,
): Promise<Done[]> {
  const done: Done[] = []
  const largestFirst = [...sessions.entries()].sort((one, other) => bytesOf(other[1]) - bytesOf(one[1]))
  const waiting = largestFirst.values()
  let bytes = 0
  const work = async (hand: Hand) => {
    for (const [place, session] of waiting) {
      done[place] = { session, scan: await hand.scan(session), hand }
      bytes += bytesOf(session)
      progress(bytes)
    }
  }
  await Promise.all(hands.map(work))
  return done
}

/** A session without a title of its own may have one in another file of its folder. */
async function joinFolders(done: readonly Done[]): Promise<void> {
  const members = done.map(({ session, scan }) => {
    return { id: session.id, folders: foldersOf(session), summaries: scan.summaries }
  })
  const byFolder = summariesByFolder(members)
  if (byFolder.size === 0) return
  for (const { session, scan, hand } of done) {
    if (!isUnnamed(scan.facts)) continue
    const folder = foldersOf(session).flatMap(path => byFolder.get(path) ?? [])
    if (folder.length > 0) Object.assign(scan.facts, await hand.retitle(session, folder))
  }
}

function handsFor(sessions: readonly SessionFiles[], options: ScanOptions, { home, source }: OpenPlaces): Hand[] {
  const file = builtWorker('cli/ls-worker')
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const useful = Math.min(availableParallelism(), sessions.length, Math.floor(bytes / bytesPerWorker))
  if (file === null || useful < 2) return [new Scanner(options, source)]
  return Array.from({ length: useful }, () => new WorkerHand(file, { options, home }))
}

/** A thread that does one task at a time. */
class WorkerHand implements Hand {
  private readonly worker: Worker
  private settle: { done(answer: Answer): void; fail(error: Error): void } | undefined

  constructor(file: string, start: Start) {
    this.worker = new Worker(file, { workerData: start })
    this.worker.on('message', (answer: Answer) => this.settle?.done(answer))
    this.worker.on('error', error => this.settle?.fail(error))
    this.worker.on('exit', () => this.settle?.fail(new Error('a reading thread ended early')))
  }

  async scan(session: SessionFiles): Promise<Scan> {
    return (await this.ask({ session: { ...session, side: [] } })) as Scan
  }

  async retitle(session: SessionFiles, folder: readonly BranchSummary[]): Promise<Title> {
    return (await this.ask({ session: { ...session, side: [] }, folder })) as Title
  }

  async close(): Promise<void> {
    this.settle = undefined
    await this.worker.terminate()
  }

  private async ask(task: Task): Promise<Scan | Title> {
    const answer = await new Promise<Answer>((done, fail) => {
      this.settle = { done, fail }
      this.worker.postMessage(task)
    })
    if ('error' in answer) throw new Error(answer.error)
    return answer.value
  }
}
