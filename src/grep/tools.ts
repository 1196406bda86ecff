// Which tools sessions call, by the raw bytes of their logs: for telling a tool that no session calls from one whose calls have
// no match. It decodes nothing.

import { ReadError } from '../disk/read/read.ts'
import type { ByteSource, SessionFiles } from '../model/source.ts'
import { escapeExpression } from './expression.ts'
import { linePieces } from './pieces.ts'

/** As specification 003 writes it. */
const named = /"subtype"\s*:\s*"tool_use"\s*,\s*"toolName"\s*:\s*"([^"\\]{1,200})"/g

const called = /"type"\s*:\s*"tool_use"\s*,(?:\s*"id"\s*:\s*"[^"]*"\s*,)?\s*"name"\s*:\s*"([^"\\]{1,200})"/g

/** The tools that are called; null where this one may be among them. */
export function toolsOtherThan(tool: string, sessions: readonly SessionFiles[], source: ByteSource): string[] | null {
  const name = escapeExpression(tool)
  const asked = new RegExp(`"${name}"|"${name}__|__${name}"`, 'i')
  const tools = new Set<string>()
  for (const log of sessions.flatMap(({ logs }) => logs)) {
    try {
      for (const { bytes } of linePieces(source, log.generation)) {
        const text = bytes.toString('latin1')
        if (asked.test(text)) return null
        for (const writing of [called, named]) for (const [, found = ''] of text.matchAll(writing)) tools.add(found)
      }
    } catch (error) {
      // The search has reported it.
      if (!(error instanceof ReadError)) throw error
    }
  }
  return [...tools].sort()
}
