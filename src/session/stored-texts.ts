// Texts that Claude Code stored in files of their own, outside of the log: output that was too large (`tool-results/…`) and
// pasted text (`paste-cache/…`). Which files an event names; they are not read here.

import { asArray, asString, isObject } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'

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
function pastedNames({ detail }: SessionEvent): string[] {
  return asArray(detail?.['pasted']).flatMap(item => {
    const hash = isObject(item) ? asString(item['contentHash']) : undefined
    return hash !== undefined && /^[0-9a-f]{8,128}$/i.test(hash) ? [`${hash}.txt`] : []
  })
}

/** Whether bytes are a text; pictures and documents are stored, too. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, 64 * 1024).includes(0)
}
