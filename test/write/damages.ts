// Ways in which a session file can be damaged, for any session: each takes its lines and gives bytes, and says which lines were
// destroyed, so that what they said is not asked for.

import { isObject, type JsonObject, jsonText, parseJson } from '../../src/base/json.ts'

export interface Damaged {
  bytes: Uint8Array
  /** Lines, from 0, whose content is gone. */
  destroyed: ReadonlySet<number>
}

interface LogLine {
  text: string
  value: JsonObject
}

type Damage = (lines: readonly LogLine[]) => Damaged

const encoder = new TextEncoder()

export function parseLog(text: string): LogLine[] {
  const lines = text.split('\n').filter(line => line !== '')
  return lines.map(line => {
    const value = parseJson(line)
    return { text: line, value: isObject(value) ? value : {} }
  })
}

function written(lines: readonly string[], destroyed: Iterable<number> = []): Damaged {
  return { bytes: encoder.encode(lines.map(line => `${line}\n`).join('')), destroyed: new Set(destroyed) }
}

/** Each line as another text. */
function each(change: (line: LogLine, at: number) => string | string[]): Damage {
  return lines => written(lines.flatMap((line, at) => change(line, at)))
}

/** One line as another text; `pick` chooses among those lines that it fits. */
function one(
  fits: (line: LogLine) => boolean,
  share: number,
  change: (line: LogLine) => string[],
  isLost: boolean,
): Damage {
  return lines => {
    const at = placeOf(lines, fits, share)
    return written(
      lines.flatMap((line, place) => (place === at ? change(line) : [line.text])),
      isLost && at !== -1 ? [at] : [],
    )
  }
}

function placeOf(lines: readonly LogLine[], fits: (line: LogLine) => boolean, share: number): number {
  const places = [...lines.keys()].filter(at => fits(lines[at] as LogLine))
  return places[Math.min(places.length - 1, Math.floor(places.length * share))] ?? -1
}

const isMain = ({ value }: LogLine): boolean => value['isSidechain'] !== true && typeof value['uuid'] === 'string'
const isBorder = ({ value }: LogLine): boolean => value['subtype'] === 'compact_boundary'
const isUser = (line: LogLine): boolean => isMain(line) && line.value['type'] === 'user'
const isAnswer = (line: LogLine): boolean => isMain(line) && line.value['type'] === 'assistant'
const isResult = (line: LogLine): boolean => isUser(line) && line.text.includes('"tool_use_id"')
const isPrompt = (line: LogLine): boolean => isUser(line) && !isResult(line)
const isCall = (line: LogLine): boolean => isAnswer(line) && line.text.includes('"tool_use"')
const isText = (line: LogLine): boolean => isAnswer(line) && !isCall(line) && line.text.includes('"type":"text"')
const isMessage = (line: LogLine): boolean => isUser(line) || isAnswer(line)
const isChild = (line: LogLine): boolean => isMessage(line) && typeof line.value['parentUuid'] === 'string'

const withFields = ({ value }: LogLine, fields: JsonObject): string => jsonText({ ...value, ...fields })
const without = ({ value }: LogLine, ...names: string[]): string =>
  jsonText(Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))))

const lostUuid = '99999999-0000-4000-8000-000000000000'
const garbage = '\u0001\u0002 garbage }{ ]'

function utf16(lines: readonly LogLine[], isBig: boolean): Damaged {
  const text = `\ufeff${lines.map(line => `${line.text}\n`).join('')}`
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), !isBig)
  return { bytes, destroyed: new Set() }
}

/** Two lines on one. */
function glued(fits: (line: LogLine) => boolean, between: string): Damage {
  return lines => {
    const at = placeOf(lines.slice(0, -1), fits, 0.5)
    const texts = lines.map(({ text }) => text)
    if (at !== -1) texts.splice(at, 2, `${texts[at]}${between}${texts[at + 1]}`)
    return written(texts)
  }
}

/** Cut behind the content, so that all that it says is there. */
function tornBehind({ text }: LogLine): string {
  const at = Math.max(text.indexOf('"stop_reason"'), text.indexOf(',"uuid"'), Math.floor(text.length * 0.6))
  return text.slice(0, at + 5)
}

/** A parent below the record itself. */
function loop(share: number): Damage {
  return lines => {
    const at = placeOf(lines, isChild, share)
    const target = lines[at]
    const last = lines.findLast(isMessage)
    if (target === undefined || last === undefined) return written(lines.map(({ text }) => text))
    return written(
      lines.map((line, place) => (place === at ? withFields(line, { parentUuid: last.value['uuid'] }) : line.text)),
    )
  }
}

export const damages: Readonly<Record<string, Damage>> = {
  'no final newline': lines => {
    const { bytes, destroyed } = written(lines.map(({ text }) => text))
    return { bytes: bytes.subarray(0, -1), destroyed }
  },
  'byte order mark': lines => written([`\ufeff${lines[0]?.text}`, ...lines.slice(1).map(({ text }) => text)]),
  'CR LF': each(({ text }) => `${text}\r`),
  'UTF-16 little endian': lines => utf16(lines, false),
  'UTF-16 big endian': lines => utf16(lines, true),
  'blank lines': each(({ text }, at) => (at % 5 === 2 ? ['', text, '   '] : text)),
  'NULs at the end': lines => written([...lines.map(({ text }) => text), '\0'.repeat(3000)]),
  'NULs before a record': one(isMessage, 0.5, ({ text }) => [`${'\0'.repeat(700)}${text}`], false),
  'NULs in place of a result': one(isResult, 0.5, ({ text }) => ['\0'.repeat(text.length)], true),
  'glued answers': glued(isAnswer, ''),
  'glued results': glued(isResult, ' '),
  'a comma behind every record': each(({ text }) => `${text},`),
  'one list, a record a line': lines => written(['[', ...lines.map(({ text }) => `${text},`), ']']),
  'one list on one line': lines => written([`[${lines.map(({ text }) => text).join(',')}]`]),
  'pretty printed': each(({ value }) => JSON.stringify(value, null, 2)),
  'a raw line end in a text': one(
    isText,
    0.5,
    ({ text }) => text.replace(/("text":"[^"\\]{4})/, '$1\n').split('\n'),
    false,
  ),
  'a raw tab in a text': one(isText, 0.5, ({ text }) => [text.replace(/("text":"[^"\\]{4})/, '$1\t')], false),
  'garbage lines': each(({ text }, at) => (at % 7 === 3 ? [text, garbage] : text)),
  'garbage behind records': each(({ text }, at) => (at % 4 === 1 ? `${text} ${garbage}` : text)),
  'garbage for an answer': one(isText, 0.4, () => [garbage], true),
  'garbage for a call': one(isCall, 0.5, () => [garbage], true),
  'garbage for a result': one(isResult, 0.5, () => [garbage], true),
  'a result left out': one(isResult, 0.3, () => [], true),
  'a call left out': one(isCall, 0.3, () => [], true),
  'a prompt left out': one(isPrompt, 0.6, () => [], true),
  'a result twice': one(isResult, 0.5, line => [line.text, withFields(line, { uuid: lostUuid })], false),
  'an answer torn behind its text': one(isText, 0.5, line => [tornBehind(line)], false),
  'a call torn behind its input': one(isCall, 0.5, line => [tornBehind(line)], false),
  'the last line torn': lines => {
    const at = lines.findLastIndex(isAnswer)
    const kept = lines.slice(0, at).map(({ text }) => text)
    const last = lines[at]
    // Another damage left none.
    if (last === undefined) return written(lines.map(({ text }) => text))
    return written([...kept, tornBehind(last)], [...lines.keys()].slice(at + 1))
  },
  'a parent missing': one(isChild, 0.5, line => [withFields(line, { parentUuid: lostUuid })], false),
  'all parents missing': each(line =>
    isMessage(line) && line.value['parentUuid'] !== null ? withFields(line, { parentUuid: lostUuid }) : line.text,
  ),
  'a parent null': one(isChild, 0.5, line => [withFields(line, { parentUuid: null })], false),
  'every answer without a parent': each(line => (isAnswer(line) ? withFields(line, { parentUuid: null }) : line.text)),
  'no parents': each(line => (isMain(line) && !isBorder(line) ? without(line, 'parentUuid') : line.text)),
  'a loop in the middle': loop(0.4),
  'a loop from the beginning': loop(0),
  'every record twice': each(({ text }) => [text, text]),
  'the file twice': lines => written([...lines, ...lines].map(({ text }) => text)),
  'one uuid for two': lines => {
    const [one, other] = [placeOf(lines, isPrompt, 0), placeOf(lines, isResult, 0.5)]
    const [from, to] = [lines[other]?.value['uuid'], lines[one]?.value['uuid']]
    if (typeof from !== 'string' || typeof to !== 'string') return written(lines.map(({ text }) => text))
    return written(lines.map(({ text }) => text.replaceAll(from, to)))
  },
  'no uuids': each(line => (isMain(line) ? without(line, 'uuid') : line.text)),
  'a message without uuid': one(isChild, 0.5, line => [without(line, 'uuid')], false),
  reversed: lines => written([...lines].reverse().map(({ text }) => text)),
  'reversed, a parent missing': lines =>
    written(
      [...lines]
        .map((line, at) =>
          at === placeOf(lines, isChild, 0.6) ? withFields(line, { parentUuid: lostUuid }) : line.text,
        )
        .reverse(),
    ),
  'no times': each(line => (isMain(line) ? without(line, 'timestamp') : line.text)),
  'times that are none': each(line => (isMain(line) ? withFields(line, { timestamp: 'soon' }) : line.text)),
  'times as numbers': each(line =>
    isMain(line) ? withFields(line, { timestamp: Date.parse(String(line.value['timestamp'])) }) : line.text,
  ),
  'no session': each(line => without(line, 'sessionId')),
  'other roles': each(line =>
    isMessage(line)
      ? withFields(line, { message: { ...(line.value['message'] as object), role: 'system' } })
      : line.text,
  ),
  'no types': each(line => (isMessage(line) ? without(line, 'type') : line.text)),
  'no last prompt': lines =>
    written(lines.filter(({ value }) => value['type'] !== 'last-prompt').map(({ text }) => text)),
  'a stale last prompt': lines => {
    const first = lines.find(isPrompt)?.value
    const stale = { type: 'last-prompt', lastPrompt: '', leafUuid: first?.['uuid'], sessionId: first?.['sessionId'] }
    const stray = {
      ...lines.findLast(isAnswer)?.value,
      uuid: lostUuid,
      parentUuid: first?.['uuid'],
      message: strayMessage,
    }
    return written([...lines.map(({ text }) => text), jsonText(stray), jsonText({ ...stale, leafUuid: lostUuid })])
  },
  'half of a surrogate pair': one(
    isPrompt,
    0.5,
    ({ text }) => [text.replace(/("(?:content|text)":"[^"\\]{3,})/, '$1\\ud83d')],
    false,
  ),
  'all marked as a subagent’s': each(line => (isMain(line) ? withFields(line, { isSidechain: true }) : line.text)),
}

const strayMessage = {
  id: 'msg_stray',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5-5',
  content: [{ type: 'text', text: 'A stray answer.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}
