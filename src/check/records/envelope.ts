// Rules about the fields that every message repeats: ids, time, version, place. Which lines are exempt differs by profile
// and is decided here; what the ids refer to is not.

import { toMillis } from '../../base/instant.ts'
import type { JsonObject } from '../../base/json.ts'
import { asString } from '../../base/json.ts'
import type { Profile } from '../../model/finding.ts'
import type { Rule } from '../rule.ts'
import { isAbsolutePath, isChain, isUserOrAssistant, quote, recordRule, uuidForm } from '../wire.ts'

const envelopeKeys = [
  'parentUuid',
  'isSidechain',
  'userType',
  'cwd',
  'sessionId',
  'version',
  'type',
  'uuid',
  'timestamp',
]

const identityRules: readonly Rule[] = [
  recordRule('envelope-on-every-line', value => {
    const absent = envelopeKeys.filter(key => !(key in value))
    return absent.length === 0 ? undefined : `The line lacks ${absent.join(', ')}.`
  }),
  recordRule('uuid-missing', (value, { profile }) => {
    if (typeof value['uuid'] === 'string' || mayLackUuid(value, profile)) return undefined
    return `A ${typeName(value)} line has no uuid.`
  }),
  recordRule('parent-missing-key', value =>
    isChain(value) && !('parentUuid' in value) ? `A ${typeName(value)} line has no parentUuid key.` : undefined,
  ),
  recordRule('parent-wrong-type', value => {
    const parent = value['parentUuid']
    if (parent === undefined || parent === null || typeof parent === 'string') return undefined
    return `parentUuid is ${quote(parent)}, neither a string nor null.`
  }),
  recordRule('logical-parent-type', value => wrongType(value, 'logicalParentUuid', 'string')),
  recordRule('session-id-missing', value => {
    if (typeof value['sessionId'] === 'string' || isSummaryOrSnapshot(value)) return undefined
    return `A ${typeName(value)} line has no sessionId.`
  }),
  recordRule('session-id-not-uuid', value => {
    const id = asString(value['sessionId'])
    return id === undefined || uuidForm.test(id) ? undefined : `The sessionId ${quote(id)} is not a UUID.`
  }),
]

const timeRules: readonly Rule[] = [
  recordRule('timestamp-missing', (value, { profile }) => {
    const time = value['timestamp']
    if ((time !== undefined && time !== null) || mayLackTimestamp(value, profile)) return undefined
    return `A ${typeName(value)} line has no timestamp.`
  }),
  recordRule('timestamp-not-ms-number', value => {
    const time = value['timestamp']
    if (time === undefined || time === null) return undefined
    if (typeof time !== 'number') return `The timestamp is ${quote(time)}, not a number of milliseconds.`
    // Milliseconds from 1973 to 5138: seconds are smaller, microseconds larger.
    return time >= 1e11 && time < 1e14 ? undefined : `The timestamp ${time} is not of the size of milliseconds.`
  }),
  recordRule('timestamp-not-utc', value => {
    const time = isoText(value)
    return time === undefined || /z$/i.test(time) ? undefined : `The timestamp ${quote(time)} is not marked as UTC.`
  }),
  recordRule('timestamp-no-milliseconds', value => {
    const time = isoText(value)
    if (time === undefined || /\.\d{3}(?!\d)/.test(time)) return undefined
    return `The timestamp ${quote(time)} has no milliseconds.`
  }),
]

const contextRules: readonly Rule[] = [
  recordRule('version-missing', (value, { profile }) => {
    if (!isChain(value) || typeof value['version'] === 'string') return undefined
    if (profile === 's0' && isSpecial(value)) return undefined
    return `A ${typeName(value)} line has no version.`
  }),
  recordRule('version-not-semver', value => {
    const version = value['version']
    if (version === undefined || version === null) return undefined
    if (typeof version === 'string' && /^\d+\.\d+\.\d+(?=$|[-+])/.test(version)) return undefined
    return `The version is ${quote(version)}, not of the form 2.1.20.`
  }),
  recordRule('cwd-missing', value => {
    if (!isUserOrAssistant(value) || typeof value['cwd'] === 'string') return undefined
    return `A ${typeName(value)} line has no cwd.`
  }),
  recordRule('cwd-not-absolute', value => {
    const cwd = asString(value['cwd'])
    return cwd === undefined || isAbsolutePath(cwd) ? undefined : `The cwd ${quote(cwd)} is not a full path.`
  }),
  recordRule('git-branch-type', value => wrongType(value, 'gitBranch', 'string')),
  recordRule('is-sidechain-missing', value =>
    isChain(value) && !('isSidechain' in value) ? `A ${typeName(value)} line has no isSidechain.` : undefined,
  ),
  recordRule('is-sidechain-not-boolean', value => wrongType(value, 'isSidechain', 'boolean')),
  recordRule('user-type-missing', value => {
    const isMissing = value['userType'] === undefined || value['userType'] === null
    return isChain(value) && isMissing ? `A ${typeName(value)} line has no userType.` : undefined
  }),
  recordRule('user-type-not-external', value => {
    const userType = value['userType']
    if (userType === undefined || userType === 'external') return undefined
    return `The userType is ${quote(userType)}, not "external".`
  }),
  recordRule('user-type-value-s3', value => {
    const userType = value['userType']
    if (userType === undefined || userType === 'human' || userType === 'external') return undefined
    return `The userType is ${quote(userType)}, neither "human" nor "external".`
  }),
]

export const envelopeRules: readonly Rule[] = [...identityRules, ...timeRules, ...contextRules]

function typeName(value: JsonObject): string {
  return asString(value['type'])?.slice(0, 40) ?? 'typeless'
}

function wrongType(value: JsonObject, key: string, type: 'string' | 'boolean'): string | undefined {
  const found = value[key]
  return found === undefined || typeof found === type ? undefined : `${key} is ${quote(found)}, not a ${type}.`
}

function isSummaryOrSnapshot(value: JsonObject): boolean {
  const type = value['type']
  if (type === undefined)
    return ('summary' in value && 'leafUuid' in value) || ('messageId' in value && 'snapshot' in value)
  return type === 'summary' || type === 'file-history-snapshot' || type === 'file-history-delta'
}

/** A line with a type that is not a link of the chain: titles, state, snapshots. */
function isMetadata(value: JsonObject): boolean {
  return typeof value['type'] === 'string' && !isChain(value)
}

function mayLackUuid(value: JsonObject, profile: Profile): boolean {
  if (profile === 's1') return isMetadata(value) && value['type'] !== 'queue-operation'
  if (profile === 's2') return isMetadata(value)
  if (profile === 's4') return value['type'] === 'summary'
  return profile === 'real' && !isChain(value)
}

function mayLackTimestamp(value: JsonObject, profile: Profile): boolean {
  if (profile === 's1') return isMetadata(value) && value['type'] !== 'queue-operation'
  if (profile === 's2') return value['type'] === 'file-history-snapshot'
  if (profile === 's4') return value['type'] === 'summary'
  return profile === 'real' && !isChain(value)
}

/** 000's special messages: compaction, sidechain and metadata lines. */
function isSpecial(value: JsonObject): boolean {
  const isCompact = value['type'] === 'compact_prelude' || value['type'] === 'compact_recap'
  return isCompact || value['isSidechain'] === true || value['isMeta'] === true
}

/** The timestamp when it is a text that reads as a date; other rules speak about those that do not. */
function isoText(value: JsonObject): string | undefined {
  const time = asString(value['timestamp'])?.trim()
  return time?.includes('-') && toMillis(time) !== null ? time : undefined
}
