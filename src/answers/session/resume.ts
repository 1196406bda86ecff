// Whether and how Claude Code would resume a session: the folder to go to, the words to type, and what is in the way. It runs
// nothing.

import { isFolder } from '../../disk/discover/homes.ts'
import { buildContext } from '../../graph/context/context.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { Resume } from '../../schema/contract-shapes.ts'
import { loadSession } from '../../session/load.ts'
import { resumeCommand, resumeFolder, type Shell } from '../../session/resume-command.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { sessionOf } from '../sessions/find.ts'
import { archiveFactsOf } from './detail.ts'

/** `word` names the session; the latest where absent. `obstacles`: why Claude Code would not resume it now, and what helps. */
export async function resumeOf(
  clew: Clew,
  word: string | undefined,
  shell: Shell,
): Promise<{ resume: Resume; obstacles: readonly string[] }> {
  const files = await sessionOf(word, clew)
  const graph = await loadSession(clew.source, files)
  const { resumable, reason } = buildContext(graph)
  const cwd = resumeFolder(graph, files.slug)
  const session = nameOf(files)
  const { onDisk } = await archiveFactsOf(files, clew)
  const resume: Resume = {
    session,
    cwd,
    hasFolder: cwd !== null && isFolder(cwd),
    shell,
    command: quoted(shell, cwd, session),
    resumable,
    ...(reason !== undefined && { reason }),
    onDisk,
  }
  return { resume, obstacles: [...obstaclesTo(resume, files)] }
}

function* obstaclesTo({ resumable, reason, onDisk, cwd, hasFolder }: Resume, files: SessionFiles): Generator<string> {
  if (!resumable) yield `Claude Code would not resume it: ${reason ?? 'unknown reason'}`
  if (!onDisk) yield `its files are no longer on disk; clew archive restore ${files.id} restores them`
  if (cwd !== null && !hasFolder) yield `the folder ${cwd} does not exist`
}

/** Claude Code finds a session by the name of its file. */
function nameOf(files: SessionFiles): string {
  const main = files.logs.find(log => log.role === 'session')
  return main?.nameSession ?? files.id
}

function quoted(shell: Shell, cwd: string | null, session: string): string {
  try {
    return resumeCommand(shell, cwd, session)
  } catch (error) {
    throw error instanceof RangeError ? new UserError(error.message) : error
  }
}
