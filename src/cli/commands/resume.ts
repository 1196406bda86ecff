// `clew resume`: prints the command that resumes a session. It runs nothing itself.

import { escapeForLine } from '../../base/escape.ts'
import { isFolder } from '../../disk/discover/homes.ts'
import { buildContext } from '../../graph/context/context.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { Resume } from '../../schema/contract-shapes.ts'
import { loadSession } from '../../session/load.ts'
import { resumeCommand, type Shell, shells } from '../../session/resume-command.ts'
import { type CommandInput, type ExitCode, UserError } from '../command.ts'
import { sessionOf } from '../input.ts'
import { archiveFactsOf } from '../session/detail.ts'
import { printJson, printLine, say } from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const shell = readShell(options['shell'])
  const files = await sessionOf(args[0], globals)
  const graph = await loadSession(globals.source, files)
  const context = buildContext(graph)
  const cwd = folderOf(graph, files.slug)
  const session = nameOf(files)
  const hasFolder = cwd !== null && isFolder(cwd)
  const command = quoted(shell, cwd, session)
  const { onDisk } = await archiveFactsOf(files, globals)
  if (globals.json) {
    const { resumable, reason } = context
    const why = reason === undefined ? {} : { reason }
    const printed: Resume = { session, cwd, hasFolder, shell, command, resumable, ...why, onDisk }
    await printJson(printed)
    return 0
  }
  await printLine(command)
  if (!onDisk) {
    say(`clew: its files are no longer on disk; clew archive restore ${escapeForLine(files.id)} restores them`)
  }
  if (!context.resumable)
    say(`clew: Claude Code would not resume it: ${escapeForLine(context.reason ?? 'unknown reason')}`)
  if (cwd === null) say('clew: its records name no working directory; run it in the project folder')
  else if (!hasFolder) say(`clew: the folder ${escapeForLine(cwd)} does not exist`)
  return 0
}

function readShell(value: unknown): Shell {
  if (value === undefined) return process.platform === 'win32' ? 'powershell' : 'posix'
  const known = shells.find(shell => shell === value)
  if (known === undefined) throw new UserError(`Invalid --shell "${value}". One of: ${shells.join(', ')}`)
  return known
}

/** Claude Code finds a session by the name of its file. */
function nameOf(files: SessionFiles): string {
  const main = files.logs.find(log => log.role === 'session')
  return main?.nameSession ?? files.id
}

/**
 * Claude Code looks in the project folder of the directory that it is started in. A session may have changed its directory:
 * the one that its project folder is named after counts, else the first.
 */
function folderOf(graph: SessionGraph, slug: string): string | null {
  const folders = new Set<string>()
  for (const event of graph.events) if (event.cwd !== undefined) folders.add(event.cwd)
  const all = [...folders]
  return all.find(folder => folder.replace(/[^A-Za-z0-9]/g, '-') === slug) ?? all[0] ?? null
}

function quoted(shell: Shell, cwd: string | null, session: string): string {
  try {
    return resumeCommand(shell, cwd, session)
  } catch (error) {
    throw error instanceof RangeError ? new UserError(error.message) : error
  }
}
