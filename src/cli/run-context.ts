// `clew context`: what the reference client would send if it resumed the session now.

import pc from 'picocolors'
import { escapeForLine } from '../base/escape.ts'
import { cutToColumns } from '../base/width.ts'
import { diskSource } from '../disk/read.ts'
import { buildContext } from '../graph/context.ts'
import { loadSession } from '../load/load.ts'
import type { ContextMessage } from '../model/session.ts'
import type { CommandInput, ExitCode } from './command.ts'
import { blockGist } from './event-text.ts'
import { sessionOf } from './input.ts'
import { printJson, printLine } from './output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const session = await sessionOf(args[0], globals)
  const graph = await loadSession(diskSource(), session, { data: options['data'] === true })
  const context = buildContext(graph)
  if (globals.json) {
    await printJson(context)
    return context.resumable ? 0 : 1
  }
  const state = context.resumable
    ? `${context.messages.length} messages`
    : pc.yellow(`not resumable: ${context.reason ?? ''}`)
  await printLine(`${pc.bold(escapeForLine(context.session))}  as client ${context.reference} would send it: ${state}`)
  for (const message of context.messages) await printLine(messageText(message))
  return context.resumable ? 0 : 1
}

function messageText(message: ContextMessage): string {
  const tokens = message.tokens === undefined ? '' : pc.dim(` ${message.tokens} tokens`)
  const synthetic = message.synthetic ? pc.dim(' (put in by the client)') : ''
  const lines = message.blocks.map(block => `    ${cutToColumns(escapeForLine(blockGist(block)), 110)}`)
  return [`${message.role === 'user' ? pc.cyan('user') : pc.magenta('assistant')}${tokens}${synthetic}`, ...lines].join(
    '\n',
  )
}
