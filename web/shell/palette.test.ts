import { expect, it } from 'vitest'
import { actionsFor, matching, searchFor } from './palette.tsx'

const labels = (text: string, session?: string) =>
  matching(actionsFor(session === undefined ? {} : { session }), text).map(({ label }) => label)

it('finds actions by their words, in any order and case', () => {
  expect(labels('prompts HIST')).toEqual(['History of prompts'])
  expect(labels('nothing like this')).toEqual([])
  expect(labels('se')[0]).toBe('Search everything')
})

it('has the screens of a session only within one', () => {
  expect(labels('map')).toEqual([])
  expect(labels('map', 'abc')).toEqual(['Map of this session'])
  expect(labels('').length).toBeGreaterThan(8)
})

it('offers to search for what no title has', () => {
  expect(searchFor('rye flour').label).toBe('Search everything for “rye flour”')
})
