// What was read of a line's bytes → the statement that it makes. It comes to what `usageOccurrence` says of the line's event,
// or to nothing where only decoding can tell.

import { bytesToText } from '../../base/bytes.ts'
import { toMillis } from '../../base/instant.ts'
import { writesFinalOutput } from '../../decode/assistant.ts'
import { echoRanks, type UsageOccurrence } from '../../model/spent.ts'
import { messageSeed, recordSeed, requestSeed } from '../key.ts'
import { nanosOf, type UsageLog } from '../occurrence.ts'
import { emptyStatement } from '../rows.ts'
import { KnownText, type Span, type UsageLine } from './line.ts'
import { field } from './names.ts'
import type { UsageWalk } from './walk.ts'

export class UsageReader {
  private readonly line: UsageLine
  private readonly bytes: Uint8Array
  private readonly models: LastText
  private readonly agents: LastText
  private readonly sessions: LastText
  private readonly versions: LastText
  private readonly times: Minutes
  private readonly fast: KnownText
  private readonly look: UsageWalk
  private version = ''
  private hasFinalOutput = false
  private log: UsageLog | undefined
  private readonly stated = emptyStatement()

  constructor(line: UsageLine) {
    const { look, bytes } = line
    this.line = line
    this.bytes = bytes
    this.look = look
    this.models = new LastText(look, 2)
    this.agents = new LastText(look, 3)
    this.sessions = new LastText(look, 4)
    this.versions = new LastText(look, 5)
    this.times = new Minutes(look, 6)
    this.fast = new KnownText(look, 7, 'fast')
  }

  begin(log: UsageLog): void {
    this.log = log
    this.stated.file = log.place
  }

  /** `''` where the line has none. */
  uuid(): string {
    return textOf(this.bytes, this.line.text(field.uuid))
  }

  /** Null where the line has to be decoded; else an object that is used again. */
  statement(offset: number): UsageOccurrence | null {
    const { line, stated, log } = this
    const session = this.sessions.of(line.text(field.sessionId))
    // Without these it may be another tool's.
    if (log === undefined || session === '' || !line.has(field.parentUuid)) return null
    const thread = this.thread(log)
    const model = this.models.of(line.text(field.model))
    const costUSD = line.number(field.costUSD)
    const isError = line.isTrue(field.isApiErrorMessage)
    const isSynthetic = isError || model === syntheticModel
    const isFinal = this.isFinal(model, costUSD)
    if (thread === null || isFinal === null) return null
    if (!this.setKeys(isSynthetic) || !this.setCounts() || !this.setTime()) return null
    const isForked = line.has(field.forkedFrom) && !line.isNull(field.forkedFrom)
    const isCopied = isForked || (log.nameSession !== undefined && session !== log.nameSession)
    const isSidechain = log.isAgentFile || line.isTrue(field.isSidechain)
    stated.echo = (isCopied ? echoRanks.copied : 0) + (isSidechain ? echoRanks.sidechain : 0)
    stated.offset = offset
    stated.thread = thread
    stated.model = model
    stated.isFast = this.fast.is(line.text(field.speed))
    stated.isUs = this.isUs(line.text(field.geo))
    stated.isFinal = isFinal
    stated.isSynthetic = isSynthetic
    stated.isError = isError
    stated.statedNanos = Number.isFinite(costUSD) ? nanosOf(costUSD) : null
    return stated
  }

  /** Null where the lines before tell. */
  private thread({ options }: UsageLog): string | null {
    const { line } = this
    const span = line.text(field.agentId)
    const agent = span.from === -1 ? undefined : this.agents.of(span)
    if (options.agent !== undefined) return agent ?? options.agent
    const isMain = line.has(field.isSidechain) ? !line.isTrue(field.isSidechain) : agent === undefined
    return (isMain ? options.session : agent) ?? null
  }

  /** Null where the version before tells, or another tool may have written the line. */
  private isFinal(model: string, costUSD: number): boolean | null {
    const { line } = this
    const hasStop = line.text(field.stopReason).from !== -1
    const isStated = hasStop || !Number.isNaN(costUSD) || model === syntheticModel
    const span = line.text(field.version)
    if (span.from === -1) return isStated ? true : null
    const version = this.versions.of(span)
    if (version !== this.version) {
      this.version = version
      this.hasFinalOutput = writesFinalOutput(version)
    }
    return version.startsWith('0.') ? null : isStated || this.hasFinalOutput
  }

  private isUs({ from, to }: Span): boolean {
    return to - from === 2 && this.bytes[from] === 0x75 && this.bytes[from + 1] === 0x73
  }

  /** False where a name has to be decoded. */
  private setKeys(isSynthetic: boolean): boolean {
    const { line, stated } = this
    const isNamed = !isSynthetic && !isEmpty(line.text(field.id))
    const own = line.text(isNamed ? field.id : field.uuid)
    if (isEmpty(own)) return false
    stated.key = this.hash(own, isNamed ? messageSeed : recordSeed)
    const request = line.text(field.requestId)
    stated.request = isEmpty(request) ? 0 : this.hash(request, requestSeed)
    return stated.key !== -1 && stated.request !== -1
  }

  /** As `textHash`; -1 where it is more than ASCII. */
  private hash({ from, to }: Span, seed: number): number {
    const { look } = this
    if (look.hash(from, to, seed) !== 0) return -1
    return (look.answer[0] as number) * 0x100000000 + ((look.answer[1] as number) >>> 0)
  }

  /** False where a number has to be decoded. */
  private setCounts(): boolean {
    const { stated, look } = this
    const { answer } = look
    if (look.counts(field.input, 7) !== 0) return false
    stated.inputTokens = answer[0] as number
    stated.outputTokens = answer[1] as number
    stated.cacheReadTokens = answer[3] as number
    const long = answer[5] as number
    stated.cacheCreationTokens = Math.max(answer[2] as number, (answer[4] as number) + long)
    stated.cacheCreation1hTokens = long
    stated.webSearches = answer[6] as number
    return true
  }

  /** False where the line has no time of the usual kind. */
  private setTime(): boolean {
    const { line, stated } = this
    const span = line.text(field.timestamp)
    if (span.from !== -1) {
      stated.at = this.times.of(span)
      return true
    }
    const number = line.number(field.timestamp)
    stated.at = toMillis(number)
    return !Number.isNaN(number)
  }
}

const syntheticModel = '<synthetic>'

function isEmpty({ from, to }: Span): boolean {
  return from === -1 || from === to
}

function textOf(bytes: Uint8Array, { from, to }: Span): string {
  return from === -1 ? '' : bytesToText(bytes.subarray(from, to))
}

/** Texts that are mostly the same as the last time: then they need not be made again. */
class LastText {
  private readonly bytes: Uint8Array
  private readonly last: KnownText
  private text = ''

  constructor(look: UsageWalk, slot: number) {
    this.bytes = look.bytes
    this.last = new KnownText(look, slot)
  }

  of(span: Span): string {
    if (span.from === -1) return ''
    if (!this.last.is(span)) {
      this.last.become(this.bytes.subarray(span.from, span.to))
      this.text = textOf(this.bytes, span)
    }
    return this.text
  }
}

/** `2026-03-03T09:00` */
const minuteLength = 16

/** Times as the client writes them: `2026-03-03T09:00:10.115Z`. Within a minute only seconds are read. */
class Minutes {
  private readonly bytes: Uint8Array
  private readonly last: KnownText
  private readonly minute: Span = { from: 0, to: 0 }
  private millis: number | null = null

  constructor(look: UsageWalk, slot: number) {
    this.bytes = look.bytes
    this.last = new KnownText(look, slot)
  }

  of(span: Span): number | null {
    const within = this.seconds(span)
    if (within === -1) return toMillis(textOf(this.bytes, span))
    const { minute } = this
    minute.from = span.from
    minute.to = span.from + minuteLength
    if (!this.last.is(minute)) this.begin(minute)
    return this.millis === null ? toMillis(textOf(this.bytes, span)) : this.millis + within
  }

  private begin({ from, to }: Span): void {
    const bytes = this.bytes.subarray(from, to)
    this.last.become(bytes)
    const minute = bytesToText(bytes)
    const first = toMillis(`${minute}:00.000Z`)
    // The minute that ends a day has one moment only.
    this.millis = first !== null && toMillis(`${minute}:59.999Z`) === first + 59_999 ? first : null
  }

  /** `:10.115Z` in milliseconds; -1 where that is not what stands there. */
  private seconds({ from, to }: Span): number {
    const { bytes } = this
    if (to - from !== 24 || bytes[from + 16] !== 0x3a || bytes[from + 19] !== 0x2e || bytes[from + 23] !== 0x5a)
      return -1
    const tens = (bytes[from + 17] as number) - 0x30
    const ones = (bytes[from + 18] as number) - 0x30
    const tenths = (bytes[from + 20] as number) - 0x30
    const hundredths = (bytes[from + 21] as number) - 0x30
    const thousandths = (bytes[from + 22] as number) - 0x30
    const isPlain = isDigit(ones) && isDigit(tenths) && isDigit(hundredths) && isDigit(thousandths)
    if (!isPlain || tens < 0 || tens > 5) return -1
    return (tens * 10 + ones) * 1000 + tenths * 100 + hundredths * 10 + thousandths
  }
}

function isDigit(value: number): boolean {
  return value >= 0 && value <= 9
}
