// `clew resume`: prints the command that resumes a session, or runs it. Whether Claude Code would resume it is computed by
// src/graph/context.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { UserError } from '../../answers/error.ts'
import { closeIndex } from '../../answers/knows/index-use.ts'
import { resumeOf } from '../../answers/session/resume.ts'
import { errorCode } from '../../base/error-code.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { Resume } from '../../schema/contract-shapes.ts'
import { resumeWords, type Shell, shells, usualShell } from '../../session/resume-command.ts'
import type { CommandInput, GlobalOptions } from '../command.ts'
import { flush, printJson, printLine, say } from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<number> {
  const shell = readShell(options['shell'])
  const runs = options['run'] === true
  const { resume: found, obstacles } = await resumeOf(globals.clew, args[0], shell)
  if (globals.json) {
    await printJson(found)
    for (const obstacle of obstacles) say(`clew: ${escapeForLine(obstacle)}`)
    return obstacles.length > 0 ? 1 : 0
  }
  // A command that can never work is none to copy.
  if (!runs && found.resumable) await printLine(found.command)
  for (const obstacle of obstacles) say(`clew: ${escapeForLine(obstacle)}`)
  if (found.cwd === null && found.resumable)
    say('clew: its records name no working directory; run it in the project folder')
  if (obstacles.length > 0) return 1
  return runs ? runClaude(found, globals) : 0
}

/** Runs it with this terminal; the exit code is its own. */
async function runClaude({ cwd, session }: Resume, globals: GlobalOptions): Promise<number> {
  await flush()
  await closeIndex(globals.clew)
  // On Windows `claude` is a script, which needs a shell.
  const isWindows = process.platform === 'win32'
  if (isWindows && !/^[\w.-]+$/.test(session)) throw new UserError(`cannot pass the name ${session} on to claude`)
  const child = spawn('claude', resumeWords(session), { stdio: 'inherit', cwd: cwd ?? process.cwd(), shell: isWindows })
  // The terminal sends Ctrl-C to both; what it means is up to Claude Code.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    return await new Promise<number>((ended, fail) => {
      child.on('error', fail)
      child.on('close', (code, signal) => ended(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
    })
  } catch (error) {
    throw new UserError(`cannot run claude (${errorCode(error)}); is it installed, and in PATH?`)
  } finally {
    process.off('SIGINT', ignore)
  }
}

function readShell(value: unknown): Shell {
  if (value === undefined) return usualShell(process.platform)
  const known = shells.find(shell => shell === value)
  if (known === undefined) throw new UserError(`Invalid --shell "${value}". One of: ${shells.join(', ')}`)
  return known
}
