// Sessions of a made-up history: prompts, answers, subagents in their own files or inline, internal agents that replay their
// parent, progress that repeats a subagent, errors, compactions. Copies of whole sessions are made elsewhere.

import {
  type Answer,
  answerLines,
  type Chance,
  chained,
  type Desk,
  type Era,
  eras,
  type Fields,
  makeAnswer,
} from './made-records.ts'

/** A log before it is written; `path` below `projects`. */
export interface MadeLog {
  path: string
  slug: string
  desk: Desk
  records: Fields[]
  /** The time of its last record. */
  endedAt: number
}

/** Moments at which a day, a price or an offset changes somewhere. */
const edges = [
  '2025-12-31T23:50:00Z',
  '2026-03-08T09:50:00Z', // Los Angeles skips an hour
  '2026-03-12T23:40:00Z', // a price ends at midnight
  '2026-03-29T00:50:00Z', // Berlin skips an hour
  '2026-04-04T14:50:00Z', // Lord Howe gains half an hour
  '2026-04-29T23:45:00Z',
  '2026-08-16T18:20:00Z', // midnight in Kathmandu
  '2026-10-05T23:45:00Z',
  '2026-10-25T00:40:00Z',
  '2025-11-02T08:40:00Z',
  '2025-11-02T06:50:00Z',
]

/** What sessions are made with. */
export interface Workshop {
  chance: Chance
  note: (what: string) => void
}

export function makeSession(shop: Workshop, cwd: string, era: Era = shop.chance.pick(eras)): MadeLog[] {
  return new SessionMaker(shop, cwd, era).make()
}

class SessionMaker {
  private readonly shop: Workshop
  private readonly chance: Chance
  private readonly desk: Desk
  private readonly log: MadeLog
  private readonly others: MadeLog[] = []
  private readonly answers: { answer: Answer; at: number }[] = []
  private clock: number

  constructor(shop: Workshop, cwd: string, era: Era) {
    this.shop = shop
    this.chance = shop.chance
    const slug = cwd.replace(/[^A-Za-z0-9]/g, '-')
    this.desk = { session: this.chance.uuid(), cwd, era }
    this.clock = Date.parse(this.chance.pick(edges))
    this.log = { path: `${slug}/${this.desk.session}.jsonl`, slug, desk: this.desk, records: [], endedAt: 0 }
  }

  make(): MadeLog[] {
    if (this.chance.is(0.3)) this.add({ type: 'summary', summary: 'Rounding', leafUuid: this.chance.uuid() })
    const turns = 2 + this.chance.below(5)
    for (let turn = 0; turn < turns; turn++) this.turn()
    this.log.endedAt = this.clock
    for (const other of this.others) other.endedAt = this.clock
    return [this.log, ...this.others]
  }

  private add(...records: Fields[]): void {
    this.log.records.push(...records)
  }

  private readonly tick = (): number => {
    this.clock += 200 + this.chance.below(90_000)
    return this.clock
  }

  private turn(): void {
    this.clock += this.chance.is(0.15) ? this.chance.below(9 * 3_600_000) : this.chance.below(400_000)
    this.add(this.line('user', { message: { role: 'user', content: 'Make it "right", please.' } }))
    const steps = 1 + this.chance.below(4)
    for (let step = 0; step < steps; step++) this.step()
    if (this.chance.is(0.3)) this.oddity()
    if (this.chance.is(0.25)) this.subagent()
    if (this.chance.is(0.12) && this.answers.length > 0) this.echoes()
    if (this.chance.is(0.12) && this.answers.length > 0) this.internalAgent()
    if (this.chance.is(0.1)) this.compaction()
    if (this.desk.era.version === '2.1.325') {
      this.add({
        type: 'cost-state',
        sessionId: this.desk.session,
        totalCostUSD: 3,
        modelUsage: { any: { inputTokens: 1 } },
      })
    }
  }

  private line(type: string, fields: Fields, desk = this.desk): Fields {
    return chained(this.chance, desk, type, this.tick(), fields)
  }

  private step(): void {
    const answer = makeAnswer(this.chance, this.desk.era)
    this.answers.push({ answer, at: this.clock })
    const lines = answerLines(this.chance, this.desk, answer, this.tick)
    if (lines.length > 1) this.shop.note('several lines')
    this.add(...lines)
  }

  private oddity(): void {
    const answer = makeAnswer(this.chance, this.desk.era)
    const one = () => answerLines(this.chance, this.desk, answer, this.tick)
    const [first = {}] = one()
    const message = first['message'] as Fields
    switch (this.chance.below(6)) {
      case 0:
        this.shop.note('two requests of one id')
        this.add(
          ...one(),
          ...answerLines(this.chance, this.desk, { ...answer, request: this.chance.id('req') }, this.tick),
        )
        break
      case 1:
        this.shop.note('no usage')
        this.add({ ...first, message: { ...message, usage: this.chance.pick([undefined, null]) } })
        break
      case 2:
        this.shop.note('API error')
        this.add({ ...first, isApiErrorMessage: true, message: { ...message, model: '<synthetic>', usage: noTokens } })
        break
      case 3:
        this.shop.note('API error with tokens')
        this.add({ ...first, isApiErrorMessage: true })
        break
      case 4:
        this.shop.note('synthetic')
        this.add({ ...first, message: { ...message, model: '<synthetic>', usage: noTokens } })
        break
      default:
        this.shop.note('no ids at all')
        this.add({ ...first, uuid: undefined, message: { ...message, id: null } })
    }
  }

  /** An agent's own work; its lines may be between those of the main thread. */
  private subagent(): void {
    const { era } = this.desk
    const agent = this.chance.hex(era.version === '2.1.325' ? 17 : 7)
    const desk: Desk = era.agents === 'inline' ? { ...this.desk, isSidechain: true } : { ...this.desk, agent }
    const began = this.clock
    const task = this.line('user', { message: { role: 'user', content: 'Look at it.' } }, desk)
    const answers = [makeAnswer(this.chance, era), makeAnswer(this.chance, era)]
    const lines = answers.flatMap(answer => answerLines(this.chance, desk, answer, this.tick))
    this.shop.note(`${era.agents} agent`)
    if (era.agents === 'inline') {
      this.add(task, ...lines)
      return
    }
    if (era.version === '2.1.45') this.progress(lines, began, agent)
    // An agent whose file is gone is known from its progress alone.
    if (era.version === '2.1.45' && this.chance.is(0.2)) return
    this.others.push(this.agentLog(agent, desk, [task, ...lines]))
  }

  private agentLog(agent: string, desk: Desk, records: Fields[]): MadeLog {
    const { slug } = this.log
    const inFolder = `${slug}/${this.desk.session}/subagents${this.chance.is(0.2) ? '/workflows/wf_1' : ''}`
    const folder = this.desk.era.agents === 'flat' ? slug : inFolder
    return { path: `${folder}/agent-${agent}.jsonl`, slug, desk, records, endedAt: 0 }
  }

  /** Copies inside progress, earlier or later than the original, with fewer tokens. */
  private progress(lines: readonly Fields[], began: number, agentId: string): void {
    this.shop.note('progress')
    for (const line of lines) {
      const { type, message, requestId, uuid } = line
      const said = message as Fields
      const usage = said['usage'] ? { ...(said['usage'] as Fields), output_tokens: 1 } : undefined
      const copy = {
        type,
        uuid,
        requestId,
        message: usage ? { ...said, usage } : said,
        timestamp: this.chance.pick([new Date(began).toISOString(), line['timestamp']]),
      }
      const data = { type: 'agent_progress', message: copy, agentId, prompt: 'Look at it.', normalizedMessages: [copy] }
      this.add(
        this.line('progress', { data, toolUseID: `agent_${said['id']}`, parentToolUseID: this.chance.id('toolu') }),
      )
    }
  }

  /** What the main thread said once more, inside a sidechain and with other times. */
  private echoes(): void {
    this.shop.note('inline echo')
    const { answer, at } = this.chance.pick(this.answers)
    let time = at + this.chance.pick([-40, 40]) * 60_000
    const lines = answerLines(this.chance, { ...this.desk, isSidechain: true }, answer, () => time++)
    this.add(...lines.filter(line => line['type'] === 'assistant'))
  }

  private internalAgent(): void {
    if (this.desk.era.agents !== 'folder') return
    this.shop.note('internal agent')
    const agent = `${this.chance.pick(['acompact', 'aprompt_suggestion', 'aside_question'])}-${this.chance.hex(6)}`
    const desk = { ...this.desk, agent }
    const replayed = this.answers.flatMap(({ answer, at }) => {
      let time = at - this.chance.below(2) * 3_600_000
      return answerLines(this.chance, desk, answer, () => time++)
    })
    const own = answerLines(this.chance, desk, makeAnswer(this.chance, this.desk.era), this.tick)
    this.others.push(this.agentLog(agent, desk, [...replayed, ...own]))
  }

  private compaction(): void {
    this.shop.note('compaction')
    const metadata = { trigger: 'auto', preTokens: 190_000 }
    const boundary = { subtype: 'compact_boundary', logicalParentUuid: this.chance.uuid(), compactMetadata: metadata }
    const summary = { isCompactSummary: true, message: { role: 'user', content: 'So far: all is well.' } }
    this.add(this.line('system', { parentUuid: null, ...boundary }), this.line('user', summary))
  }
}

const noTokens = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
