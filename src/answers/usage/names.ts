// Rows of the reports by branch, and what rows of the rest are called.

/** A branch as a row of a report. */
export interface BranchRow {
  /** What the row is called in the report. */
  key: string
  session: string
  /** Id of its last event. */
  leaf: string
  isActive: boolean
  /** How its first prompt begins. */
  label: string
}

/** The row of all sessions that never went back. */
export const noBranches = '(no branches)'

export const noGitBranch = '(no git branch)'
