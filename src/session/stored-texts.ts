// Texts that Claude Code stored in files of their own, outside of the log: output that was too large (`tool-results/…`) and
// pasted text (`paste-cache/…`). Which files an event names, and which texts a file has; they are not read here.

import { newline } from '../base/bytes.ts'
import { largestLine } from '../decode/lines.ts'
import type { EventOf, SessionEvent } from '../model/event.ts'

/** Where an error of an MCP tool says that its output is; the path may be another machine's. */
const mentioned = /[\\/]tool-results[\\/]([\w.-]{0,200}\w)/
/** It says so at its beginning. */
const lookedAt = 2000

/** Names, without folders, of the files that have texts of this event. */
export function storedNames(event: SessionEvent): string[] {
  if (event.kind === 'history') return pastedNames(event)
  const names: string[] = []
  for (const block of event.blocks) {
    if (block.type !== 'tool-result') continue
    const [first] = block.content
    const said = first?.type === 'text' ? mentioned.exec(first.text.slice(0, lookedAt))?.[1] : undefined
    const name = block.spillFile === undefined ? said : block.spillFile.replace(/^.*[\\/]/, '')
    if (name !== undefined && name !== '') names.push(name)
  }
  return names
}

/** `{"id":1,"type":"text","contentHash":"…"}`; earlier versions wrote the text itself. */
function pastedNames({ detail }: EventOf<'history'>): string[] {
  return (detail?.pasted ?? []).flatMap(item => {
    const hash = typeof item === 'string' ? undefined : item.contentHash
    return hash !== undefined && /^[0-9a-f]{8,128}$/i.test(hash) ? [`${hash}.txt`] : []
  })
}

/** Whether the bytes of a file are text: pictures and documents are stored, too. Output may have a NUL in it. */
export function isText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 64 * 1024)
  return !head.includes(0) || isUtf8(head)
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    // A character may go on behind the last byte.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Where the text ends that begins a file with these bytes: a file larger than a line may be is several, of whole lines. */
export function textEnd(bytes: Uint8Array): number {
  if (bytes.length <= largestLine) return bytes.length
  return bytes.lastIndexOf(newline, largestLine - 1) + 1 || largestLine
}
