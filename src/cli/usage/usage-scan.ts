// Answers what API messages used from the logs themselves, without an index: all logs are scanned by several threads at
// once, and what they state is joined. It sums and prices nothing.

import { ReadError } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { UsageFile, UsageMessage, UsageOccurrence } from '../../model/spent.ts'
import { UsageMerge } from '../../usage/merge.ts'
import { loneRows, statementsOf } from '../../usage/rows.ts'
import type { GlobalOptions } from '../command.ts'
import { startProgress } from '../terminal/progress.ts'
import { areLarge, scanFiles } from './usage-scan-files.ts'
import { ScanHelpers } from './usage-scan-helpers.ts'
import {
  bytesDone,
  jobOf,
  type ScanAsk,
  ScanHand,
  type ScanJob,
  type ScanProblem,
  type ScanShare,
} from './usage-scan-work.ts'

export type { ScanAsk } from './usage-scan-work.ts'

export interface ScannedUsage {
  files: readonly UsageFile[]
  /** What could not be read. */
  findings: Finding[]
  isSample: boolean
  /** Every message once, in no particular order. The object may be used again for the next one. */
  eachMessage(): Iterable<UsageMessage>
  /** The same as a list; made anew each time it is asked for. */
  readonly messages: UsageMessage[]
}

/** Starting a thread takes as long as scanning about this much. */
const bytesPerHelper = 24 * 1024 * 1024
/** After so long the main thread hears what else happens. */
const breathMs = 50

export async function scanUsage(globals: GlobalOptions, ask: ScanAsk): Promise<ScannedUsage> {
  const helpers = new ScanHelpers(globals.home)
  // They get ready while files are looked for.
  if (await areLarge(globals, bytesPerHelper)) helpers.start(1)
  try {
    const { files, findings, isSample } = await scanFiles(globals)
    const total = files.reduce((sum, file) => sum + file.size, 0)
    const job = jobOf(files, ask)
    helpers.start(Math.floor(total / bytesPerHelper))
    const others = helpers.give(job)
    const own = await ownShare(job, globals, total)
    const shares = [own, ...(await others)]
    const problems = shares.flatMap(share => share.problems)
    if (problems.length > 0) findings.push(...(await readFindings(problems)))
    const eachMessage = () => joined(shares, job)
    return {
      files,
      findings,
      isSample,
      eachMessage,
      get messages() {
        return Array.from(eachMessage(), message => ({ ...message }))
      },
    }
  } finally {
    helpers.close()
  }
}

async function ownShare(job: ScanJob, { source, quiet }: GlobalOptions, total: number): Promise<ScanShare> {
  const hand = new ScanHand(job, source)
  const progress = startProgress({ what: 'reading', total, isQuiet: quiet })
  let told = 0
  let heardAt = performance.now()
  try {
    while (hand.step()) {
      if (performance.now() - heardAt < breathMs) continue
      const bytes = bytesDone(job)
      progress.add(bytes - told)
      told = bytes
      await new Promise(heard => setImmediate(heard))
      heardAt = performance.now()
    }
  } finally {
    progress.end()
  }
  return hand.share()
}

/** Most messages stand in one file only and need no joining. */
function* joined(shares: readonly ScanShare[], { files, whole, ask }: ScanJob): Generator<UsageMessage> {
  const tables = shares.flatMap(({ scanned, decoded }) => [
    { table: scanned, isCounted: (file: number) => whole[file] === 0 },
    { table: decoded, isCounted: () => true },
  ])
  const isShown = ask.withTools || ask.withEstimate
  const lone = isShown ? [] : loneRows(tables.map(({ table }) => table))
  const merge = new UsageMerge()
  for (const [n, { table, isCounted }] of tables.entries()) {
    const isLone = lone[n]
    for (const one of statementsOf(table, (row, file) => isLone?.[row] !== 1 && isCounted(file))) merge.add(one)
    if (isLone === undefined) continue
    for (const one of statementsOf(table, (row, file) => isLone[row] === 1 && isCounted(file))) {
      yield loneMessage(one, files)
    }
  }
  yield* merge.eachMessage(files)
}

/** A statement that nothing has to be joined with, as the message that it is about. */
function loneMessage(
  statement: UsageOccurrence & Partial<Pick<UsageMessage, 'session'>>,
  files: readonly UsageFile[],
): UsageMessage {
  statement.session = files[statement.file]?.session ?? ''
  statement.cacheCreation1hTokens = Math.min(statement.cacheCreation1hTokens, statement.cacheCreationTokens)
  return statement as UsageMessage
}

async function readFindings(problems: readonly ScanProblem[]): Promise<Finding[]> {
  const { readFinding } = await import('../session/verdict.ts')
  const byPath = new Map(problems.map(problem => [problem.path, problem]))
  return [...byPath.values()].map(({ path, offset, code }) => readFinding(new ReadError(path, offset, code)))
}
