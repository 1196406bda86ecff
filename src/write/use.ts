// Whether something may be writing to a session: then no command changes its files. It looks at what Claude Code says of itself,
// at open files where the system lists them, and at the clock.

import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../base/attempt.ts'
import { type Instant, toMillis } from '../base/instant.ts'
import { homeOfLog } from '../disk/discover/homes.ts'
import { sessionInUse } from '../disk/in-use.ts'
import { mainLogs, type SessionFiles } from '../model/source.ts'
import { WriteError } from './wire/error.ts'

/** A session with a record this new may be one that is being written. */
const recentMs = 60_000

/** Why it may be in use; null where nothing says so. `endedAt`: the time of its last record. */
export function useOf(files: SessionFiles, endedAt: Instant, now: number): string | null {
  const paths = mainLogs(files).flatMap(({ path, isArchiveOnly }) => (isArchiveOnly === true ? [] : [path]))
  for (const path of paths) {
    const pid = claudeWith(path, files.id) ?? openedBy(path)
    if (pid !== null) return `process ${pid} has it open`
  }
  if (paths.length === 0) return null
  const age = now - (toMillis(endedAt) ?? Number.NEGATIVE_INFINITY)
  return age >= 0 && age < recentMs ? 'its last record is less than a minute old' : null
}

/** Throws where the session may be in use. */
export function refuseInUse(files: SessionFiles, endedAt: Instant, now: number): void {
  const use = useOf(files, endedAt, now)
  if (use !== null) throw new WriteError('in-use', `${files.id} may be in use: ${use}.`, mainLogs(files)[0]?.path)
}

function claudeWith(path: string, session: string): number | null {
  const home = homeOfLog(path)
  return home === null ? null : sessionInUse(home, session)
}

/** Linux names the open files of the user's processes. */
function openedBy(path: string): number | null {
  const target = attempt(() => realpathSync(path))
  if (process.platform !== 'linux' || target === undefined) return null
  for (const pid of attempt(() => readdirSync('/proc')) ?? []) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    const folder = join('/proc', pid, 'fd')
    const owner = attempt(() => statSync(join('/proc', pid)).uid)
    if (owner !== process.getuid?.() && process.getuid?.() !== 0) continue
    for (const fd of attempt(() => readdirSync(folder)) ?? [])
      if (attempt(() => readlinkSync(join(folder, fd))) === target) return Number(pid)
  }
  return null
}
