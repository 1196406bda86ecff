// Findings by rule: how often each occurs, in how many files, and one example, worst first. It decides nothing about how a
// group is printed or painted.

import { type Finding, type Severity, severities } from '../model/finding.ts'
import { saysOf } from './table.ts'

/** All findings of one rule at one severity. */
export interface FindingGroup {
  /** The rule's id. */
  code: string
  severity: Severity
  /** What the rule says, or the finding means. */
  says: string
  /** How many findings. */
  count: number
  /** In how many files; 0 where none of them names one. */
  files: number
  /** The first of them, in the order they were given. */
  example: Finding
}

/** One group for each rule that found something: errors first, then by count, then by code. */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = new Map<string, FindingGroup & { paths: Set<string> }>()
  for (const finding of findings) {
    const { code, severity, file } = finding
    const key = `${severity} ${code}`
    let group = groups.get(key)
    if (group === undefined) {
      group = {
        code,
        severity,
        says: saysOf(code) ?? code,
        count: 0,
        files: 0,
        example: finding,
        paths: new Set(),
      }
      groups.set(key, group)
    }
    group.count++
    if (file !== undefined) group.paths.add(file)
  }
  return [...groups.values()]
    .map(({ paths, ...group }) => ({ ...group, files: paths.size }))
    .sort((a, b) => rankOf(a.severity) - rankOf(b.severity) || b.count - a.count || (a.code < b.code ? -1 : 1))
}

/** Those at least as severe as `least`, and of these rules where any are named. */
export function selectFindings(
  findings: readonly Finding[],
  { least = 'info', rules = [] }: { least?: Severity; rules?: readonly string[] },
): Finding[] {
  const named = new Set(rules)
  return findings.filter(
    ({ severity, code }) => rankOf(severity) <= rankOf(least) && (named.size === 0 || named.has(code)),
  )
}

function rankOf(severity: Severity): number {
  return severities.indexOf(severity)
}
