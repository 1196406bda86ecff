// The prompts of `history.jsonl`, each with the session that it was typed in, where that still exists. Claude Code keeps this
// file when it deletes sessions: some prompts are all that is left of theirs. It prints nothing.

import { dirname, join } from 'node:path'
import { bytesToText, textToBytes } from '../../base/bytes.ts'
import { toMillis } from '../../base/instant.ts'
import type { FileTree } from '../../disk/discover/tree.ts'
import type { PastedContent } from '../../model/detail.ts'
import { blocksText, type EventOf, hasFlag, type SessionEvent } from '../../model/event.ts'
import { recordedId } from '../../model/ids.ts'
import { isInherited } from '../../model/origin.ts'
import { QueueReader } from '../../model/queue.ts'
import type { CopiedPart } from '../../model/session.ts'
import { type ByteSource, isOnDisk, type LogFile, mainLogs, type SessionFiles } from '../../model/source.ts'
import { typedText } from '../../model/typed-text.ts'
import type { HistoryPrompt } from '../../schema/contract-shapes.ts'
import { loadSession, readEvents } from '../load.ts'
import type { QuickRow } from './quick-rows.ts'

interface Places {
  tree: FileTree
  source: ByteSource
}

/** A session that a prompt may belong to. */
export type PromptHome = Pick<QuickRow, 'session' | 'cwd' | 'startedAt' | 'endedAt'>

/** Something that was pasted into a prompt. */
export type Pasted = HistoryPrompt['pasted'][number]

/** All prompts of the files, oldest first; other lines are left out. */
export async function readHistory(files: readonly LogFile[], places: Places): Promise<HistoryPrompt[]> {
  const prompts: HistoryPrompt[] = []
  for (const file of files) {
    for await (const event of readEvents(places.source, file)) {
      if (event.kind === 'history') prompts.push(promptOf(event, dirname(file.path), places))
    }
  }
  return prompts.sort(byTime)
}

/** A prompt history by its path; undefined where it was deleted since the path was found. */
export function historyFile(path: string, { tree }: Places): LogFile | undefined {
  try {
    const found = tree.stat(path)
    if (found.kind !== 'file') return undefined
    const { kind: _kind, ...facts } = found
    return { path, role: 'history', ...facts }
  } catch {
    return undefined
  }
}

function promptOf(event: EventOf<'history'>, home: string, places: Places): HistoryPrompt {
  const prompt: HistoryPrompt = {
    at: event.at,
    project: event.detail?.project ?? null,
    text: blocksText(event.blocks),
    pasted: (event.detail?.pasted ?? []).map(item => pastedOf(item, home, places)),
    onDisk: false,
  }
  const { session } = event.stated
  if (session) prompt.session = session
  return prompt
}

/** What was typed in a session itself, from its log: what waited in a queue included. `copied`: what it has of others. */
export async function typedIn(
  session: SessionFiles,
  { source }: Places,
  copied: CopiedPart | undefined,
  onProgress: (bytes: number) => void,
): Promise<{ event: SessionEvent; text: string }[]> {
  const graph = await loadSession(source, session, { copied }, (_log, record) => onProgress(record.bytes))
  const queue = new QueueReader()
  const own = graph.events.filter(event => !hasFlag(event, 'copy') && !isInherited(event))
  for (const event of own) queue.see(event)
  const typed = own.filter(event => event.kind === 'prompt' && event.actor === 'human')
  return [...typed, ...queue.prompts().map(({ prompt }) => prompt)].map(event => ({
    event,
    text: typedText(event),
  }))
}

function byTime(one: HistoryPrompt, other: HistoryPrompt): number {
  return (toMillis(one.at) ?? 0) - (toMillis(other.at) ?? 0)
}

/** `{"id":1,"type":"text","content":"…"}`; later versions write a hash and keep the content in the home's `paste-cache`. */
function pastedOf(item: string | PastedContent, home: string, places: Places): Pasted {
  if (typeof item === 'string') return { type: 'text', bytes: textToBytes(item).length, text: item }
  const { type = 'text', content } = item
  if (content !== undefined) {
    const pasted: Pasted = { type, bytes: textToBytes(content).length }
    return type === 'text' ? { ...pasted, text: content } : pasted
  }
  return cachedPaste(item.contentHash, home, type, places) ?? { type, bytes: item.size ?? 0 }
}

// A larger file is not a pasted text.
const largestPaste = 16 * 1024 * 1024

function cachedPaste(
  hash: string | undefined,
  home: string,
  type: string,
  { tree, source }: Places,
): Pasted | undefined {
  if (hash === undefined || !/^[0-9a-f]{8,128}$/i.test(hash)) return undefined
  try {
    const facts = tree.stat(join(home, 'paste-cache', `${hash}.txt`))
    if (facts.kind !== 'file' || facts.size > largestPaste) return undefined
    return { type, bytes: facts.size, text: bytesToText(source.readSync(facts.generation, 0, largestPaste)) }
  } catch {
    return undefined
  }
}

/** Finds the session of every prompt that names it. */
export function linkByName(
  prompts: readonly HistoryPrompt[],
  sessions: readonly SessionFiles[],
  rows: () => readonly PromptHome[],
): void {
  const byName = new Map<string, SessionFiles[]>()
  for (const session of sessions) {
    const names = mainLogs(session).flatMap(log => log.nameSession ?? [])
    for (const name of new Set([...names, recordedId(session.id)])) {
      byName.set(name, [...(byName.get(name) ?? []), session])
    }
  }
  for (const prompt of prompts) {
    if (prompt.session === undefined) continue
    prompt.linkedBy = 'id'
    const known = namedBy(prompt, byName.get(prompt.session) ?? [], rows)
    if (known !== undefined) linkTo(prompt, known)
  }
}

/** Of sessions with one name, that whose records have the id; of sessions with one id, that in which it was typed then and there. */
function namedBy(
  { session, project, at }: HistoryPrompt,
  named: readonly SessionFiles[],
  rows: () => readonly PromptHome[],
): SessionFiles | undefined {
  const own = named.filter(({ id }) => recordedId(id) === session)
  const some = own.length > 0 ? own : named.slice(-1)
  if (some.length < 2) return some[0]
  const known = rows().filter(row => some.includes(row.session))
  const ms = toMillis(at)
  const here = known.filter(row => row.cwd === project)
  const then = (here.length > 0 ? here : known).filter(row => ms !== null && covers(row, ms))
  const [found, ...more] = here.length === 1 ? here : then
  return more.length === 0 ? found?.session : undefined
}

/** Clocks of the two files differ a little, and a session's first record may come seconds after the prompt. */
const slackMs = 60_000

/** Finds the session of prompts that no log has, by project and time. Gives those for which several are possible. */
export function linkByPlace(prompts: readonly HistoryPrompt[], rows: readonly PromptHome[]): HistoryPrompt[] {
  const projects = new Set(prompts.map(prompt => prompt.project))
  const byProject = groupByProject(rows.filter(row => row.cwd !== null && projects.has(row.cwd)))
  return prompts.filter(prompt => {
    const at = toMillis(prompt.at)
    const [found, ...more] = (byProject.get(prompt.project) ?? []).filter(row => at !== null && covers(row, at))
    if (found === undefined) return false
    if (more.length > 0) return true
    prompt.linkedBy = 'time'
    linkTo(prompt, found.session)
    return false
  })
}

/** Names the session of a prompt, and whether it can be read. */
export function linkTo(prompt: HistoryPrompt, session: SessionFiles): void {
  prompt.session = session.id
  prompt.onDisk = isOnDisk(session)
  if (!prompt.onDisk) prompt.inArchive = true
}

function groupByProject(rows: readonly PromptHome[]): Map<string | null, PromptHome[]> {
  const groups = new Map<string | null, PromptHome[]>()
  for (const row of rows) {
    const group = groups.get(row.cwd)
    if (group) group.push(row)
    else groups.set(row.cwd, [row])
  }
  return groups
}

function covers(row: PromptHome, at: number): boolean {
  const from = toMillis(row.startedAt)
  const to = toMillis(row.endedAt)
  return from !== null && to !== null && at >= from - slackMs && at <= to + slackMs
}
