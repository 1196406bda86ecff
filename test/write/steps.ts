// Random sessions as lists of steps that a writer takes, in any dialect: what people, models and tools do, in an order that is
// allowed. What must be true of what was written is each test's business.

import type { SessionWriter } from '../../src/write/session-writer.ts'
import {
  type Appended,
  answer,
  command,
  commandOutput,
  document,
  image,
  type Loss,
  meta,
  type NewBlock,
  type NewEvent,
  notice,
  progress,
  prompt,
  queue,
  snapshot,
  summary,
  tag,
  text,
  thinking,
  title,
  toolCall,
  toolResult,
  turnDuration,
} from '../../src/write/write.ts'
import fc from '../property.ts'

/** A pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export type Step =
  | { do: 'turn'; said: string; hasImage: boolean; answers: Answer[]; usage: number | null; ms: number }
  | {
      do: 'side'
      what: 'title' | 'tag' | 'summary' | 'queue' | 'snapshot' | 'notice' | 'meta' | 'command'
      said: string
    }
  | { do: 'branch'; back: number }
  | { do: 'compact'; said: string; keep: number }
  | { do: 'delete'; back: number }
  | { do: 'subagent'; said: string; found: string }

interface Answer {
  thought: string | null
  said: string
  calls: {
    name: string
    input: Record<string, unknown>
    output: string
    isError: boolean
    isRich: boolean
    isSlow: boolean
  }[]
}

/** Words as people and tools write them, and hard ones: signs of all planes, controls, quotes. */
const words = fc.oneof(
  { weight: 4, arbitrary: fc.lorem({ maxCount: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map(said => `a ${said} z`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('line\nline\r\nline', 'tab\t"quoted" \\ back', '\u2028 \u0000 \u001b[31m', '𝒳 🏳️‍🌈 é'),
  },
)

const call = fc.record({
  name: fc.constantFrom('Bash', 'Read', 'mcp__x__y'),
  input: fc.dictionary(
    fc.stringMatching(/^[a-z_]{1,8}$/),
    fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null)),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  ),
  output: words,
  isError: fc.boolean(),
  isRich: fc.boolean(),
  isSlow: fc.boolean(),
})

const turn = fc.record({
  do: fc.constant('turn' as const),
  said: words,
  hasImage: fc.integer({ max: 5, min: 0 }).map(n => n === 0),
  answers: fc.array(fc.record({ thought: fc.option(words), said: words, calls: fc.array(call, { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  usage: fc.option(fc.nat({ max: 5000 })),
  ms: fc.nat({ max: 100_000 }),
})

const side = fc.record({
  do: fc.constant('side' as const),
  what: fc.constantFrom('title', 'tag', 'summary', 'queue', 'snapshot', 'notice', 'meta', 'command'),
  said: words,
})

export const steps: fc.Arbitrary<Step[]> = fc
  .tuple(
    turn,
    fc.array(
      fc.oneof(
        { weight: 5, arbitrary: turn },
        { weight: 4, arbitrary: side as fc.Arbitrary<Step> },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('branch' as const), back: fc.nat({ max: 9 }) }) },
        {
          weight: 1,
          arbitrary: fc.record({ do: fc.constant('compact' as const), said: words, keep: fc.nat({ max: 3 }) }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), back: fc.nat({ max: 9 }) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('subagent' as const), said: words, found: words }) },
      ),
      { maxLength: 7 },
    ),
  )
  .map(([first, rest]) => [first as Step, ...rest])

/** An event as it was given, and what became of it. */
export interface Done {
  event: NewEvent
  appended: Appended
  path: string
}

/** Takes the steps. Losses that belong to no event are in `others`. */
export class Course {
  readonly done: Done[] = []
  readonly others: Loss[] = []
  private readonly writer: SessionWriter
  private count = 0
  /** Where a person spoke: from there one may branch. */
  private readonly ends: string[] = []

  constructor(writer: SessionWriter) {
    this.writer = writer
  }

  async take(all: readonly Step[]): Promise<void> {
    for (const step of all) await this.step(step)
  }

  private async put(event: NewEvent, writer = this.writer): Promise<Appended> {
    const appended = await writer.append(event)
    const agent = writer.agent === undefined ? {} : { agent: writer.agent }
    this.done.push({ event: { ...event, ...agent }, appended, path: writer.path })
    return appended
  }

  private async step(step: Step): Promise<void> {
    switch (step.do) {
      case 'turn':
        return this.turn(step, this.writer)
      case 'side':
        return this.side(step)
      case 'branch': {
        const from = this.ends.at(-1 - (step.back % Math.max(1, this.ends.length)))
        if (from !== undefined) this.others.push(...(await this.writer.branchFrom(from)))
        return this.turn(
          { do: 'turn', said: 'another way', hasImage: false, answers: [], usage: null, ms: 5 },
          this.writer,
        )
      }
      case 'compact':
        for (const one of await this.writer.compact({ summary: step.said, keep: step.keep, preTokens: 5 }))
          this.others.push(...one.losses)
        this.ends.length = 0
        return
      case 'delete': {
        const which = this.ends.at(-1 - (step.back % Math.max(1, this.ends.length)))
        if (which !== undefined) this.others.push(...(await this.writer.deleteSoftly(which)).losses)
        return
      }
      case 'subagent':
        return this.subagent(step)
    }
  }

  private async turn(
    { said, hasImage, answers, usage, ms }: Step & { do: 'turn' },
    writer: SessionWriter,
  ): Promise<void> {
    await this.put(
      prompt(hasImage ? [text(said), image('image/png', png), document('application/pdf', png)] : said),
      writer,
    )
    for (const one of answers) {
      const facts =
        usage === null ? undefined : { model: 'claude-opus-5', usage: usageOf(usage), stopReason: 'end_turn' }
      const blocks: NewBlock[] = [
        ...(one.thought === null ? [] : [thinking(one.thought, 'c2lnbmVk')]),
        text(one.said),
        ...one.calls.map(({ name, input }, at) => toolCall(`toolu_${this.count + at}`, name, input)),
      ]
      await this.put(answer(blocks, facts), writer)
      for (const { output, isError, isRich, isSlow } of one.calls) {
        const id = `toolu_${this.count++}`
        if (isSlow) await this.put(progress(id, output), writer)
        const content = isRich ? [text(output), image('image/png', png)] : output
        const structured = isRich ? { structured: { type: 'text', file: { filePath: '/a', content: output } } } : {}
        await this.put(toolResult(id, content, { isError, ...structured }), writer)
      }
    }
    const last = await this.put(
      answer('done', { model: 'claude-opus-5', usage: usageOf(3), stopReason: 'end_turn' }),
      writer,
    )
    await this.put(turnDuration(ms), writer)
    if (last.id !== null && writer === this.writer) this.ends.push(last.id)
  }

  private async side({ what, said }: Step & { do: 'side' }): Promise<void> {
    const leaf = this.ends.at(-1) ?? this.done.findLast(({ appended }) => appended.id !== null)?.appended.id ?? ''
    const event: Record<typeof what, () => NewEvent> = {
      title: () => title(said),
      tag: () => tag(said),
      summary: () => summary(said, leaf),
      queue: () => queue('enqueue', said),
      snapshot: () => snapshot(leaf, ['/a.ts']),
      notice: () => notice(said),
      meta: () => meta(said),
      command: () => command('/model', 'opus'),
    }
    await this.put(event[what]())
    if (what === 'command') await this.put(commandOutput(said))
    if (what === 'queue') await this.put(queue('dequeue'))
  }

  private async subagent({ said, found }: Step & { do: 'subagent' }): Promise<void> {
    const id = `toolu_${this.count++}`
    await this.put(prompt('look into it'))
    const input = { description: 'look', prompt: said, subagent_type: 'Explore' }
    await this.put(answer([text('I delegate.'), toolCall(id, 'Task', input)]))
    const agent = await this.writer.startSubagent(id, { type: 'Explore', description: 'look', prompt: said })
    const event = { kind: 'delegation', actor: 'agent', blocks: [text(said)], agent: agent.agent ?? '' } as const
    if (agent.delegation !== undefined) this.done.push({ event, appended: agent.delegation, path: agent.path })
    await this.put(answer([text('reading'), toolCall(`toolu_${this.count}`, 'Read', { file_path: '/a' })]), agent)
    await this.put(toolResult(`toolu_${this.count++}`, 'content'), agent)
    await this.put(answer(found), agent)
    await agent.close()
    await this.put(toolResult(id, found))
    await this.put(answer('it is done'))
  }
}

function usageOf(tokens: number) {
  return {
    inputTokens: tokens,
    outputTokens: 7,
    cacheCreationTokens: 0,
    cacheReadTokens: tokens * 2,
    outputFinal: true,
  }
}
