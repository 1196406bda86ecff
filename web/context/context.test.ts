import { describe, expect, it } from 'vitest'
import type { ContextAt, Outline } from '../../src/view/reading.ts'
import {
  colourOf,
  endNote,
  makeUpShown,
  promptOf,
  shareText,
  stepAtSlot,
  stepOfTurn,
  stepsOf,
  turnsOf,
} from './steps.ts'

const outline: Outline = {
  thread: 's',
  ids: ['p1', 'a1', 'a2', 'cut', 'p2', 'a3', 'left', 'a4'],
  kinds: [0, 0, 0, 0, 0, 0, 0, 0],
  at: [1, 2, 3, 4, 5, 6, 7, null],
  turns: [0, 0, 0, 0, 1, 1, 1, 1],
  calls: {},
  context: { 1: 100, 2: 200, 5: 50, 6: 999, 7: 70 },
  errors: [],
  branches: { 6: 'leaf' },
  prompts: { 0: 'first', 4: 'second' },
  quiet: [],
  unlogged: [],
  turnFacts: {},
}
const steps = stepsOf(outline, [{ event: 'cut', thread: 's', at: null }])
const part = (kind: string, tokens: number, tool?: string): ContextAt['parts'][number] => ({
  kind,
  tokens,
  blocks: 1,
  isEstimated: tool !== undefined,
  ...(tool !== undefined && { tool }),
})

describe('steps', () => {
  it('are the answers of the current path, with the border that is before one', () => {
    expect(steps.map(({ event, isAfterCompaction }) => [event, isAfterCompaction])).toEqual([
      ['a1', false],
      ['a2', false],
      ['a3', true],
      ['a4', false],
    ])
  })

  it('are found by any slot', () => {
    expect([0, 1, 3, 4, 5, 6, 7, 99].map(slot => stepAtSlot(steps, slot))).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
    expect(stepAtSlot([], 4)).toBe(0)
  })

  it('lead from turn to turn', () => {
    expect([0, 1, 2].map(at => stepOfTurn(steps, at, 1))).toEqual([2, 2, 3])
    expect([3, 2, 1, 0].map(at => stepOfTurn(steps, at, -1))).toEqual([2, 0, 0, 0])
  })

  it('know the prompt that they answer', () => {
    expect(steps.map(step => promptOf(outline, step))).toEqual(['first', 'first', 'second', 'second'])
  })
})

describe('turns', () => {
  it('say how much they added, and where history was compacted', () => {
    const turns = turnsOf(outline, steps)
    expect(turns.map(({ prompt, first, last }) => [prompt, first, last])).toEqual([
      ['first', 0, 1],
      ['second', 2, 3],
    ])
    expect(turns.reduce((sum, { added }) => sum + added, 0)).toBe(steps.at(-1)?.tokens)
    expect(turns.map(({ tokens }) => tokens)).toEqual([steps[1]?.tokens, steps[3]?.tokens])
  })
})

describe('colours', () => {
  it('are another one for every kind', () => {
    const kinds = 'prompts answers thinking calls output summaries attachments commands notifications media client'
    const colours = [...kinds.split(' '), 'system', 'not-itemised'].map(colourOf)
    expect(new Set(colours).size).toBe(colours.length)
    expect(colours.filter(colour => /faint|system|soft/.test(colour))).toEqual([])
  })
})

describe('the make-up', () => {
  const context: ContextAt = {
    event: 'a2',
    tokens: 160,
    isEstimated: false,
    counted: 160,
    window: 200,
    parts: [part('output', 30, 'Read'), part('prompts', 20), part('output', 50, 'Bash'), part('system', 60)],
    largest: [],
  }

  it('puts tools under what they answered, the largest first', () => {
    const { sorts } = makeUpShown(context)
    expect(sorts.map(({ kind, tokens }) => [kind, tokens])).toEqual([
      ['output', 80],
      ['system', 60],
      ['prompts', 20],
    ])
    expect(sorts[0]?.tools.map(({ name }) => name)).toEqual(['Bash', 'Read'])
  })

  it('adds up, and says what is left of the window', () => {
    const shown = makeUpShown(context)
    expect(shown.sorts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(shown.used)
    expect(shown).toMatchObject({ used: 160, window: 200, free: 40 })
  })

  it('does not guess a window that is not known', () => {
    const { window: _window, ...rest } = context
    expect(makeUpShown(rest).free).toBeUndefined()
  })

  it('has shares that do not pretend', () => {
    expect([shareText(1, 3), shareText(1, 1000), shareText(0, 5), shareText(1, 0)]).toEqual(['33%', '< 1%', '0%', '–'])
  })
})

describe('the end of a session', () => {
  it('says that a resume may send more than the API counted last', () => {
    expect(endNote({ event: null, tokens: 67_217, counted: 67_109 })).toContain('the API counted 67,109 of them')
    expect(endNote({ event: null, tokens: 67_109, counted: 67_109 })).toBe('')
    expect(endNote({ event: 'a8', tokens: 67_217, counted: 67_109 })).toBe('')
  })
})
