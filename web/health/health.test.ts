import { expect, it } from 'vitest'
import { iconOf, summary } from './screen.tsx'

it('sums findings up by how bad they are, and leaves out what there is none of', () => {
  const groups = [
    { severity: 'error', count: 1 },
    { severity: 'info', count: 3 },
    { severity: 'info', count: 4 },
  ] as const
  expect(summary(groups)).toBe('1 error, 7 notes')
  expect(summary([])).toBe('Nothing found')
})

it('has the sign of the worst finding: notes alone are well', () => {
  expect(iconOf([{ severity: 'info' }, { severity: 'warning' }])).toBe('warn')
  expect(iconOf([{ severity: 'warning' }, { severity: 'error' }])).toBe('bad')
  expect(iconOf([{ severity: 'info' }])).toBe('done')
})
