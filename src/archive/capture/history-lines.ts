// What the lines of a prompt history say of sessions: which of them name one, and which pasted texts they name. Claude Code
// keeps this file, and the texts next to it, when it deletes sessions.

import { newline } from '../../base/bytes.ts'

export interface HistoryScan {
  /** Lines of the sessions in question. */
  lines: number
  /** Lines that name no session at all, as early clients wrote them: they may be of any. */
  linesWithoutSession: number
  /** Names of pasted texts in lines of the sessions in question. */
  pastes: Set<string>
  /** Names of pasted texts in other lines, with what those are of; empty where that is unknown. */
  others: Map<string, Set<string>>
}

/** Each line without its newline; the last one may be torn. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let open: Buffer[] = []
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    let at = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, at)) {
      yield Buffer.concat([...open, chunk.subarray(at, end)])
      open = []
      at = end + 1
    }
    open.push(chunk.subarray(at))
  }
  const rest = Buffer.concat(open)
  if (rest.length > 0) yield rest
}

function namesAny(line: Buffer, sessions: Iterable<string>): boolean {
  for (const session of sessions) if (line.includes(session)) return true
  return false
}

export async function scanHistory(
  chunks: AsyncIterable<Uint8Array>,
  sessions: ReadonlySet<string>,
): Promise<HistoryScan> {
  const scan: HistoryScan = { lines: 0, linesWithoutSession: 0, pastes: new Set(), others: new Map() }
  for await (const line of linesOf(chunks)) {
    const isTheirs = namesAny(line, sessions)
    const isNameless = !line.includes('"sessionId"')
    if (isTheirs) scan.lines++
    else if (line.length > 0 && isNameless) scan.linesWithoutSession++
    if (!line.includes('"contentHash"')) continue
    const text = line.toString('utf8')
    for (const name of pastesIn(text)) {
      if (isTheirs) scan.pastes.add(name)
      else addTo(scan.others, name, sessionIn(text))
    }
  }
  return scan
}

/** Paths from the home: `paste-cache/0123456789abcdef.txt`. */
function* pastesIn(line: string): Generator<string> {
  for (const [, hash] of line.matchAll(/"contentHash":\s*"([0-9a-f]{8,128})"/gi)) yield `paste-cache/${hash}.txt`
}

export function sessionIn(line: string): string {
  return /"sessionId":\s*"([^"\\]{1,200})"/.exec(line)?.[1] ?? ''
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key)
  if (set === undefined) map.set(key, new Set([value]))
  else set.add(value)
}
