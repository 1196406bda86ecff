import { describe, expect, it } from 'vitest'
import { detailFields } from '../model/detail.ts'
import { toEventLine } from '../session/load.ts'
import { decodeText } from './events.ts'

function one(record: object) {
  const [event] = decodeText(`${JSON.stringify({ uuid: 'u', sessionId: 's', version: '2.1.0', ...record })}\n`).events
  if (event === undefined) throw new Error('no event')
  return event
}

describe('detail by kind', () => {
  it('narrows with the kind', () => {
    const event = one({
      type: 'system',
      subtype: 'compact_boundary',
      compactMetadata: { trigger: 'auto', preTokens: 9 },
    })
    if (event.kind !== 'compaction') throw new Error(event.kind)
    const tokens: number | undefined = event.detail?.preTokens
    expect([event.detail?.phase, event.detail?.trigger, tokens]).toEqual(['done', 'auto', 9])
  })

  it('keeps fields without a name of their own where they were', () => {
    const event = one({ type: 'system', subtype: 'turn_duration', durationMs: 5, later: { a: [1] } })
    expect(event.detail).toEqual({ subtype: 'turn_duration', durationMs: 5, later: { a: [1] } })
    expect(event.misfits).toBeUndefined()
  })

  it('takes a value that its name cannot mean for absent, and prints it all the same', () => {
    const event = one({ type: 'system', subtype: 'turn_duration', durationMs: 'long', level: 3 })
    expect(event.detail).toEqual({ subtype: 'turn_duration' })
    expect(detailFields(event)).toEqual({ subtype: 'turn_duration', level: 3, durationMs: 'long' })
    expect(toEventLine(event).detail).toEqual(detailFields(event))
    expect(toEventLine(event)).not.toHaveProperty('misfits')
  })

  it('looks into what a field holds', () => {
    const hook = {
      type: 'attachment',
      attachment: { type: 'hook_success', exitCode: '0', hookInfos: [{ command: 1 }] },
    }
    expect(one(hook)).toMatchObject({
      detail: { attachmentType: 'hook_success' },
      misfits: { exitCode: '0', hookInfos: [{ command: 1 }] },
    })
    const queue = { type: 'queue-operation', operation: 'enqueue', content: '{"task_id":"a","description":7}' }
    expect(one(queue).detail).toMatchObject({ operation: 'enqueue', task: { id: 'a' } })
  })
})
