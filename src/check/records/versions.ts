// Rules that check a record's features against the version history of specification 001. The dates are that document's;
// Claude Code wrote some of these features earlier.

import type { JsonObject } from '../../base/json.ts'
import { asString } from '../../base/json.ts'
import type { Rule } from '../rule.ts'
import { blocksOf, recordRule } from '../wire.ts'

type Version = readonly [major: number, minor: number, patch: number]

export const versionRules: readonly Rule[] = [
  recordRule('version-feature-basic', value => {
    const version = versionOf(value)
    if (version === undefined || version[0] !== 2 || version[1] !== 0) return undefined
    const feature = 'agentId' in value ? 'agentId' : value['type'] === 'progress' ? 'progress' : laterFeature(value)
    return feature === undefined ? undefined : `A record of version ${version.join('.')} has ${feature}.`
  }),
  recordRule('version-feature-progress', value =>
    value['type'] === 'progress' ? tooEarly(value, [2, 1, 0], 'is a progress event') : undefined,
  ),
  recordRule('version-feature-agentid', value =>
    'agentId' in value ? tooEarly(value, [2, 1, 17], 'has agentId') : undefined,
  ),
  recordRule('version-feature-thinking', value => {
    const feature = laterFeature(value)
    return feature === undefined ? undefined : tooEarly(value, [2, 1, 20], `has ${feature}`)
  }),
]

function laterFeature(value: JsonObject): string | undefined {
  if ('permissionMode' in value) return 'permissionMode'
  if ('todos' in value) return 'todos'
  return blocksOf(value).some(block => block['type'] === 'thinking') ? 'a thinking block' : undefined
}

function tooEarly(value: JsonObject, since: Version, what: string): string | undefined {
  const version = versionOf(value)
  if (version === undefined || !isBelow(version, since)) return undefined
  return `A record of version ${version.join('.')} ${what}, which came with ${since.join('.')}.`
}

function versionOf(value: JsonObject): Version | undefined {
  const parts = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(asString(value['version']) ?? '')
  return parts === null ? undefined : [Number(parts[1]), Number(parts[2]), Number(parts[3])]
}

function isBelow(a: Version, b: Version): boolean {
  if (a[0] !== b[0]) return a[0] < b[0]
  return a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2]
}
