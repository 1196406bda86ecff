import { expect, test } from 'vitest'
import type { Finding, Severity } from '../model/finding.ts'
import { groupFindings, selectFindings } from './groups.ts'

function finding(code: string, severity: Severity, file?: string, line?: number): Finding {
  return { code, severity, ...(file !== undefined && { file }), ...(line !== undefined && { line }), message: 'x' }
}

const findings = [
  finding('unknown-record', 'info', 'a', 1),
  finding('nul-bytes', 'warning', 'a', 2),
  finding('orphan-parent', 'warning', 'a', 3),
  finding('malformed-line', 'error', 'b', 1),
  finding('orphan-parent', 'warning', 'b', 9),
  finding('orphan-parent', 'warning', 'b', 11),
]

test('findings are grouped by rule, the worst and then the most frequent first, with the first as the example', () => {
  expect(groupFindings(findings).map(({ code, count, files, example }) => [code, count, files, example.line])).toEqual([
    ['malformed-line', 1, 1, 1],
    ['orphan-parent', 3, 2, 3],
    ['nul-bytes', 1, 1, 2],
    ['unknown-record', 1, 1, 1],
  ])
})

test('a group has what its rule says, and no key besides those that are printed', () => {
  const [group] = groupFindings([finding('no-sessions', 'error')])
  expect(group).toEqual({
    code: 'no-sessions',
    severity: 'error',
    says: 'The folder was read and has no session file.',
    count: 1,
    files: 0,
    example: finding('no-sessions', 'error'),
  })
})

test('a rule that two severities were given makes two groups', () => {
  const groups = groupFindings([finding('no-records', 'info', 'a'), finding('no-records', 'error', 'b')])
  expect(groups.map(({ severity }) => severity)).toEqual(['error', 'info'])
})

test('findings are selected by least severity and by rule', () => {
  expect(selectFindings(findings, { least: 'error' }).map(({ code }) => code)).toEqual(['malformed-line'])
  expect(selectFindings(findings, { least: 'warning' })).toHaveLength(5)
  expect(selectFindings(findings, { rules: ['nul-bytes', 'malformed-line'] })).toHaveLength(2)
  expect(selectFindings(findings, {})).toEqual(findings)
})
