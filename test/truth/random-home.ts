// Claude homes with random shapes, as Claude Code, syncs, forks and hands leave them: equal ids, copies, rewinds, compactions,
// subagents of every kind, torn lines, odd times and numbers. One seed gives one home, always.

import type { Home } from '../specs/home.ts'

type Wire = Record<string, unknown>

/** Numbers from a seed (mulberry32). */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  /** From 0 up to it. */
  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  chance(of: number): boolean {
    return this.next() < of
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }
}

const places = [
  ['-home-nia-shop', '/home/nia/shop'],
  ['-home-nia-old-shop', '/home/nia/old/shop'],
  ['-home-nia-shop-web', '/home/nia/shop/web'],
  ['-srv-1', '/srv/1'],
  ['C--Users-nia-shop', 'C:\\Users\\nia\\shop'],
  ['published', '/w/app'],
] as const

const versions = ['1.0.3', '1.0.128', '2.0.77', '2.1.20', '2.1.100', '2.1.219']
const models = ['claude-sonnet-4-5-20250929', 'claude-opus-4-6', 'claude-haiku-4-5', '<synthetic>', 'unknown-model']
const words = ['bake', 'peel', 'count', 'the rolls', 'error', 'cook', 'naïve Straße', 'x'.repeat(200)]

/** One log while it is made. */
interface Log {
  id: string
  cwd: string | null
  lines: (Wire | string)[]
  /** Uuids of the main thread. */
  chain: string[]
}

export class RandomHome {
  private readonly dice: Dice
  private readonly files: Record<string, string> = {}
  private readonly logs: { log: Log; path: string; slug: string }[] = []
  private count = 0
  private ms: number
  private version = '2.1.100'

  constructor(seed: number) {
    this.dice = new Dice(seed)
    this.ms = Date.UTC(2026, this.dice.below(10), 1 + this.dice.below(28), this.dice.below(24))
  }

  home(): Home {
    const { dice } = this
    const sessions = 1 + dice.below(4)
    for (let n = 0; n < sessions; n++) this.addSession()
    for (let n = dice.below(4); n > 0; n--) this.addCopy()
    if (dice.chance(0.5)) this.addHistory()
    return this.files
  }

  private uuid(): string {
    const number = Math.imul(++this.count, 2654435761) >>> 0
    return `${number.toString(16).padStart(8, '0')}-0000-4000-8000-${String(this.count).padStart(12, '0')}`
  }

  private sessionId(): string {
    const first = this.dice.below(16).toString(16).repeat(8)
    return `${first}-0000-4000-8000-${String(this.dice.below(90)).padStart(12, '0')}`
  }

  private time(): Wire {
    const { dice } = this
    this.ms += dice.below(120_000)
    if (dice.chance(0.01)) return {}
    if (dice.chance(0.01)) return { timestamp: 'yesterday' }
    if (dice.chance(0.01)) return { timestamp: new Date(this.ms - 86_400_000).toISOString() }
    if (dice.chance(0.005)) return { timestamp: '2027-08-01T00:00:00.000Z' }
    return { timestamp: new Date(this.ms).toISOString() }
  }

  private addSession(): void {
    const { dice } = this
    this.version = dice.pick(versions)
    const known = this.logs.length > 0 && dice.chance(0.2) ? dice.pick(this.logs).log.id : undefined
    const [slug, cwd] = dice.pick(places)
    const id = known ?? this.sessionId()
    const log: Log = { id, cwd: dice.chance(0.15) ? null : cwd, lines: [], chain: [] }
    if (dice.chance(0.2)) log.lines.push({ type: 'mode', mode: 'normal', sessionId: id })
    for (let turn = 1 + dice.below(4); turn > 0; turn--) this.addTurn(log, slug)
    if (dice.chance(0.2)) log.lines.push({ type: 'summary', summary: 'A summary', leafUuid: log.chain.at(-1) })
    if (dice.chance(0.1)) log.lines.push({ type: 'custom-title', customTitle: 'A name', sessionId: id })
    this.put(log, slug)
  }

  private put(log: Log, slug: string): void {
    const path = `projects/${slug}/${log.id}.jsonl`
    if (this.files[path] !== undefined) return
    this.logs.push({ log, path, slug })
    let text = log.lines.map(line => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
    if (this.dice.chance(0.1)) text = text.slice(0, -1 - this.dice.below(60))
    this.files[path] = text
  }

  private record(log: Log, type: string, fields: Wire): string {
    const { dice } = this
    const uuid = dice.chance(0.01) && log.chain.length > 0 ? dice.pick(log.chain) : this.uuid()
    const place = log.cwd === null ? {} : { cwd: dice.chance(0.05) ? `${log.cwd}/sub` : log.cwd, gitBranch: 'main' }
    const envelope = { type, uuid, parentUuid: log.chain.at(-1) ?? null, sessionId: log.id, isSidechain: false }
    log.lines.push({ ...envelope, ...place, version: this.version, userType: 'external', ...this.time(), ...fields })
    log.chain.push(uuid)
    return uuid
  }

  private addTurn(log: Log, slug: string): void {
    const { dice } = this
    // Back to an earlier record: what came after is another branch.
    if (dice.chance(0.15) && log.chain.length > 2) log.chain.push(dice.pick(log.chain))
    if (dice.chance(0.1) && log.chain.length > 0) this.addCompaction(log)
    this.addPrompt(log)
    for (let n = dice.below(4); n > 0; n--) this.addStep(log, slug)
    if (dice.chance(0.85)) this.addAnswer(log, [{ type: 'text', text: `Done: ${dice.pick(words)}` }])
    if (dice.chance(0.05)) log.lines.push(dice.pick(['{"type":"user","mess', '', 'null', '[1]', '\u0000\u0000']))
  }

  private addPrompt(log: Log): void {
    const { dice } = this
    const text = `${dice.pick(words)} ${this.count}`
    const form = dice.below(10)
    const content =
      form === 0
        ? [
            { type: 'text', text: `<ide_opened_file>The user opened a.ts</ide_opened_file>` },
            { type: 'text', text },
          ]
        : form === 1
          ? `<command-name>/review</command-name>\n<command-args>${text}</command-args>`
          : form === 2
            ? [{ type: 'text', text }]
            : text
    const meta = dice.chance(0.05) ? { isMeta: true } : {}
    this.record(log, 'user', { message: { role: 'user', content }, ...meta })
    if (dice.chance(0.05)) {
      const queued = { sessionId: log.id, ...this.time(), content: `queued ${this.count}` }
      log.lines.push({ type: 'queue-operation', operation: 'enqueue', ...queued })
    }
  }

  private usage(): Wire {
    const { dice } = this
    const tokens = () => (dice.chance(0.01) ? 9e15 : dice.below(5000))
    const usage: Wire = { input_tokens: tokens(), output_tokens: dice.below(900) }
    if (dice.chance(0.8))
      Object.assign(usage, { cache_creation_input_tokens: tokens(), cache_read_input_tokens: tokens() })
    return usage
  }

  /** Over one or several records, with one usage that grows or stays. */
  private addAnswer(log: Log, blocks: Wire[], fields: Wire = {}): void {
    const { dice } = this
    const id = dice.chance(0.9) ? `msg_01RandomRandomRandom${++this.count}` : `msg_${this.count}`
    const api = { id, type: 'message', role: 'assistant', model: dice.pick(models), stop_reason: null }
    const request = dice.chance(0.9) ? { requestId: `req_${id}` } : {}
    const usage = this.usage()
    const all = dice.chance(0.4) ? [{ type: 'thinking', thinking: 'Let me see', signature: 'c2ln' }, ...blocks] : blocks
    for (const [n, block] of all.entries()) {
      const isLast = n === all.length - 1
      const message = { ...api, content: [block], usage, ...(isLast && { stop_reason: 'end_turn' }) }
      const cost = dice.chance(0.05) ? { costUSD: 0.01 } : {}
      this.record(log, 'assistant', { message, ...request, ...cost, ...fields })
    }
  }

  private addStep(log: Log, slug: string): void {
    const { dice } = this
    if (dice.chance(0.3)) {
      this.addAgent(log, slug)
      return
    }
    if (dice.chance(0.05)) {
      const error = { type: 'text', text: 'API Error: 529' }
      this.addAnswer(log, [error], { isApiErrorMessage: true })
      return
    }
    const call = `toolu_${++this.count}`
    const [name, input] = dice.pick<[string, Wire]>([
      ['Bash', { command: 'ls' }],
      ['Read', { file_path: '/home/nia/shop/a.ts' }],
      ['Edit', { file_path: 'b.ts', old_string: 'a', new_string: 'the' }],
      ['Write', { file_path: '/home/nia/shop/c.ts', content: 'cook\n' }],
      ['mcp__shop__stock', { item: 'rolls' }],
    ])
    this.addAnswer(log, [{ type: 'tool_use', id: call, name, input }])
    if (dice.chance(0.9)) this.addResult(log, call, dice.chance(0.2), name === 'Bash' && dice.chance(0.2))
  }

  private addResult(log: Log, call: string, isFailed: boolean, isLater = false): void {
    const text = isFailed ? 'error: no such thing' : 'ok'
    const result = { type: 'tool_result', tool_use_id: call, content: text, ...(isFailed && { is_error: true }) }
    const more = isLater ? { toolUseResult: { backgroundTaskId: `b${call}` } } : {}
    this.record(log, 'user', { message: { role: 'user', content: [result] }, ...more })
    if (!isLater) return
    const status = this.dice.pick(['failed', 'completed', 'killed'])
    const parts = [`<task-id>b${call}</task-id>`, `<tool-use-id>${call}</tool-use-id>`, `<status>${status}</status>`]
    const content = ['<task-notification>', ...parts, '<summary>sim</summary>', '</task-notification>'].join('\n')
    this.record(log, 'user', { message: { role: 'user', content }, origin: { kind: 'task-notification' } })
  }

  private addCompaction(log: Log): void {
    const last = log.chain.at(-1)
    this.record(log, 'system', {
      ...{ parentUuid: null, logicalParentUuid: last, subtype: 'compact_boundary', content: 'Conversation compacted' },
      compactMetadata: { trigger: this.dice.pick(['auto', 'manual']), preTokens: 1000 + this.dice.below(150_000) },
    })
    const message = { role: 'user', content: 'This session is being continued from a previous conversation.' }
    this.record(log, 'user', { message, isCompactSummary: true, isVisibleInTranscriptOnly: true })
  }

  /** In a file of its own, next to the log, in the log, in progress records, or in several of these. */
  private addAgent(log: Log, slug: string): void {
    const { dice } = this
    const [call, agent, prompt] = [`toolu_${++this.count}`, `a${(++this.count).toString(16).padStart(6, '0')}`, 'Look']
    const input = { prompt, subagent_type: 'Explore', description: 'Look around' }
    this.addAnswer(log, [{ type: 'tool_use', id: call, name: dice.pick(['Task', 'Agent']), input }])
    const side: Log = { id: log.id, cwd: log.cwd, lines: [], chain: [] }
    this.record(side, 'user', { message: { role: 'user', content: prompt } })
    for (let n = dice.below(3); n >= 0; n--) this.addAnswer(side, [{ type: 'text', text: `Found ${dice.pick(words)}` }])
    const kind = dice.below(5)
    const marked = side.lines.map(line => ({ ...(line as Wire), isSidechain: true, agentId: agent }))
    if (kind === 0) log.lines.push(...marked.map(({ agentId: _, ...line }) => line))
    if (kind === 1) this.files[`projects/${slug}/agent-${agent}.jsonl`] = linesOf(marked)
    if (kind === 2 || kind === 4)
      this.files[`projects/${slug}/${log.id}/subagents/agent-${agent}.jsonl`] = linesOf(marked)
    if (kind === 3 || kind === 4)
      for (const line of side.lines) this.addProgress(log, line as Wire, { call, agent, prompt })
    const result = { type: 'tool_result', tool_use_id: call, content: 'Found it' }
    const more = dice.chance(0.8) ? { toolUseResult: { agentId: agent } } : {}
    this.record(log, 'user', { message: { role: 'user', content: [result] }, ...more })
  }

  private addProgress(
    log: Log,
    said: Wire,
    { call, agent, prompt }: { call: string; agent: string; prompt: string },
  ): void {
    const { type, uuid, message, requestId, timestamp } = said
    const data = { type: 'agent_progress', prompt, agentId: agent, normalizedMessages: [] }
    const inner = { type, uuid, message, requestId, timestamp }
    this.record(log, 'progress', {
      ...{ toolUseID: `agent_${call}`, parentToolUseID: call, timestamp },
      data: { ...data, message: inner },
    })
  }

  /** A fork that says so or not, a whole copy, a copy elsewhere, its beginning, or what it goes on with. */
  private addCopy(): void {
    const { dice } = this
    const { log, slug, path } = dice.pick(this.logs)
    const kind = dice.below(6)
    const other = dice.pick(places)[0]
    if (kind === 0 || kind === 1) {
      const copied = `projects/${other}/${log.id}.jsonl`
      const text = this.files[path] ?? ''
      const lines = text.split('\n')
      const part = kind === 0 ? text : `${lines.slice(0, Math.ceil(lines.length / 2)).join('\n')}\n`
      this.files[copied] ??= part
      return
    }
    const id = kind === 2 ? log.id : this.sessionId()
    const whole = log.lines.filter((line): line is Wire => typeof line !== 'string')
    const kept = kind === 2 ? [] : whole.slice(0, kind === 3 ? whole.length : 1 + dice.below(whole.length))
    const said = (line: Wire) =>
      kind === 4 && line['uuid'] !== undefined ? { forkedFrom: { sessionId: log.id, messageUuid: line['uuid'] } } : {}
    const restated = kind === 5 && dice.chance(0.3)
    const lines = kept.map(line => ({
      ...line,
      ...(!restated && 'sessionId' in line && { sessionId: id }),
      ...said(line),
    }))
    const uuids = kept.flatMap(({ uuid }) => (typeof uuid === 'string' ? uuid : []))
    const chain = kind === 2 ? log.chain.slice(-1) : uuids
    const copy: Log = { id, cwd: log.cwd, lines, chain: [...chain] }
    const target = kind === 2 ? other : slug
    if (kind !== 3 || dice.chance(0.5)) this.addTurn(copy, target)
    this.put(copy, target)
  }

  private addHistory(): void {
    const { dice } = this
    const lines = this.logs.flatMap(({ log }) =>
      log.lines.flatMap(line => {
        const { type, message, timestamp } = typeof line === 'string' ? {} : (line as Wire & { message?: Wire })
        const text = (message as Wire | undefined)?.['content']
        if (type !== 'user' || typeof text !== 'string' || text.startsWith('<') || dice.chance(0.5)) return []
        const at = Date.parse(String(timestamp))
        if (Number.isNaN(at)) return []
        const session = dice.chance(0.7) ? { sessionId: log.id } : {}
        return [{ display: text, pastedContents: {}, timestamp: at, project: log.cwd ?? '/', ...session }]
      }),
    )
    this.files['history.jsonl'] = linesOf(lines)
  }
}

function linesOf(lines: readonly Wire[]): string {
  return lines.map(line => `${JSON.stringify(line)}\n`).join('')
}
