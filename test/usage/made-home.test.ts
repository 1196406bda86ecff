// What the made-up homes have: a test on them says little if they leave out what logs do.

import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { judge } from './judge.ts'
import { makeHome, writeHome } from './made-home.ts'

const seeds = [1, 2, 3, 4]

describe('a made-up home', () => {
  it('is the same for the same seed, and another for another', () => {
    expect([...makeHome(5).files]).toEqual([...makeHome(5).files])
    expect([...makeHome(5).files.keys()]).not.toEqual([...makeHome(6).files.keys()])
  })

  it('has all that repeats, hides or damages a message', () => {
    const made = new Set(seeds.flatMap(seed => [...makeHome(seed).made.keys()]))
    const lines = ['spaces', 'key order', 'escapes', 'exponents', 'glued', 'blank', 'torn', 'stump', 'byte order mark']
    const copies = ['rewritten', 'kept', 'mixed', 'restamped', 'forkedFrom'].map(habit => `fork ${habit}`)
    const agents = ['inline agent', 'flat agent', 'folder agent', 'internal agent', 'progress', 'inline echo']
    const odd = [
      'two requests of one id',
      'no usage',
      'no ids at all',
      'API error',
      'API error with tokens',
      'synthetic',
    ]
    for (const what of [...lines, ...copies, ...agents, ...odd, 'resume', 'compaction', 'several lines']) {
      expect(made, what).toContain(what)
    }
  })

  it.each(seeds)('%i repeats most messages, and has some of every kind', seed =>
    withFolder(folder => {
      writeHome(folder, makeHome(seed).files)
      const { messages, bounds } = judge(folder)
      expect(bounds.messages).toBeGreaterThan(80)
      expect(bounds.partial).toBeGreaterThan(5)
      expect(bounds.synthetic).toBeGreaterThan(0)
      expect(bounds.unknownModels.length).toBeGreaterThan(0)
      expect(messages.filter(message => message.isFast && !message.isUs)).not.toEqual([])
      expect(messages.some(message => message.stated !== null)).toBe(true)
      expect(messages.every(message => message.input < 1_000_000 && message.output < 10_000)).toBe(true)
    }),
  )
})
