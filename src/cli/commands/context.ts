// `clew context`: what Claude Code would send if it resumed the session now, and what fills it. The JSON is the
// messages whole; the text says where the tokens go.

import pc from 'picocolors'
import { contextOf } from '../../answers/session/context.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countText, percent } from '../../base/format.ts'
import { cutToColumns } from '../../base/width.ts'
import type { Context, ContextMessage } from '../../model/session.ts'
import { chartLines, wrapWords } from '../../render/terminal/charts.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import type { MakeUp, MakeUpPart } from '../../session/make-up.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { blockGist } from '../session/event-text.ts'
import { isOutputClosed, printJson, printLine, say } from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const { context, ...about } = await contextOf(globals.clew, args[0], { data: options['data'] === true })
  if (globals.json) {
    await printJson(context)
    if (context.resumable) return 0
    say(`clew: not resumable: ${escapeForLine(context.reason ?? '')}`)
    return 1
  }
  const columns = outputWidth()
  const title = (await about.title()).replace(/\s+/g, ' ')
  await printLine(pc.bold(cutToColumns(escapeForLine(title), columns)))
  await printLine(pc.dim(cutToColumns(escapeForLine(context.session), columns)))
  if (!context.resumable) {
    const reason = `not resumable: ${escapeForLine(context.reason ?? '')}`
    for (const line of wrapWords(reason, columns)) await printLine(pc.yellow(line))
    return 1
  }
  const makeUp = about.makeUp()
  for (const line of head(context, makeUp, about.window())) await printLine(cutToColumns(line, columns))
  for (const why of context.partial ?? [])
    for (const line of wrapWords(`partial: ${escapeForLine(why)}`, columns)) await printLine(pc.yellow(line))
  await printLine('')
  for (const line of makeUpLines(makeUp, columns)) await printLine(line)
  if (options['messages'] === true) {
    await printLine('')
    for (const [i, message] of context.messages.entries()) {
      if (isOutputClosed()) break
      for (const line of messageLines(message, makeUp.messages[i], columns)) await printLine(line)
    }
  }
  return 0
}

function* head({ messages, reference }: Context, makeUp: MakeUp, window: number | null): Generator<string> {
  const tokens = tokensText(makeUp.tokens, makeUp.isEstimated)
  const share = window === null ? '' : `, ${percent(makeUp.tokens / window)} of the window (${countText(window)})`
  yield `${countText(messages.length)} messages, ${tokens} tokens${share}`
  yield `as Claude Code ${reference} would send them`
  const { lastRequestTokens } = makeUp
  if (lastRequestTokens === undefined) return
  yield `the API counted ${countText(lastRequestTokens)} of them at the last answer`
}

function tokensText(tokens: number, isEstimated: boolean): string {
  return `${isEstimated ? '~' : ''}${countText(tokens)}`
}

const names: Record<MakeUpPart['kind'], string> = {
  system: 'system prompt, tools',
  prompts: 'prompts',
  answers: 'answers',
  thinking: 'thinking',
  calls: 'calls',
  output: 'output',
  summaries: 'summaries',
  attachments: 'attachments',
  commands: 'commands',
  notifications: 'notifications',
  media: 'images, documents',
  client: 'notes of Claude Code',
  'not-itemised': 'not itemised',
}

/** Smaller parts are summed up. */
const mostParts = 12

function makeUpLines(makeUp: MakeUp, columns: number): Iterable<string> {
  const rows = makeUp.parts.map(part => ({
    label: escapeForLine(part.tool === undefined ? names[part.kind] : `${names[part.kind]}: ${part.tool}`),
    value: part.tokens,
    cells: [
      tokensText(part.tokens, part.isEstimated),
      percent(makeUp.tokens === 0 ? 0 : part.tokens / makeUp.tokens),
      countText(part.blocks),
    ],
  }))
  const rest = (others: readonly { value: number }[]) => {
    const tokens = others.reduce((sum, { value }) => sum + value, 0)
    return `… ${countText(others.length)} smaller, ${countText(tokens)} tokens together`
  }
  return chartLines({ title: 'Contents', heads: ['tokens', 'share', 'blocks'], rows, most: mostParts, rest }, columns)
}

function roleText(role: ContextMessage['role']): string {
  if (role === 'system') return pc.dim('system')
  return role === 'user' ? pc.cyan('user') : pc.magenta('assistant')
}

function* messageLines(
  message: ContextMessage,
  weight: MakeUp['messages'][number] | undefined,
  columns: number,
): Generator<string> {
  const tokens = weight === undefined ? '' : pc.dim(` ${tokensText(weight.tokens, weight.isEstimated)} tokens`)
  const synthetic = message.synthetic ? pc.dim(' (added by Claude Code)') : ''
  yield `${roleText(message.role)}${tokens}${synthetic}`
  for (const block of message.blocks) yield `    ${cutToColumns(escapeForLine(blockGist(block)), columns - 4)}`
}
