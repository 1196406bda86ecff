// One very long session of small records: turns of eight events, a prompt, three calls with their results, an answer; some
// calls fail. Each text names its place.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export const longId = 'f0f0f0f0-0000-4000-8000-000000000000'

/** The id of the event at a place. */
export const idAt = at => `f0f0f0f0-0000-4000-8000-${String(at + 1).padStart(12, '0')}`

export function* lines(count) {
  for (let at = 0; at < count; at++) yield `${JSON.stringify(recordAt(at))}\n`
}

/** Writes it into a Claude home. */
export function writeLongSession(home, count) {
  const folder = join(home, 'projects/-home-mira-long')
  mkdirSync(folder, { recursive: true })
  const file = openSync(join(folder, `${longId}.jsonl`), 'w')
  for (const line of lines(count)) writeSync(file, line)
  closeSync(file)
}

function recordAt(at) {
  const turn = Math.floor(at / 8)
  const step = at % 8
  if (step === 0) return user(at, `Prompt number ${at}: go on with part ${turn}.`)
  if (step === 7) {
    const text = `Answer number ${at}. ${'It is **done** and works as asked. '.repeat(turn % 7)}`
    return answer(at, { type: 'text', text })
  }
  const id = `toolu_${at - ((step - 1) % 2)}`
  if (step % 2 === 1) return answer(at, { type: 'tool_use', id, ...callAt(at) })
  const content = `output of ${at}\n`.repeat(1 + (turn % 5))
  return user(at, [{ type: 'tool_result', tool_use_id: id, content, is_error: at % 500 === 2 }])
}

function callAt(at) {
  if (at % 8 !== 3) return { name: 'Bash', input: { command: `npm run part -- ${at}` } }
  return { name: 'Read', input: { file_path: `/home/mira/long/part-${Math.floor(at / 800)}.ts` } }
}

function user(at, content) {
  return { ...common(at), type: 'user', message: { role: 'user', content } }
}

function answer(at, block) {
  const usage = { input_tokens: 3, output_tokens: 9, cache_read_input_tokens: (at % 7200) * 12 }
  const message = {
    id: `msg_${at}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5',
    content: [block],
    usage,
  }
  return { ...common(at), type: 'assistant', message }
}

function common(at) {
  return {
    parentUuid: at === 0 ? null : idAt(at - 1),
    uuid: idAt(at),
    sessionId: longId,
    cwd: '/home/mira/long',
    version: '2.1.210',
    isSidechain: false,
    timestamp: new Date(Date.UTC(2026, 4, 1) + at * 900).toISOString(),
  }
}
