// Invented records of sessions, made from a number: the same number gives the same records, uuids included, so that copies
// and duplicates come about by themselves. It writes no file.

import { Dice, recordLine } from '../archive/fixture.ts'

/** How the bytes end. */
export const endings = ['whole', 'whole', 'whole', 'open', 'torn', 'glued'] as const

export interface Talk {
  session: string
  seed: number
  turns: number
  ending?: (typeof endings)[number]
  cwd?: string
  agent?: string
  /** Bytes of one long text in it. */
  long?: number
}

const words =
  'harbour boat mast sail rope choir bells organ psalm tuning naïve Grüße 日本語 東京 💡 foo_bar camelCase src/deck/hull.ts v1.2.3'.split(
    ' ',
  )

export function uuidOf(seed: number, n: number): string {
  return `${String(seed).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`
}

/** Lines of one stretch of a session; a torn one lacks its second half, a glued one its newline between two records. */
export function talkBytes(talk: Talk): Buffer {
  const writer = new TalkWriter(talk)
  for (let turn = 0; turn < talk.turns; turn++) writer.turn(turn)
  const text = writer.lines.map(line => `${line}\n`).join('')
  const { ending = 'whole' } = talk
  if (ending === 'whole') return Buffer.from(text)
  const whole = text.slice(0, -1)
  if (ending === 'open') return Buffer.from(whole)
  if (ending === 'glued') return Buffer.from(`${whole}${recordLine(talk.session, '/home/mira/boat')}`)
  const bytes = Buffer.from(whole)
  return bytes.subarray(0, bytes.length - 1 - (talk.seed % 40))
}

class TalkWriter {
  readonly lines: string[] = []
  private readonly talk: Talk
  private readonly dice: Dice
  private n = 0
  private parent: string | null = null

  constructor(talk: Talk) {
    this.talk = talk
    this.dice = new Dice(talk.seed)
  }

  turn(number: number): void {
    const { seed, long = 0 } = this.talk
    this.chain('user', { role: 'user', content: this.text(6) })
    this.answer([{ type: 'text', text: this.text(12) }])
    const call = `toolu_${seed}_${number}`
    const isTask = this.dice.below(6) === 0
    const input = isTask
      ? { prompt: this.text(5), description: 'look', subagent_type: 'x' }
      : { command: `ls ${this.text(2)}` }
    this.answer([{ type: 'tool_use', id: call, name: isTask ? 'Task' : 'Bash', input }])
    const output = number === 0 && long > 0 ? 'lorem ipsum '.repeat(Math.ceil(long / 12)) : this.text(30)
    const isError = this.dice.below(4) === 0
    this.chain('user', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call, content: output, is_error: isError }],
    })
    this.extra()
  }

  /** Lines that are no part of the conversation: titles, summaries, last-wins states, blanks and things unknown. */
  private extra(): void {
    const { session, seed } = this.talk
    const leafUuid = uuidOf(this.dice.below(12), this.dice.below(8))
    const choices: (object | string)[] = [
      { type: 'summary', summary: `Title ${this.text(2)}`, leafUuid },
      { type: 'custom-title', customTitle: this.text(2), sessionId: session },
      { type: 'last-prompt', lastPrompt: this.text(3), sessionId: session },
      {
        type: 'queue-operation',
        operation: 'enqueue',
        content: this.text(3),
        sessionId: session,
        timestamp: this.time(),
      },
      { type: 'from-the-future', value: { seed } },
      { type: 'permission-mode', permissionMode: `mode-${seed % 3}`, sessionId: session },
      '',
      '{"type":"user", broken',
    ]
    for (let count = this.dice.below(3); count > 0; count--) {
      const chosen = choices[this.dice.below(choices.length)] ?? ''
      this.lines.push(typeof chosen === 'string' ? chosen : JSON.stringify(chosen))
    }
  }

  private answer(content: object[]): void {
    const usage = { input_tokens: this.dice.below(900), output_tokens: this.dice.below(90) }
    const id = `msg_${this.talk.seed}_${this.n}`
    this.chain('assistant', { id, role: 'assistant', model: `model-${this.dice.below(3)}`, content, usage })
  }

  private chain(type: string, message: object): void {
    const { session, seed, cwd = '/home/mira/boat', agent } = this.talk
    const uuid = uuidOf(seed, this.n++)
    // Sometimes a rewind: another branch.
    const parentUuid = this.n > 4 && this.dice.below(9) === 0 ? uuidOf(seed, this.dice.below(this.n - 1)) : this.parent
    const side = agent === undefined ? { isSidechain: false } : { isSidechain: true, agentId: agent }
    const fields = { type, uuid, parentUuid, sessionId: session, cwd, version: '2.1.0', timestamp: this.time() }
    this.lines.push(JSON.stringify({ ...fields, ...side, message }))
    this.parent = uuid
  }

  private time(): string {
    const ms = Date.UTC(2026, 2, 1) + this.talk.seed * 3_600_000 + this.lines.length * 1500
    return new Date(ms).toISOString()
  }

  private text(count: number): string {
    return Array.from({ length: 1 + this.dice.below(count) }, () => words[this.dice.below(words.length)]).join(' ')
  }
}
