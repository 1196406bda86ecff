// The rule table (rules.json) with types, and the list of the functions that check its rows. What a rule looks for is in
// records/ and sessions/.

import type { Profile, Severity } from '../model/finding.ts'
import { builtinRules, pathFindings } from './builtin.ts'
import { blockRules } from './records/blocks.ts'
import { envelopeRules } from './records/envelope.ts'
import { flagRules } from './records/flags.ts'
import { historyRules } from './records/history.ts'
import { messageRules } from './records/message.ts'
import { resultRules } from './records/results.ts'
import { specialLineRules } from './records/special-lines.ts'
import { toolRules } from './records/tools.ts'
import { typeRules } from './records/types.ts'
import { usageRules } from './records/usage.ts'
import { versionRules } from './records/versions.ts'
import type { Rule } from './rule.ts'
import rows from './rules.json' with { type: 'json' }
import { compactionRules } from './sessions/compaction.ts'
import { contentRules } from './sessions/content.ts'
import { idRules } from './sessions/ids.ts'
import { lineRules } from './sessions/lines.ts'
import { locationRules } from './sessions/locations.ts'
import { orderRules } from './sessions/order.ts'
import { pairingRules } from './sessions/pairing.ts'
import { relationRules } from './sessions/relations.ts'
import { sidechainRules } from './sessions/sidechains.ts'
import { subagentRules } from './sessions/subagents.ts'

export interface RuleRow {
  /** The code of its findings, the same in every release. */
  id: string
  /** What it is about: field, block, usage, relation, order … */
  kind: string
  /** The statement in one sentence, with the exemptions that profiles make. */
  says: string
  /** The sections of the specifications that state it. */
  stated: readonly string[]
  /** Absent on statements that no file can break. */
  severity?: Readonly<Record<Profile, Severity | 'off'>>
  /** How a breach is recognised; absent together with `severity`. */
  check?: string
  /** What in this program shows that the statement is honoured. */
  shownBy: string
  /** What Claude Code was measured to do. */
  reality?: string
}

export const ruleRows: readonly RuleRow[] = rows as unknown as readonly RuleRow[]

const rowById: ReadonlyMap<string, RuleRow> = new Map(ruleRows.map(row => [row.id, row]))

const builtinSeverity: ReadonlyMap<string, Severity> = new Map(builtinRules.map(rule => [rule.code, rule.severity]))

const saidBy: ReadonlyMap<string, string> = new Map([
  ...[...builtinRules, ...pathFindings].map(({ code, says }) => [code, says] as const),
  ...ruleRows.map(({ id, says }) => [id, says] as const),
])

/** How severe a breach of the rule is in a profile; `off` too for a code that is not known. */
export function severityIn(code: string, profile: Profile): Severity | 'off' {
  return rowById.get(code)?.severity?.[profile] ?? builtinSeverity.get(code) ?? 'off'
}

/** What findings with this code mean; undefined for a code that no check has. */
export function saysOf(code: string): string | undefined {
  return saidBy.get(code)
}

export const allRules: readonly Rule[] = [
  ...typeRules,
  ...envelopeRules,
  ...versionRules,
  ...flagRules,
  ...messageRules,
  ...usageRules,
  ...blockRules,
  ...toolRules,
  ...resultRules,
  ...specialLineRules,
  ...historyRules,
  ...compactionRules,
  ...contentRules,
  ...idRules,
  ...lineRules,
  ...locationRules,
  ...orderRules,
  ...pairingRules,
  ...relationRules,
  ...sidechainRules,
  ...subagentRules,
]
