import { describe, expect, it } from 'vitest'
import { eventKinds } from '../model/event.ts'
import { textFields, textKindNamed, textKindOf, textKinds, textsCalled } from './text-kinds.ts'

describe('names of texts', () => {
  it('are known to filters, whatever a hit is called', () => {
    for (const kind of eventKinds) {
      if (kind === 'snapshot' || kind === 'malformed') continue
      for (const field of textFields) {
        const name = textKindOf(kind, field)
        expect(textKinds).toContain(name)
        expect(textKindNamed(name)).toBe(name)
        const meant = textsCalled(name)
        expect(meant.field === field || meant.kind === kind, `${kind} ${field}`).toBe(true)
      }
    }
  })

  it('do not call what a tool was asked for an answer', () => {
    expect(textKindOf('answer', 'text')).toBe('answer')
    expect(textKindOf('answer', 'input')).toBe('call')
    expect(textKindOf('answer', 'thinking')).toBe('thinking')
    expect(textKindOf('tool-results', 'output')).toBe('result')
  })

  it('may be written in any case, in the plural, and by some other words', () => {
    expect(['Prompts', 'CALL', 'tool-results', 'outputs', 'summary'].map(textKindNamed)).toEqual([
      'prompt',
      'call',
      'result',
      'result',
      'compact-summary',
    ])
    expect(textKindNamed('cal')).toBeUndefined()
  })
})
