import { describe, expect, it } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { textKinds } from '../../session/text-kinds.ts'
import { kindsOfEvent, readKinds } from './kinds.ts'

describe('kinds that people name', () => {
  it('are those of hits, in any case and number, with commas or again and again', () => {
    expect(readKinds(['Prompts,call', 'result', 'prompt'])).toEqual(['prompt', 'call', 'result'])
    expect(readKinds(undefined)).toEqual([])
  })

  it('are an error that lists all of them where one is unknown', () => {
    expect(() => readKinds(['promt'])).toThrow(
      '--kind promt: there is no kind "promt"; did you mean prompt? it is one of',
    )
    expect(() => readKinds('zzzz')).toThrow(`it is one of ${textKinds.join(', ')}`)
  })

  it('are what the parts of an event are called', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } },
    ]
    const message = { role: 'assistant', content }
    const [event] = decodeText(JSON.stringify({ type: 'assistant', uuid: 'u', sessionId: 's', message })).events
    expect(event && [...kindsOfEvent(event)]).toEqual(['thinking', 'call'])
    const [title] = decodeText(JSON.stringify({ type: 'custom-title', customTitle: 'x', sessionId: 's' })).events
    expect(title && [...kindsOfEvent(title)]).toEqual(['title'])
  })
})
