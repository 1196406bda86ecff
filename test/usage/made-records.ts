// Made-up records as several versions of Claude Code write them, from a seed: ids, times, usage, envelopes, answers in several
// lines. How sessions are made of them, copied and damaged is decided elsewhere.

export type Fields = Record<string, unknown>

/** Chance that can be repeated. */
export class Chance {
  private state: number

  constructor(seed: number) {
    this.state = (seed * 2654435761) >>> 0 || 1
  }

  next(): number {
    // Marsaglia's xorshift of 32 bits.
    this.state ^= this.state << 13
    this.state ^= this.state >>> 17
    this.state ^= this.state << 5
    this.state >>>= 0
    return this.state / 4294967296
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  is(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.below(16).toString(16)).join('')
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map(length => this.hex(length)).join('-')
  }

  id(prefix: string): string {
    return `${prefix}_01${this.hex(22)}`
  }
}

/** How a version of Claude Code writes. */
export interface Era {
  version: string | undefined
  /** One line per answer with everything, or one per block. */
  isWhole: boolean
  /** On which lines the final output and stop reason are: all, the last one, or none. */
  finals: 'all' | 'last' | 'none'
  hasRequest: boolean
  hasCost: boolean
  agents: 'inline' | 'flat' | 'folder'
}

export const eras: readonly Era[] = [
  { version: '0.2.126', isWhole: true, finals: 'all', hasRequest: false, hasCost: true, agents: 'inline' },
  { version: '1.0.3', isWhole: true, finals: 'all', hasRequest: false, hasCost: true, agents: 'inline' },
  { version: '1.0.128', isWhole: false, finals: 'none', hasRequest: true, hasCost: false, agents: 'inline' },
  { version: '2.0.77', isWhole: false, finals: 'last', hasRequest: true, hasCost: false, agents: 'flat' },
  { version: '2.1.45', isWhole: false, finals: 'none', hasRequest: true, hasCost: false, agents: 'folder' },
  { version: '2.1.96', isWhole: false, finals: 'last', hasRequest: true, hasCost: false, agents: 'folder' },
  { version: '2.1.97', isWhole: false, finals: 'all', hasRequest: true, hasCost: false, agents: 'folder' },
  { version: '2.1.325', isWhole: false, finals: 'all', hasRequest: true, hasCost: false, agents: 'folder' },
]

const oddVersions = ['2.1', 'dev', '2.1.97-beta.1', '10.0.0', '2.2.0', '2.0.100', 'v2.1.325', '']

const models: readonly string[] = [
  'claude-haiku-5-5',
  'claude-haiku-4-5-20251001',
  'claude-sonnet-5-5',
  'claude-sonnet-4-6',
  'claude-sonnet-4-5-20250929',
  'claude-sonnet-4-20250514',
  'claude-opus-5-5',
  'claude-opus-4-6',
  'claude-opus-4-7',
  'claude-opus-4-1-20250805',
  'claude-3-5-haiku-20241022',
  'us.anthropic.claude-sonnet-4-20250514-v1:0',
  'anthropic.claude-opus-4-1-20250805-v1:0',
  'claude-sonnet-4-5@20250929',
  'claude-sonnet-4-6[1m]',
  'claude-opus-4-6[1m]',
  'mystery-model-9',
  'gpt-oss:20b',
]

const prompts = [0, 12, 900, 99_990, 100_000, 100_001, 199_990, 200_000, 200_001, 640_000]

/** One API message, before it is written. */
export interface Answer {
  id: string | null | undefined
  request: string | undefined
  model: string
  usage: Fields
  blocks: Fields[]
  cost: number | undefined
}

export function makeAnswer(chance: Chance, era: Era): Answer {
  const hasOddId = chance.is(0.04)
  return {
    id: hasOddId ? chance.pick([null, undefined, '']) : chance.id('msg'),
    request: era.hasRequest && !chance.is(0.05) ? chance.id('req') : undefined,
    model: chance.pick(models),
    usage: makeUsage(chance),
    blocks: makeBlocks(chance),
    cost: era.hasCost ? chance.below(2_000_000) / 1e6 : undefined,
  }
}

function makeUsage(chance: Chance): Fields {
  const long = chance.is(0.3) ? chance.below(3000) : 0
  const short = chance.is(0.6) ? chance.below(6000) : 0
  const written = long + short
  const input = 1 + chance.below(40)
  const prompt = chance.is(0.4) ? chance.pick(prompts) : 3000 + chance.below(90_000)
  const usage: Fields = {
    input_tokens: input,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: Math.max(0, prompt - input - written),
    output_tokens: 20 + chance.below(4000),
  }
  if (chance.is(0.7)) usage['cache_creation'] = { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long }
  if (usage['cache_creation'] && chance.is(0.15)) usage['cache_creation_input_tokens'] = 0
  else if (usage['cache_creation'] && chance.is(0.1)) delete usage['cache_creation_input_tokens']
  else if (chance.is(0.1)) usage['cache_creation_input_tokens'] = Math.floor(written / 2)
  if (chance.is(0.15)) usage['speed'] = chance.pick(['fast', 'standard'])
  if (chance.is(0.15)) usage['inference_geo'] = chance.pick(['us', 'not_available', 'eu'])
  if (chance.is(0.08)) usage['server_tool_use'] = { web_search_requests: chance.below(4), web_fetch_requests: 1 }
  if (chance.is(0.06)) usage['input_tokens'] = input + 0.75
  if (chance.is(0.02)) usage['cache_read_input_tokens'] = -5
  if (chance.is(0.2)) usage['iterations'] = [{ input_tokens: 9_999_999, output_tokens: 9_999_999, type: 'message' }]
  return usage
}

const trap = '{"type":"assistant","message":{"id":"msg_trap","usage":{"input_tokens":7777777,"output_tokens":7777777}}}'

function makeBlocks(chance: Chance): Fields[] {
  const blocks: Fields[] = []
  if (chance.is(0.4)) blocks.push({ type: 'thinking', thinking: 'So.', signature: chance.hex(40) })
  if (blocks.length === 0 || chance.is(0.5)) {
    const said = chance.is(0.1) ? trap : `Done: "${chance.hex(8)}" – ☂ \\ \n ok`
    // Longer than what is read at once.
    blocks.push({ type: 'text', text: chance.is(0.01) ? said.repeat(4000) : said })
  }
  const calls = chance.is(0.6) ? 1 + chance.below(3) : 0
  for (let call = 0; call < calls; call++) {
    const name = chance.pick(['Bash', 'Read', 'Edit', 'Grep', 'mcp__shop__list', 'Task'])
    const input = chance.is(0.1)
      ? { usage: { input_tokens: 5_555_555, output_tokens: 5 }, ...JSON.parse(trap) }
      : { command: 'ls' }
    blocks.push({ type: 'tool_use', id: chance.id('toolu'), name, input })
  }
  return blocks
}

/** Where records of one thread are: what their envelopes repeat. */
export interface Desk {
  session: string
  cwd: string
  era: Era
  agent?: string
  isSidechain?: boolean
}

/** A record as Claude Code writes it; `at` in milliseconds. */
export function chained(chance: Chance, desk: Desk, type: string, at: number, fields: Fields): Fields {
  const version = chance.is(0.04) ? chance.pick(oddVersions) : desk.era.version
  return {
    parentUuid: chance.is(0.9) ? chance.uuid() : null,
    isSidechain: desk.isSidechain ?? desk.agent !== undefined,
    userType: 'external',
    cwd: desk.cwd,
    sessionId: desk.session,
    version,
    gitBranch: 'main',
    ...(desk.agent !== undefined && { agentId: desk.agent }),
    type,
    ...fields,
    uuid: chance.uuid(),
    timestamp: writtenTime(chance, at),
  }
}

/** A time in one of the forms that a reader must understand; now and then none. */
function writtenTime(chance: Chance, at: number): unknown {
  const iso = new Date(at).toISOString()
  if (!chance.is(0.12)) return iso
  const ahead = new Date(at + 2 * 3_600_000).toISOString()
  return chance.pick([
    `${iso.slice(0, 19)}Z`,
    `${iso.slice(0, 23)}456Z`,
    at,
    Math.floor(at / 1000),
    at * 1000,
    String(at),
    `${ahead.slice(0, 23)}+02:00`,
    iso.slice(0, 23),
    iso.replace('T', ' '),
    undefined,
    'yesterday',
  ])
}

/** The lines of one answer, with what happens between them; `tick` gives the time of the next one. */
export function answerLines(chance: Chance, desk: Desk, answer: Answer, tick: () => number): Fields[] {
  const { era } = desk
  const lines: Fields[] = []
  const parts = era.isWhole ? [answer.blocks] : answer.blocks.map(block => [block])
  for (const [place, content] of parts.entries()) {
    const isLast = place === parts.length - 1
    const isFinal = era.finals === 'all' || (era.finals === 'last' && isLast)
    lines.push(chained(chance, desk, 'assistant', tick(), answerFields(chance, answer, content, isFinal, place)))
    for (const block of era.isWhole || chance.is(0.7) ? content : []) {
      if (block['type'] === 'tool_use') lines.push(resultLine(chance, desk, block, tick()))
    }
  }
  return lines
}

function answerFields(chance: Chance, answer: Answer, content: Fields[], isFinal: boolean, place: number): Fields {
  const full = answer.usage['output_tokens'] as number
  const usage = isFinal ? answer.usage : { ...answer.usage, output_tokens: Math.min(full, 1 + place * chance.below(9)) }
  const stop = content.some(block => block['type'] === 'tool_use') ? 'tool_use' : 'end_turn'
  return {
    message: {
      ...(answer.id !== undefined && { id: answer.id }),
      type: 'message',
      role: 'assistant',
      model: answer.model,
      content,
      stop_reason: isFinal ? stop : null,
      stop_sequence: null,
      usage,
    },
    ...(answer.request !== undefined && !chance.is(0.03) && { requestId: answer.request }),
    ...(answer.cost !== undefined && { costUSD: answer.cost, durationMs: 900 }),
  }
}

function resultLine(chance: Chance, desk: Desk, block: Fields, at: number): Fields {
  const result = { tool_use_id: block['id'], type: 'tool_result', content: chance.is(0.1) ? trap : 'ok' }
  const usage = { input_tokens: 888_888, output_tokens: 888_888 }
  return chained(chance, desk, 'user', at, {
    message: { role: 'user', content: [result] },
    toolUseResult: chance.is(0.2) ? { status: 'completed', totalTokens: 1_777_776, usage } : { stdout: 'ok' },
  })
}
