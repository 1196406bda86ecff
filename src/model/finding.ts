// Something odd that was noticed: attached to what it is about, never thrown.

/** How bad it is: an error breaks readers, a warning a rule, an info a habit. */
export type Severity = 'error' | 'warning' | 'info'
/** All severities, the worst first. */
export const severities: readonly Severity[] = ['error', 'warning', 'info']

/** The rule sets that `check` can apply: the five specifications, and what Claude Code was measured to write. */
export type Profile = 's0' | 's1' | 's2' | 's3' | 's4' | 'real'
/** All profiles, the specifications first. */
export const profiles: readonly Profile[] = ['s0', 's1', 's2', 's3', 's4', 'real']

/** One odd thing with its place. */
export interface Finding {
  /** A rule's id, the same in every release. */
  code: string
  severity: Severity
  file?: string
  /** 1-based. */
  line?: number
  /** First byte of the record the finding is about. */
  offset?: number
  /** Id of the event the finding is about. */
  event?: string
  /** One sentence for people, with what was found. */
  message: string
}
