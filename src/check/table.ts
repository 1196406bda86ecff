// The rule table (rules.json) with types: what each statement of the specifications says and how severe its breach is in
// each profile. How a rule looks for a breach is not here.

import type { Profile, Severity } from '../model/finding.ts'
import rows from './rules.json' with { type: 'json' }

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
  /** What the client was measured to do. */
  reality?: string
}

export const ruleRows: readonly RuleRow[] = rows as unknown as readonly RuleRow[]

const rowById: ReadonlyMap<string, RuleRow> = new Map(ruleRows.map(row => [row.id, row]))

/** How severe a breach of the rule is in a profile; `off` too for a code that the table does not know. */
export function severityIn(code: string, profile: Profile): Severity | 'off' {
  return rowById.get(code)?.severity?.[profile] ?? 'off'
}
