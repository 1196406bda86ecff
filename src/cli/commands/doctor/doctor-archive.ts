// What `clew doctor` says about the archive: whether there is one, what it holds, when it was last brought up to date, and
// whether its manifest is intact. It reads no pack: `clew archive verify` does.

import { statSync } from 'node:fs'
import type { Archive } from '../../../archive/store/archive.ts'
import type { SessionFiles } from '../../../model/source.ts'
import { type GlobalOptions, UserError } from '../../command.ts'
import { readConfig } from '../../config.ts'
import { isOnDisk } from '../../list/list-row.ts'
import type { Problem } from './doctor-problem.ts'

/** The `archive` of `clew doctor --json`. */
export interface ArchiveReport {
  /** Null where nothing was ever kept. */
  path: string | null
  /** `auto` where the config says nothing, null where it cannot be read. */
  mode: string | null
  /** Sessions that it holds, and those of them that are no longer on disk. */
  sessions: number
  gone: number
  /** When homes were last looked through for what is new; null where they never were. */
  lastRun: string | null
  /** What is wrong with the manifest. */
  damage: { segment: string; problem: string }[]
  /** Sessions that the client will delete within a week and that are not kept. */
  atRisk: number
}

export async function examineArchive(
  globals: GlobalOptions,
  sessions: readonly SessionFiles[],
): Promise<{ report: Omit<ArchiveReport, 'atRisk'>; problems: Problem[] }> {
  const report = {
    path: globals.archive?.layout.folder ?? null,
    mode: modeOf(globals),
    sessions: 0,
    gone: sessions.filter(session => !isOnDisk(session)).length,
    lastRun: null,
    damage: [],
  }
  const { archive } = globals
  if (archive === undefined) return { report, problems: [] }
  const { ArchiveError } = await import('../../../archive/format/error.ts')
  try {
    const damage = archive.manifest.damage.map(({ segment, problem }) => ({ segment, problem }))
    const kept = { ...report, sessions: await keptSessions(archive), lastRun: lastRunOf(archive), damage }
    return { report: kept, problems: damage.length > 0 ? [damaged(archive, damage.length)] : [] }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    return { report, problems: [unreadable(error.message)] }
  }
}

function modeOf({ home }: GlobalOptions): string | null {
  try {
    const mode = readConfig(home)['archive']
    return typeof mode === 'string' ? mode : 'auto'
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

/** By the names and heads of main files, which the manifest tells. */
async function keptSessions({ manifest }: Archive): Promise<number> {
  const { isMainLog } = await import('../../../archive/capture/rules.ts')
  const sessions = new Set<string>()
  for (const { home, path, facts } of manifest.catalog.generations.values()) {
    if (!isMainLog(path) || facts?.isHistory === true) continue
    sessions.add(`${home}\0${facts?.session ?? path}`)
  }
  return sessions.size
}

/** Every run writes down what it saw, also where nothing was new. */
function lastRunOf({ layout, manifest }: Archive): string | null {
  let last = statSync(layout.seen, { throwIfNoEntry: false })?.mtimeMs ?? 0
  for (const { keptMs, origin } of manifest.catalog.generations.values()) {
    if (origin === undefined) last = Math.max(last, keptMs)
  }
  return last === 0 ? null : new Date(last).toISOString()
}

function damaged({ layout }: Archive, segments: number): Problem {
  return {
    code: 'archive-damaged',
    severity: 'error',
    losesData: true,
    message: `The archive's manifest is damaged: ${segments} of its files in ${layout.manifest}.`,
    remedy: 'clew archive verify tells which sessions suffer; clew archive run keeps again what is still on disk',
  }
}

function unreadable(message: string): Problem {
  return {
    code: 'archive-unreadable',
    severity: 'error',
    losesData: false,
    message: `The archive cannot be read: ${message.replace(/\.$/, '')}.`,
    remedy: 'Until then only what is on disk is shown.',
  }
}
