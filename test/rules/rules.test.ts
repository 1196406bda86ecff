// Holds every row of the rule table against its fixtures, in every profile, and the rules against the table.

import { describe, expect, test } from 'vitest'
import { allRules, ruleRows, severityIn } from '../../src/check/table.ts'
import { profiles } from '../../src/model/finding.ts'
import { fixtures as blocks } from './a/blocks.ts'
import { fixtures as envelope } from './a/envelope.ts'
import { fixtures as flags } from './a/flags.ts'
import { fixtures as history } from './a/history.ts'
import { fixtures as message } from './a/message.ts'
import { fixtures as results } from './a/results.ts'
import { fixtures as specialLines } from './a/special-lines.ts'
import { fixtures as tools } from './a/tools.ts'
import { fixtures as types } from './a/types.ts'
import { fixtures as usage } from './a/usage.ts'
import { fixtures as versions } from './a/versions.ts'
import { fixtures as compaction } from './b/compaction.ts'
import { fixtures as location } from './b/location.ts'
import { fixtures as order } from './b/order.ts'
import { fixtures as relation } from './b/relation.ts'
import { fixtures as statistic } from './b/statistic.ts'
import { fixtures as subagent } from './b/subagent.ts'
import { fixtures as validation } from './b/validation.ts'
import type { Fixture } from './fixture.ts'
import { runCase } from './fixture.ts'

const fixtures: readonly Fixture[] = [
  ...types,
  ...envelope,
  ...versions,
  ...flags,
  ...message,
  ...usage,
  ...blocks,
  ...tools,
  ...results,
  ...specialLines,
  ...history,
  ...compaction,
  ...location,
  ...order,
  ...relation,
  ...statistic,
  ...subagent,
  ...validation,
]

/** Only the archive knows what a file held before, so no fixture made of files can break it: append-only.test.ts does. */
const needsArchive = new Set(['append-only'])

const checkedRows = ruleRows.filter(row => row.check !== undefined)

describe('the rule table', () => {
  test('has one rule for each row with a check, and no other rule', () => {
    expect(allRules.map(rule => rule.code).sort()).toEqual(checkedRows.map(row => row.id).sort())
  })

  test('has a fixture for each row in each profile that has it on', () => {
    const absent = checkedRows
      .filter(row => !needsArchive.has(row.id))
      .flatMap(row =>
        profiles
          .filter(profile => severityIn(row.id, profile) !== 'off')
          .filter(profile => !fixtures.some(({ code, only }) => code === row.id && (only?.includes(profile) ?? true)))
          .map(profile => `${row.id} in ${profile}`),
      )
    expect(absent).toEqual([])
  })

  test('has no fixture for a code that it does not list', () => {
    const known = new Set(checkedRows.map(row => row.id))
    expect(fixtures.map(({ code }) => code).filter(code => !known.has(code))).toEqual([])
  })
})

describe.each(profiles)('in profile %s', profile => {
  const ofProfile = fixtures.filter(({ only }) => only?.includes(profile) ?? true)
  test.each(ofProfile.map((fixture, index) => ({ code: fixture.code, fixture, index })))(
    '$code is found where it is broken and only there (fixture $index)',
    async ({ code, fixture }) => {
      const severity = severityIn(code, profile)
      const follows = await runCase(fixture.in?.[profile]?.follows ?? fixture.follows, profile)
      expect(follows.findings.filter(finding => finding.code === code)).toEqual([])
      const breaks = await runCase(fixture.in?.[profile]?.breaks ?? fixture.breaks, profile)
      const severities = new Set(
        breaks.findings.filter(finding => finding.code === code).map(finding => finding.severity),
      )
      expect([...severities]).toEqual(severity === 'off' ? [] : [severity])
    },
  )
})
