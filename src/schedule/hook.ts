// A hook of Claude Code at the end of a session: one entry in settings.json of a Claude home, put in and taken out so that
// all else in that file stays as it is, after a copy of it was made.

import { basename, join, relative, sep } from 'node:path'
import { UserError } from '../answers/error.ts'
import { asArray, asObject, asString, isObject, type JsonObject, jsonText, parseJson } from '../base/json.ts'
import { added, memberOf, partsAt, rootOf, withoutPart } from '../base/json-edit.ts'
import { posixQuote } from '../base/shell-quote.ts'
import { commandMark, isOwnCommand, type Job } from './job.ts'
import type { FileFacts, Machine } from './machine.ts'
import { type FileStep, type Plan, refuseControls, type Way } from './plan.ts'

const event = 'SessionEnd'
const backupName = 'settings.json.clew-backup-'
/** Claude Code gives all hooks of this event 1.5 s together unless one of them asks for more. */
const seconds = 10

export const hook: Way = {
  name: 'hook',
  title: "a hook in Claude Code's settings",
  missing: () => undefined,
  install,
  uninstall: (machine, homes) => {
    const plans = homes.map(home => uninstallFrom(machine, home))
    return { steps: plans.flatMap(plan => plan.steps), notes: plans.flatMap(plan => plan.notes) }
  },
}

function install(machine: Machine, job: Job, homes: readonly string[]): Plan {
  const [home, ...others] = homes
  if (home === undefined || !isHome(machine, home))
    throw new UserError(`${home ?? 'there'} is not a Claude home; --root PATH names one`)
  const entry = entryFor(job)
  const path = join(home, 'settings.json')
  const file = settingsOf(machine, home, entry)
  const notes = others.length === 0 ? [] : [`only sessions of ${home} start it; it archives those of all homes`]
  if (file === null) return { steps: [{ kind: 'file', path, content: freshText(entry), mode: 0o600 }], notes }
  if (asObject(parseJson(file.text))?.['disableAllHooks'] === true)
    notes.push(`${path} says disableAllHooks: it will not run until that is gone`)
  const content = withEntry(file.text, entry, path)
  if (content === file.text) return { steps: [], notes: [] }
  return { steps: [backup(machine, path, file), change(file, content)], notes }
}

/** A folder that has what a Claude home does; one of its projects does not. */
function isHome(machine: Machine, folder: string): boolean {
  if (!machine.isFolder(folder)) return false
  const names = ['projects', 'settings.json', 'history.jsonl', 'sessions', 'todos']
  return basename(folder) === '.claude' || machine.list(folder).some(name => names.includes(name))
}

/**
 * Claude Code ends soon after its hooks began and takes them along, so the work continues by itself. Windows runs hooks in
 * the shell that Git brings.
 */
function entryFor({ words }: Job): JsonObject {
  refuseControls(words, 'a hook')
  const command = `nohup ${words.map(posixQuote).join(' ')} </dev/null >/dev/null 2>&1 & ${commandMark}`
  return { hooks: [{ type: 'command', command, timeout: seconds }] }
}

function freshText(entry: JsonObject): string {
  return `${JSON.stringify({ hooks: { [event]: [entry] } }, null, 2)}\n`
}

type Settings = FileFacts & { real: string }

/** The file to change; null where there is none. One that cannot be changed safely is an error with what to paste. */
function settingsOf(machine: Machine, home: string, entry: JsonObject): Settings | null {
  const path = join(home, 'settings.json')
  const facts = machine.read(path)
  if (facts === null) return null
  const fault = faultOf(machine, home, facts)
  if (fault !== undefined) throw new UserError(refusal(path, fault, entry))
  return { ...facts, real: facts.real ?? path }
}

function refusal(path: string, fault: string, entry: JsonObject): string {
  return `${path} ${fault}; nothing was changed. To add it by hand, paste this:\n${freshText(entry).trimEnd()}`
}

function faultOf(machine: Machine, home: string, { real, text, isText }: FileFacts): string | undefined {
  if (real === null) return 'is a link that leads nowhere'
  if (!isInside(machine.real(home), real)) return `is a link to ${real}, outside of the home`
  const value = isText ? parseJson(text) : undefined
  if (!isObject(value)) return 'is not a JSON object'
  const { hooks } = value
  if (hooks !== undefined && !isObject(hooks)) return 'has "hooks" that are not an object'
  if (hooks?.[event] !== undefined && !Array.isArray(hooks[event])) return `has "${event}" that is not a list`
  return undefined
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`)
}

function backup(machine: Machine, path: string, { text, mode }: Settings): FileStep {
  const time = machine.now().toISOString().replace(/[-:]/g, '')
  return {
    kind: 'file',
    path: `${path.slice(0, -'settings.json'.length)}${backupName}${time}`,
    content: text,
    mode,
    copyOf: path,
  }
}

function change({ real, text }: Settings, content: string): FileStep {
  return { kind: 'file', path: real, content, before: text }
}

/** The text with exactly one entry of ours; the same text where it has it already. */
function withEntry(text: string, entry: JsonObject, path: string): string {
  const wanted = jsonText(entry)
  const own = entriesOf(text).filter(isOwnEntry)
  if (own.length === 1 && jsonText(own[0]) === wanted) return text
  const content = addEntry(withoutEntries(text), entry)
  const isSound = entriesOf(content).filter(one => jsonText(one) === wanted).length === 1
  if (!isSound || restOf(content) !== restOf(text)) throw new UserError(refusal(path, 'has an odd shape', entry))
  return content
}

function addEntry(text: string, entry: JsonObject): string {
  const root = partsAt(text, rootOf(text))
  const hooks = memberOf(root, 'hooks')
  if (hooks === undefined) return added(text, root.open, { [event]: [entry] }, 'hooks')
  const list = memberOf(partsAt(text, hooks.value), event)
  if (list === undefined) return added(text, hooks.value, [entry], event)
  return added(text, list.value, entry)
}

function entriesOf(text: string): readonly unknown[] {
  return asArray(asObject(asObject(parseJson(text))?.['hooks'])?.[event])
}

function isOwnHook(value: unknown): boolean {
  return isOwnCommand(asString(asObject(value)?.['command']) ?? '')
}

function isOwnEntry(entry: unknown): boolean {
  return asArray(asObject(entry)?.['hooks']).some(isOwnHook)
}

/** The text without hooks of ours, and without what held nothing else. */
function withoutEntries(text: string): string {
  let rest = text
  for (let place = ownPlace(rest); place !== undefined; place = ownPlace(rest)) {
    const { hooks, list, entry, index, own } = place
    if (partsAt(rest, own).parts.length > 1) rest = withoutPart(rest, own, index)
    else if (partsAt(rest, list).parts.length > 1) rest = withoutPart(rest, list, entry)
    else rest = withoutMember(rest, hooks)
  }
  return rest
}

/** Takes the event out of the hooks, or all hooks where there is no other event. */
function withoutMember(text: string, hooks: number): string {
  const { parts } = partsAt(text, hooks)
  if (parts.length > 1)
    return withoutPart(
      text,
      hooks,
      parts.findLastIndex(part => part.key === event),
    )
  const root = partsAt(text, rootOf(text))
  return withoutPart(
    text,
    root.open,
    root.parts.findLastIndex(part => part.key === 'hooks'),
  )
}

/** Where the first hook of ours is: where its lists begin, and its places in them. */
function ownPlace(text: string) {
  const hooks = memberOf(partsAt(text, rootOf(text)), 'hooks')?.value
  const list = hooks === undefined ? undefined : memberOf(partsAt(text, hooks), event)?.value
  const entries = entriesOf(text)
  const entry = entries.findIndex(isOwnEntry)
  if (hooks === undefined || list === undefined || entry === -1) return undefined
  const part = partsAt(text, list).parts[entry]
  const own = part === undefined ? undefined : memberOf(partsAt(text, part.value), 'hooks')?.value
  const index = asArray(asObject(entries[entry])?.['hooks']).findIndex(isOwnHook)
  return own === undefined ? undefined : { hooks, list, entry, own, index }
}

/** All that is not ours, as text to compare by. `hooks` may come and go; what it has is compared by itself. */
function restOf(text: string): string {
  const { hooks, ...rest } = asObject(parseJson(text)) ?? {}
  const { [event]: _list, ...others } = asObject(hooks) ?? {}
  const entries = entriesOf(text).flatMap(entry => {
    const all = asArray(asObject(entry)?.['hooks'])
    const kept = all.filter(one => !isOwnHook(one))
    if (kept.length === all.length) return [entry]
    return kept.length === 0 ? [] : [{ ...asObject(entry), hooks: kept }]
  })
  return jsonText([rest, others, entries])
}

function uninstallFrom(machine: Machine, home: string): Plan {
  const path = join(home, 'settings.json')
  const facts = machine.isFolder(home) ? machine.read(path) : null
  if (facts === null || !facts.text.includes(commandMark)) return { steps: [], notes: [] }
  const fault = faultOf(machine, home, facts)
  if (fault !== undefined)
    throw new UserError(`${path} ${fault}; take the hook that ends with "${commandMark}" out by hand`)
  const own = entriesOf(facts.text).find(isOwnEntry)
  if (own === undefined) return { steps: [], notes: [] }
  const file: Settings = { ...facts, real: facts.real ?? path }
  const undone = asBefore(machine, home, file, own)
  if (undone !== undefined) return { steps: undone, notes: [] }
  const content = withoutEntries(file.text)
  if (entriesOf(content).some(isOwnEntry) || restOf(content) !== restOf(file.text))
    throw new UserError(`${path} has an odd shape; take the hook that ends with "${commandMark}" out by hand`)
  return { steps: [backup(machine, path, file), change(file, content)], notes: [] }
}

/** Where nothing has happened to the file since, it becomes what it was, byte for byte, and the copies of it go. */
function asBefore(machine: Machine, home: string, file: Settings, own: unknown): FileStep[] | undefined {
  const entry = asObject(own) ?? {}
  const copies = copiesIn(machine, home)
  const before = copies.find(
    ({ text }) => !entriesOf(text).some(isOwnEntry) && addEntry(text, entry) === file.text,
  )?.text
  if (before === undefined && file.text !== freshText(entry)) return undefined
  const isNeedless = (text: string) => text === before || withoutEntries(text) === before || text === file.text
  const gone = copies.filter(({ text }) => isNeedless(text))
  const restored: FileStep =
    before === undefined ? { kind: 'file', path: file.real, before: file.text } : change(file, before)
  return [restored, ...gone.map(({ path, text }): FileStep => ({ kind: 'file', path, before: text }))]
}

/** Copies that installing made, as far as they can be read. */
function copiesIn(machine: Machine, home: string): { path: string; text: string }[] {
  const paths = machine.list(home).filter(name => name.startsWith(backupName))
  return paths.flatMap(name => {
    const path = join(home, name)
    const copy = machine.read(path)
    const isSound = copy !== null && !copy.isLink && faultOf(machine, home, copy) === undefined
    return isSound ? [{ path, text: copy.text }] : []
  })
}
