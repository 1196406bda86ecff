// What the rules of a profile find in sessions, files, folders and homes. What is read for it is decided in src/check/scan, how
// findings are grouped in src/check/groups.ts.

import { Checker } from '../../check/check.ts'
import { type FindingGroup, groupFindings, selectFindings } from '../../check/groups.ts'
import { checkDiscovery, checkPath, checkWholeSession } from '../../check/scan/scan.ts'
import { saysOf } from '../../check/table.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { Finding, Profile, Severity } from '../../model/finding.ts'
import type { LogRecord } from '../../model/record.ts'
import type { LogFile } from '../../model/source.ts'
import type { CheckReport } from '../../schema/contract-shapes.ts'
import type { Clew, Progress } from '../clew.ts'
import { UserError } from '../error.ts'
import { typedPath } from '../paths.ts'
import { discoverRoots, isPath, sessionOf } from '../sessions/find.ts'

export interface CheckQuery {
  /** Paths, `-` for standard input, and words that name sessions; all homes where there are none. */
  words: readonly string[]
  profile?: Profile | undefined
  /** Findings that are less severe are left out. */
  least?: Severity | undefined
  /** Findings of other rules are left out. */
  rules?: readonly string[]
}

/** `findings` in the order of files, `groups` the worst rule first; sums are of all that was read. */
export async function check(
  clew: Clew,
  { words, profile = 'real', least = 'info', rules = [] }: CheckQuery,
): Promise<CheckReport & { findings: Finding[]; groups: FindingGroup[] }> {
  const unknown = rules.find(rule => saysOf(rule) === undefined)
  if (unknown !== undefined) throw new UserError(`no rule is called "${unknown}"; docs/check.md lists them`)
  const progress = clew.listener.progress('checking')
  const checker = new WatchedChecker(profile, progress)
  try {
    await checkAll(checker, words, clew)
  } finally {
    progress.end()
  }
  const report = checker.report()
  const findings = selectFindings(report.findings, { least, rules })
  return { ...report, findings, groups: groupFindings(findings) }
}

async function checkAll(checker: Checker, words: readonly string[], clew: Clew): Promise<void> {
  if (words.length === 0) {
    const { discoveries } = await discoverRoots(clew)
    for (const discovery of discoveries) await checkDiscovery(checker, discovery, clew)
  }
  for (const word of words) {
    if (isPath(word, clew.tree)) await checkPath(checker, typedPath(word), clew)
    else await checkWholeSession(checker, await sessionOf(word, clew), clew)
  }
}

/** Reports how many bytes are checked. */
class WatchedChecker extends Checker {
  private readonly progress: Progress

  constructor(profile: Profile, progress: Progress) {
    super(profile)
    this.progress = progress
  }

  override record(file: LogFile, record: LogRecord, event: SessionEvent | null, text?: string): void {
    super.record(file, record, event, text)
    this.progress.add(record.bytes)
  }
}
