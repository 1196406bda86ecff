// Short names of projects, sessions and models, as lists show them, and projects as options name them. It escapes nothing.

import { resolve } from 'node:path'
import { recordedId } from '../../model/ids.ts'
import { Projects } from '../../session/projects.ts'

/** The project of one session alone, where other sessions are not known. */
export function projectName(project: { cwd: string | null; slug: string }): string {
  return new Projects([project]).of(project).name
}

/** `.`, `..` and paths from there are made whole: that folder and all below it. Other text stays. */
export function wholeProject(text: string): string {
  return /^\.\.?([\\/]|$)/.test(text) ? `${resolve(text).replace(/[\\/]$/, '')}/` : text
}

const shortest = 8

/** Unique beginnings of ids, in any case; what tells sessions of one id apart stays. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const sorted = [...new Set(ids.map(id => recordedId(id).toLowerCase()))].sort()
  const lengths = new Map<string, number>()
  sorted.forEach((id, at) => {
    const shared = Math.max(sharedLength(id, sorted[at - 1] ?? ''), sharedLength(id, sorted[at + 1] ?? ''))
    lengths.set(id, Math.max(shortest, shared + 1))
  })
  return id => {
    const recorded = recordedId(id)
    return id.slice(0, lengths.get(recorded.toLowerCase()) ?? recorded.length) + id.slice(recorded.length)
  }
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

/** A model without its vendor and release date. */
export function modelName(model: string): string {
  return model.replace(/^.*claude-/, '').replace(/-\d{8}(-v\d+:\d+)?$/, '') || model
}
