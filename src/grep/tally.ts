// Counts what matches in a line as soon as it is found, where a number is all that is asked: of lines of the conversation,
// whose texts count whatever stands before them in the file. It makes no events and reads nothing.

import { bytesToText } from '../base/bytes.ts'
import { isObject, parseJson } from '../base/json.ts'
import { decodeContent } from '../decode/blocks.ts'
import { DialectReader } from '../decode/dialect.ts'
import { furtherTexts, shownTexts, type TextHolder } from '../session/event-texts.ts'
import { isAsciiOnly } from './bytewise.ts'
import type { ByteFilter, Looking } from './candidates.ts'
import type { GrepOptions } from './events.ts'
import { LeanLines } from './lean.ts'
import { LineMatcher } from './lines.ts'

const brace = 0x7b
const noContext = { before: 0, after: 0 }

/** Null where it depends on more than its texts whether a line counts. */
export function tallyFor(options: GrepOptions, filter: ByteFilter, looking: Looking = {}): Tally | null {
  return options.countsAtOnce === true ? new Tally(options, filter, looking) : null
}

export class Tally {
  private readonly matcher: LineMatcher
  private readonly lean: LeanLines
  private readonly toText: (line: Buffer) => string
  /** What files are called, and what else stands in them, means nothing for lines of the conversation. */
  private readonly dialects = new DialectReader('')

  constructor({ expression }: GrepOptions, filter: ByteFilter, looking: Looking) {
    this.matcher = new LineMatcher(expression, noContext)
    this.lean = new LeanLines(filter, noContext, looking)
    this.toText = isAsciiOnly(expression) ? latin1 : bytesToText
  }

  /** How many lines of its texts match; -1 where only decoding tells. */
  count(line: Buffer): number {
    if (line[0] !== brace || isSideRecord(line)) return -1
    const value = parseJson(this.toText(this.lean.of(line) ?? line))
    if (!isObject(value)) return -1
    const { type, message } = value
    if ((type !== 'user' && type !== 'assistant') || !isObject(message)) return -1
    if (typeof message['role'] !== 'string' || this.dialects.classify(value).dialect !== 'client') return -1
    return this.countTexts({ kind: 'answer', blocks: decodeContent(message['content'], {}), record: { value } })
  }

  /** What repeats the output in another form counts where the output does not. */
  private countTexts(said: TextHolder): number {
    let found = 0
    for (const { text } of shownTexts(said)) found += this.matcher.count(text)
    if (found > 0) return found
    for (const text of furtherTexts(said)) found += this.matcher.count(text)
    return found
  }
}

function latin1(line: Buffer): string {
  return line.toString('latin1')
}

const typeFirst = Buffer.from('{"type":"')

/** Whether a line begins with its type, and that is neither `user` nor `assistant`. */
function isSideRecord(line: Buffer): boolean {
  const { length } = typeFirst
  if (line.compare(typeFirst, 0, length, 0, length) !== 0) return false
  return line[length] !== 0x75 && !(line[length] === 0x61 && line[length + 1] === 0x73)
}
