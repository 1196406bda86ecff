// Sessions of one folder name each other: which summaries may title a session that has no title of its own. Which of them
// name it, and what it is called then, is decided where its records are known.

import { dirname } from 'node:path'
import type { BranchSummary, TitleSource } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'

/** Folders of its main files. */
export function foldersOf(session: Pick<SessionFiles, 'logs'>): string[] {
  const mains = session.logs.filter(log => log.role === 'session')
  const logs = mains.length > 0 ? mains : session.logs.slice(0, 1)
  return [...new Set(logs.map(log => dirname(log.path)))]
}

/** Whether a summary of another file may name it better. */
export function isUnnamed({ titleFrom }: { titleFrom: TitleSource }): boolean {
  return titleFrom === 'first-prompt' || titleFrom === 'id'
}

/** What a session's files say of branches, its own and others'. */
export interface FolderMember {
  id: string
  folders: readonly string[]
  summaries: readonly BranchSummary[]
}

/** The summaries of all sessions by folder, in the order of the sessions' ids, so that it does not matter who is read first. */
export function summariesByFolder(members: readonly FolderMember[]): Map<string, BranchSummary[]> {
  const byFolder = new Map<string, BranchSummary[]>()
  const withSome = members.filter(member => member.summaries.length > 0)
  for (const { folders, summaries } of withSome.sort((one, other) => (one.id < other.id ? -1 : 1))) {
    for (const folder of folders) {
      const list = byFolder.get(folder)
      if (list) for (const summary of summaries) list.push(summary)
      else byFolder.set(folder, [...summaries])
    }
  }
  return byFolder
}
