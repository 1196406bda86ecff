// Finds the files that a Claude home keeps for a session outside its project folder: todos, tasks, file history, plans.
// It reads none of them, and leaves out what names no session that is known.

import { basename, dirname, join, resolve } from 'node:path'
import type { SideFile } from '../../model/source.ts'
import { planNames } from '../read/peek.ts'
import type { Draft, Gathering } from './gather.ts'
import { type Search, sideFile } from './project.ts'
import type { Entry, FoundFile } from './tree.ts'
import type { Walk } from './walk.ts'

/** The folders of a home whose subfolders are projects: the client's, and the one of specification 000. */
export const projectFolders: readonly string[] = ['projects', 'conversations']

/** Whether a folder is one that holds projects, by its name; a project may be called `projects` too. */
export function isProjectsFolder(folder: string): boolean {
  const place = resolve(folder)
  return projectFolders.includes(basename(place)) && !projectFolders.includes(basename(dirname(place)))
}

/** Hangs the home's files on the sessions that are known by now. */
export async function addHomeFiles(search: Search, home: string): Promise<void> {
  const { walk, gathering } = search
  await addTodos(walk, gathering, join(home, 'todos'))
  await addFolders(walk, gathering, join(home, 'tasks'), 'task')
  await addFolders(walk, gathering, join(home, 'file-history'), 'file-history')
  await addPlans(walk, gathering, join(home, 'plans'))
}

/** `<session>.json` up to 1.0.3, later `<session>-agent-<agent>.json`. */
async function addTodos(walk: Walk, gathering: Gathering, folder: string): Promise<void> {
  for (const entry of await walk.list(folder)) {
    if (!entry.name.endsWith('.json') || entry.kind === 'folder') continue
    const stem = entry.name.slice(0, -'.json'.length)
    const draft = gathering.named(stem) ?? gathering.named(stem.split('-agent-', 1)[0] ?? '')
    if (draft !== undefined) await addSide(walk, entry, draft, 'todo')
  }
}

/** `<folder>/<session>/…`. Tasks of a team lie under the team's name, which is no session's. */
async function addFolders(walk: Walk, gathering: Gathering, folder: string, kind: SideFile['kind']): Promise<void> {
  for (const entry of await walk.list(folder)) {
    if (entry.kind !== 'folder' && entry.kind !== 'link') continue
    const draft = gathering.named(entry.name)
    if (draft === undefined) continue
    for await (const file of walk.tree(entry.path)) draft.side.push(sideFile(file, kind))
  }
}

/** `<slug>.md` and, for a subagent's plan, `<slug>-agent-<agent>.md`; the session's records name the slug. */
async function addPlans(walk: Walk, gathering: Gathering, folder: string): Promise<void> {
  const plans = (await walk.list(folder)).filter(entry => /\.md$/i.test(entry.name) && entry.kind !== 'folder')
  if (plans.length === 0) return
  const bySlug = new Map<string, Entry[]>()
  for (const plan of plans) {
    const slug = plan.name.slice(0, -'.md'.length).split('-agent-', 1)[0] ?? ''
    bySlug.set(slug, [...(bySlug.get(slug) ?? []), plan])
  }
  for (const draft of gathering.all()) {
    const named = new Set<string>()
    for (const { log } of draft.mains) for (const name of plansOf(walk, log)) named.add(name)
    for (const name of named) {
      for (const plan of bySlug.get(name) ?? []) await addSide(walk, plan, draft, 'plan')
    }
  }
}

/** A log that cannot be read now names none: it could be read when it was found, and its readers report it. */
function plansOf(walk: Walk, log: FoundFile): Iterable<string> {
  try {
    return walk.files.known?.(log)?.plans ?? planNames(log, walk.files.source)
  } catch {
    return []
  }
}

async function addSide(walk: Walk, entry: Entry, draft: Draft, kind: SideFile['kind']): Promise<void> {
  const file = await walk.file(entry)
  if (file !== null) draft.side.push(sideFile(file, kind))
}
