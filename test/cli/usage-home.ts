// A made-up Claude home for tests of usage: answers with tokens at given times, in any session, with any names.

import { join } from 'node:path'
import { writeLines } from './ls-home.ts'

export interface Answer {
  at: string | number
  /** Input and output; 1,000 each where absent. */
  tokens?: readonly [input: number, output: number]
  model?: string
  cwd?: string
  /** Tools that it calls. */
  tools?: readonly string[]
  version?: string
  costUSD?: number
  more?: Record<string, unknown>
}

export const usageSession = 'abababab-0000-4000-8000-000000000001'

/** One session with these answers, a prompt before them. */
export function writeAnswers(home: string, answers: readonly Answer[], session = usageSession): void {
  const common = { sessionId: session, isSidechain: false, userType: 'external' }
  const prompt = { role: 'user', content: 'Count the rolls' }
  const lines: Record<string, unknown>[] = [
    { ...common, type: 'user', uuid: `${session}-p`, parentUuid: null, message: prompt, cwd: '/home/mira/shop' },
  ]
  for (const [n, answer] of answers.entries()) {
    const { tokens = [1000, 1000], model = 'claude-opus-5', tools = [], version = '2.1.210' } = answer
    const content = [
      { type: 'text', text: 'Done.' },
      ...tools.map((name, at) => ({ type: 'tool_use', id: `toolu-${session}-${n}-${at}`, name, input: {} })),
    ]
    const usage = { input_tokens: tokens[0], output_tokens: tokens[1] }
    lines.push({
      ...common,
      type: 'assistant',
      uuid: `${session}-${n}`,
      parentUuid: n === 0 ? `${session}-p` : `${session}-${n - 1}`,
      timestamp: new Date(answer.at).toISOString(),
      cwd: answer.cwd ?? '/home/mira/shop',
      version,
      message: { id: `msg-${session}-${n}`, role: 'assistant', model, content, usage },
      ...(answer.costUSD === undefined ? {} : { costUSD: answer.costUSD }),
      ...answer.more,
    })
  }
  writeLines(join(home, 'projects', '-home-mira-shop', `${session}.jsonl`), lines)
}
