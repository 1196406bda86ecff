// Results that the client no longer sends in full: the log keeps the output and says beside it that a stub took its place.
//
//   {"type":"system","subtype":"microcompact_boundary","microcompactMetadata":{"compactedToolIds":["toolu_…"]}}    2.1.9 to 2.1.22
//   {"type":"content-replacement","replacements":[{"toolUseId":"toolu_…","replacement":"…"}]}                      2.1.9x on
// Neither shape is common; what does not look like this is left as it is.

import { asArray, asObject, asString } from '../../base/json.ts'
import type { SessionEvent, ToolResultBlock } from '../../model/event.ts'

const cleared = '[Old tool result content cleared]'

/** Call id → the text that is sent in place of its result. */
export type Stubs = Map<string, string>

export function noteStubs(stubs: Stubs, event: SessionEvent): void {
  if (event.kind === 'compaction' && event.detail?.['phase'] === 'micro') {
    for (const id of asArray(event.detail['compactedToolIds'])) if (typeof id === 'string') stubs.set(id, cleared)
  } else if (event.wireType === 'content-replacement') {
    for (const item of asArray(event.record.value?.['replacements'])) {
      const id = asString(asObject(item)?.['toolUseId'])
      const text = asString(asObject(item)?.['replacement'])
      if (id !== undefined && text !== undefined) stubs.set(id, text)
    }
  }
}

export function withStub(block: ToolResultBlock, stubs: Stubs): ToolResultBlock {
  const text = stubs.get(block.callId)
  if (text === undefined) return block
  return { type: 'tool-result', callId: block.callId, isError: block.isError, content: [{ type: 'text', text }] }
}
