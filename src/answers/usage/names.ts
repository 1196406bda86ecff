// What sessions are called and where they worked, by their ids. Where that is found out is not its matter.

import type { Projects } from '../../session/projects.ts'
import { isOfProject } from '../sessions/filters.ts'
import { type ListRow, placeOf, projectsOf } from '../sessions/rows.ts'

/** Of a session, or of a project, that nothing is known of but its usage. */
export const unknownName = '(unknown)'

/** Sessions by id. */
export class SessionNames {
  readonly projects: Projects
  private readonly rows = new Map<string, ListRow>()

  constructor(rows: readonly ListRow[]) {
    this.projects = projectsOf(rows)
    for (const row of rows) this.rows.set(row.session.id, row)
  }

  get ids(): string[] {
    return [...this.rows.keys()]
  }

  row(session: string): ListRow | undefined {
    return this.rows.get(session)
  }

  title(session: string): string {
    return this.rows.get(session)?.title ?? (session || unknownName)
  }

  /** The key of its project: the directory, else the name of the folder. */
  project(session: string): string {
    const row = this.rows.get(session)
    return row === undefined ? unknownName : this.projects.of(placeOf(row)).key || unknownName
  }

  /** What the project with this key is called. */
  projectName(key: string): string {
    return this.projects.nameOf(key) ?? key
  }

  /** `wanted`: as filters of lists have it. */
  isInProject(session: string, wanted: string): boolean {
    const row = this.rows.get(session)
    return row !== undefined && isOfProject(row, wanted, this.projects)
  }
}

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
