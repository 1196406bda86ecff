// The bytes of one log → what its records state about API messages, without an index. Only lines with the key `"usage"` are
// parsed. It finds no files and joins no statements.
//
// A plain line is one that Claude Code writes and that needs no line before it to be understood. Where a line with the key is
// anything else (damaged, glued, another dialect, no version, a sidechain without its agent's name), or a NUL byte may hide
// the key, the whole log is decoded instead. A key with escaped letters (`"us\u0061ge"`) is not found: no writer of JSON
// escapes letters, and to look for it would take a tenth of the time.

import { newline } from '../../base/bytes.ts'
import { toInstant } from '../../base/instant.ts'
import { asObject, asString, isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { messageFacts, writesFinalOutput } from '../../decode/assistant.ts'
import { DialectReader } from '../../decode/dialect.ts'
import { embeddedLine } from '../../decode/embedded.ts'
import { EventDecoder } from '../../decode/events.ts'
import { largestLine } from '../../decode/lines.ts'
import { RecordDecoder } from '../../decode/records.ts'
import { RecordStated } from '../../decode/stated.ts'
import { eventId, sessionId, threadId } from '../../model/ids.ts'
import type { RangeReader } from '../../model/source.ts'
import type { UsageStatement } from '../../model/usage.ts'
import { type StatingEvent, type UsageExtras, type UsageLog, usageStatement } from '../statement.ts'

type Take = (statement: UsageStatement) => void

const usageKey = Buffer.from('"usage"')
const openBrace = 0x7b
/** This much is still in the processor's cache when it is searched. */
const chunkBytes = 256 * 1024

/**
 * The statements of a log, in file order. `extras` ask for the content of records, so the whole log is decoded. `buffer`: one
 * for many logs saves most of the garbage.
 */
export function scanLog(
  reader: RangeReader,
  log: UsageLog,
  extras: UsageExtras = {},
  buffer = lineBuffer(),
): UsageStatement[] {
  const needsContent = extras.withTools === true || extras.visibleTokens !== undefined
  const plain = needsContent ? null : scanPlain(reader, log, buffer)
  return plain ?? decodeLog(reader, log, extras)
}

/** Null where the whole log has to be decoded. */
function scanPlain(reader: RangeReader, log: UsageLog, buffer: Buffer): UsageStatement[] | null {
  const found: UsageStatement[] = []
  const scan = new LineScan(log, statement => found.push(statement))
  for (const { lines, offset } of wholeLines(reader, 0, buffer)) if (!scan.lines(lines, offset)) return null
  return found
}

/** For `wholeLines`. */
export function lineBuffer(): Buffer {
  return Buffer.allocUnsafe(chunkBytes)
}

/** Some lines of a log. The bytes are good until the next ones are read. */
interface Lines {
  lines: Buffer
  /** Of the first byte in the log. */
  offset: number
  /** False for a last line without a newline, which may still grow. */
  isEnded: boolean
}

/** The lines of a log from `from` on. Lines that are too long to be decoded are left out. */
export function* wholeLines(reader: RangeReader, from: number, firstBuffer = lineBuffer()): Generator<Lines> {
  let buffer = firstBuffer
  let offset = from
  let held = 0
  for (;;) {
    const filled = held + reader.read(buffer.subarray(held), offset + held)
    const end = buffer.subarray(0, filled).lastIndexOf(newline) + 1
    if (end > 0) yield { lines: buffer.subarray(0, end), offset, isEnded: true }
    if (filled < buffer.length) {
      if (filled > end) yield { lines: buffer.subarray(end, filled), offset: offset + end, isEnded: false }
      return
    }
    held = filled - end
    offset += end
    if (end > 0) {
      buffer.copyWithin(0, end)
    } else if (buffer.length <= largestLine) {
      buffer = Buffer.concat([buffer], 2 * buffer.length)
    } else {
      offset = nextLine(reader, offset + held, buffer)
      held = 0
    }
  }
}

/** Where the line after this place begins; the end of the log where there is none. */
function nextLine(reader: RangeReader, from: number, buffer: Buffer): number {
  for (let at = from; ; at += buffer.length) {
    const filled = reader.read(buffer, at)
    const end = buffer.subarray(0, filled).indexOf(newline)
    if (end !== -1) return at + end + 1
    if (filled < buffer.length) return at + filled
  }
}

/** Reads whole lines of one log. */
export class LineScan {
  private readonly log: UsageLog
  private readonly take: Take
  private readonly dialects: DialectReader

  constructor(log: UsageLog, take: Take) {
    this.log = log
    this.take = take
    this.dialects = new DialectReader(log.path)
  }

  /** `offset`: of the first byte in the log. False where a line is not plain; what was taken before is right. */
  lines(bytes: Buffer, offset: number): boolean {
    if (bytes.includes(0)) return false
    for (let at = bytes.indexOf(usageKey); at !== -1; ) {
      const start = bytes.lastIndexOf(newline, at) + 1
      const newlineAt = bytes.indexOf(newline, at)
      const end = newlineAt === -1 ? bytes.length : newlineAt
      if (end - start <= largestLine && !this.line(bytes, start, end, offset)) return false
      at = bytes.indexOf(usageKey, end)
    }
    return true
  }

  private line(bytes: Buffer, start: number, end: number, offset: number): boolean {
    const value = bytes[start] === openBrace ? parseLine(bytes, start, end) : undefined
    if (!isObject(value)) return false
    const { type, uuid } = value
    if (type !== 'assistant' && type !== 'progress') return true
    const event = plainEvent(value, this.log, offset + start, this.dialects)
    if (event !== null && type === 'progress')
      return this.embedded(value, event, asString(uuid) || `@${offset + start}`)
    const statement = event === null ? null : usageStatement(event, this.log)
    if (statement !== null) this.take(statement)
    return event !== null
  }

  /** The answer of a subagent that a progress record carries. */
  private embedded(value: JsonObject, carrier: StatingEvent, id: string): boolean {
    const line = embeddedLine(value, id)
    if (line?.['type'] !== 'assistant') return true
    const hasFinalOutput = writesFinalOutput(asString(value['version']) ?? '')
    const uuid = eventId(asString(line['uuid']) ?? '')
    const message = messageFacts({ value: line, id: uuid, hasFinalOutput }, asObject(line['message']) ?? {})
    if (message === undefined) return true
    const thread = threadId(asString(line['agentId']) ?? '')
    const at = toInstant(line['timestamp'])
    const event: StatingEvent = {
      ...carrier,
      id: uuid,
      kind: answerKind(line),
      thread,
      at,
      flags: ['embedded', 'sidechain'],
      message,
      stated: new RecordStated(line),
    }
    const statement = usageStatement(event, this.log)
    if (statement !== null) this.take(statement)
    return true
  }
}

/** As Latin-1, which is quicker to make and to parse than UTF-8: only ids and numbers count here, and nearly all are ASCII. */
function parseLine(bytes: Buffer, start: number, end: number): unknown {
  const value = parseJson(bytes.toString('latin1', start, end))
  return isObject(value) && mayNameBeyondAscii(value) ? parseJson(bytes.toString('utf8', start, end)) : value
}

/** Whether a text that gets into a statement may not be ASCII. */
function mayNameBeyondAscii(value: JsonObject): boolean {
  const { type, sessionId: session, agentId, uuid, requestId } = value
  if (type === 'progress') return true
  const { id, model } = asObject(value['message']) ?? {}
  return beyondAscii.test([session, agentId, uuid, requestId, id, model].join())
}

const beyondAscii = /[\u0080-\uffff]/

/** What a statement needs of the event that `EventDecoder` would make of this record; null where the record is not plain. */
function plainEvent(value: JsonObject, log: UsageLog, offset: number, dialects: DialectReader): StatingEvent | null {
  const { sessionId: session, version, timestamp, isSidechain, message } = value
  const isAnswer = value['type'] === 'assistant'
  if (typeof session !== 'string' || session === '' || log.options.session === undefined) return null
  if (typeof version !== 'string' || typeof timestamp !== 'string' || typeof isSidechain !== 'boolean') return null
  if (isAnswer ? !isObject(message) || typeof message['role'] !== 'string' : 'message' in value) return null
  if (dialects.classify(value).dialect !== 'client') return null
  const agent = asString(value['agentId']) ?? log.options.agent
  const isMain = log.options.agent === undefined && !isSidechain
  const thread = isMain ? log.options.session : agent
  if (thread === undefined) return null
  const id = eventId(asString(value['uuid']) ?? '')
  const hasFinalOutput = writesFinalOutput(version)
  const facts = isAnswer && isObject(message) ? messageFacts({ value, id, hasFinalOutput }, message) : undefined
  return {
    id,
    kind: isAnswer ? answerKind(value) : 'progress',
    session: sessionId(session),
    thread: threadId(thread),
    at: toInstant(timestamp),
    flags: isSidechain ? ['sidechain'] : [],
    blocks: [],
    stated: new RecordStated(value),
    source: { file: log.path, offset },
    ...(facts !== undefined && { message: facts }),
  }
}

function answerKind(value: JsonObject): StatingEvent['kind'] {
  return value['isApiErrorMessage'] === true ? 'api-error' : 'answer'
}

/** The same by decoding every record. */
function decodeLog(reader: RangeReader, log: UsageLog, extras: UsageExtras): UsageStatement[] {
  const found: UsageStatement[] = []
  const decode = new LogDecode(log, extras, statement => found.push(statement))
  for (let at = 0; ; at += chunkBytes) {
    // Records may point into earlier chunks.
    const chunk = Buffer.allocUnsafe(chunkBytes)
    const length = reader.read(chunk, at)
    decode.push(chunk.subarray(0, length))
    if (length < chunkBytes) break
  }
  decode.end()
  return found
}

/** Decodes the records of a log, from its first byte or from the beginning of a later line. */
export class LogDecode {
  private readonly records: RecordDecoder
  private readonly events: EventDecoder
  private readonly log: UsageLog
  private readonly extras: UsageExtras
  private readonly take: Take

  constructor(log: UsageLog, extras: UsageExtras, take: Take, offset = 0) {
    this.log = log
    this.extras = extras
    this.take = take
    const dialects = { client: 0, s0: 0, s3: 0 }
    this.records = new RecordDecoder(log.path, { place: { offset, number: 1 }, dialects })
    this.events = new EventDecoder(log.options)
  }

  push(chunk: Uint8Array): void {
    this.decode(this.records.push(chunk))
  }

  end(): void {
    this.decode(this.records.end())
  }

  private decode(records: ReturnType<RecordDecoder['push']>): void {
    for (const record of records) {
      for (const event of this.events.decode(record)) {
        const statement = usageStatement(event, this.log, this.extras)
        if (statement !== null) this.take(statement)
      }
    }
  }
}
