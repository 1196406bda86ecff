// What the rules of a profile find in sessions, files, folders and homes, read in the worker pool. What is read for it is
// decided in src/check/scan, how findings are grouped in src/check/groups.ts.

import { type OpenPlaces, type PlacesKey, placesKey, placesOf } from '../../archive/read/places.ts'
import { type Checked, Checker } from '../../check/check.ts'
import { type FindingGroup, groupFindings, selectFindings } from '../../check/groups.ts'
import { bytesOfJob, type CheckJob, jobsOfDiscovery, jobsOfPath, jobsOfSession, runJob } from '../../check/scan/scan.ts'
import { saysOf } from '../../check/table.ts'
import type { Finding, Profile, Severity } from '../../model/finding.ts'
import type { CheckReport } from '../../schema/contract-shapes.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'
import type { Clew } from '../clew.ts'
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
  const checker = new Checker(profile)
  const jobs = await jobsOf(checker, words, clew)
  const progress = clew.listener.progress('checking')
  try {
    await checkJobs(checker, jobs, clew, bytes => progress.add(bytes))
  } finally {
    progress.end()
  }
  const report = checker.report()
  const findings = selectFindings(report.findings, { least, rules })
  return { ...report, findings, groups: groupFindings(findings) }
}

async function jobsOf(checker: Checker, words: readonly string[], clew: Clew): Promise<CheckJob[]> {
  const jobs: CheckJob[][] = []
  if (words.length === 0) {
    const { discoveries } = await discoverRoots(clew)
    for (const discovery of discoveries) jobs.push(await jobsOfDiscovery(checker, discovery, clew.tree))
  }
  for (const word of words) {
    if (isPath(word, clew.tree)) jobs.push(await jobsOfPath(checker, typedPath(word), clew))
    else jobs.push(await jobsOfSession(checker, await sessionOf(word, clew), clew.tree))
  }
  return jobs.flat()
}

interface CheckArgs {
  key: PlacesKey
  profile: Profile
  job: CheckJob
}

/** Its messages are numbers of bytes that were read. */
export const checkTask: Task<CheckArgs, Checked, number> = {
  name: 'check/job',
  async run({ key, profile, job }, emit) {
    return runJob(job, profile, (await placesOf(key)).source, emit)
  },
}

/** Less is read in this thread: starting others takes as long. */
const leastShared = 8 * 1024 * 1024

/** Does jobs in the worker pool, and adds what each found in the order of the jobs, whichever ended first. */
export async function checkJobs(
  checker: Checker,
  jobs: readonly CheckJob[],
  { home, source }: Pick<OpenPlaces, 'home' | 'source'>,
  onBytes: (bytes: number) => void | Promise<void>,
): Promise<void> {
  const { profile } = checker
  const checked = new Map<CheckJob, Checked>()
  for (const job of jobs) if (job.kind === 'stdin') checked.set(job, await runJob(job, profile, source, onBytes))
  // No large session is left for the end, when other threads have nothing to do.
  const rest = jobs.filter(job => !checked.has(job)).sort((one, other) => bytesOfJob(other) - bytesOfJob(one))
  const bytes = rest.reduce((sum, job) => sum + bytesOfJob(job), 0)
  const pool = new WorkerPool(bytes < leastShared ? { size: 0 } : {})
  const key = placesKey(home)
  try {
    let at = 0
    const args = rest.map(job => ({ key, profile, job }))
    for await (const part of pool.map(checkTask, args, { onMessage: onBytes }))
      checked.set(rest[at++] as CheckJob, part)
  } finally {
    await pool.close()
  }
  for (const job of jobs) checker.add(checked.get(job) as Checked)
}
