// The hook by which Claude Code archives at the end of each session: one entry in settings.json of a Claude home. It is put in
// and taken out so that all else in that file stays as it is, after a copy of it was made. Asking people is for the command.

import { readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, join, relative, resolve, sep } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { isUtf8 } from '../../base/bytes.ts'
import { errorCode } from '../../base/error-code.ts'
import { escapeForLine } from '../../base/escape.ts'
import { asArray, asObject, asString, isObject, type JsonObject, jsonText } from '../../base/json.ts'
import { posixQuote } from '../../base/shell-quote.ts'
import { clewHome } from '../../disk/clew-home.ts'
import { claudeHomes, expandTilde } from '../../disk/discover/homes.ts'
import { readJsonText, withJsonItem, withoutJsonValue } from '../../files/json-edit.ts'
import { replaceForeignFile } from '../../files/replace-file.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'

const event = 'SessionEnd'
const list = ['hooks', event] as const
const backupName = 'settings.json.clew-backup-'
/** Claude Code gives all hooks of this event 1.5 s together unless one of them asks for more. */
const seconds = 10
/** Ends a shell command of ours; a shell takes it for a comment. */
const commandMark = '# clew archive'

/** What the hook is to start, and where it is looked for. */
export interface Host {
  /** The program that runs JavaScript, and the command line's main file: absolute paths. */
  node: string
  main: string
  /** Where the platform puts what may vanish. */
  temporary: string
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  platform: NodeJS.Platform
  now(): Date
}

/** The one that this process runs on. */
export function thisHost(): Host {
  return {
    node: process.execPath,
    main: process.argv[1] ?? '',
    temporary: tmpdir(),
    env: process.env,
    homeDir: homedir(),
    platform: process.platform,
    now: () => new Date(),
  }
}

/** A file to write, change or remove. */
export interface FileStep {
  path: string
  /** Absent: the file is removed. */
  content?: string
  /** What it has now; absent: there is none yet. */
  before?: string
  /** Of a new file. */
  mode?: number
  /** The file whose copy this is. */
  copyOf?: string
}

/** Steps in their order, none where nothing is to be done, and what people should know next to them. */
export interface HookPlan {
  steps: FileStep[]
  notes: string[]
}

type Places = Pick<Clew, 'home' | 'root' | 'isRootNamed'>

/** What would put the hook into the first of the homes in question. */
export function planHook(clew: Places, host: Host = thisHost()): HookPlan {
  const [home, ...others] = homesIn(clew, host)
  if (home === undefined || !isHome(home))
    throw new UserError(`${home ?? 'there'} is not a Claude home; --root PATH names one`)
  const entry = entryFor(wordsFor(clew, host))
  const path = join(home, 'settings.json')
  const file = settingsOf(home, entry)
  const notes = doubtsOf(host)
  if (others.length > 0) notes.push(`only sessions of ${home} start it; it archives those of all homes`)
  if (file === null) return { steps: [{ path, content: freshText(entry), mode: 0o600 }], notes }
  if (asObject(readJsonText(file.text))?.['disableAllHooks'] === true)
    notes.push(`${path} says disableAllHooks: it will not run until that is gone`)
  const content = withEntry(file.text, entry, path)
  if (content === file.text) return { steps: [], notes }
  return { steps: [backup(path, file, host), change(file, content)], notes }
}

/** What would take the hook out of all homes in question. A file that cannot be changed safely is an error with what to do. */
export function planHookRemoval(clew: Places, host: Host = thisHost()): HookPlan {
  return { steps: homesIn(clew, host).flatMap(home => removalFrom(home, host)), notes: [] }
}

/** Whether a hook archives by itself. */
export function hasHook(clew: Places, host: Host = thisHost()): boolean {
  return homesIn(clew, host).some(home => attempt(() => entriesOf(textIn(home)).some(isOwnEntry)) === true)
}

/** What was shown is what happens: a file that has changed since stops it. */
export function carryOut(steps: readonly FileStep[]): void {
  for (const { path, content, before, mode = 0o644 } of steps) {
    if (read(path)?.text !== before) throw new UserError(`${path} has changed meanwhile; run this again`)
    withReason(content === undefined ? `cannot remove ${path}` : `cannot write ${path}`, () => {
      if (content === undefined) rmSync(path)
      else replaceForeignFile(path, content, mode)
    })
  }
}

function homesIn({ root }: Pick<Places, 'root'>, { env, homeDir }: Host): string[] {
  return claudeHomes({ roots: root, env: { ...env }, homeDir })
}

/**
 * `clew archive run --quiet`, with all that a hook's bare environment would not know: a home of Clew that is not the usual one,
 * and roots that were named. Roots of the config are read at each run.
 */
function wordsFor({ home, root, isRootNamed }: Places, { node, main, env, homeDir, platform }: Host): string[] {
  const isUsual = home === clewHome({ env: {}, platform, homeDir })
  const isNamed = isRootNamed || Boolean(env['CLAUDE_CONFIG_DIR']?.trim())
  const roots = isNamed ? claudeHomes({ roots: isRootNamed ? root : [], env: { ...env }, homeDir }) : []
  const places = roots.flatMap(place => ['--root', resolve(expandTilde(place, homeDir))])
  return [node, main, ...(isUsual ? [] : ['--home', home]), ...places, 'archive', 'run', '--quiet']
}

/** Why the command may stop working some day, in words. */
function doubtsOf({ node, main, temporary }: Host): string[] {
  const doubts: string[] = []
  const places = [main, realPlace(main)]
  const passing = [temporary, realPlace(temporary)].map(folder => folder.replace(/[\\/]+$/, ''))
  const isPassing = (place: string) =>
    /[\\/](_npx|dlx|bunx)(-[^\\/]*)?[\\/]/.test(place) ||
    passing.some(folder => place.startsWith(`${folder}/`) || place.startsWith(`${folder}\\`))
  if (places.some(isPassing))
    doubts.push(`${main} is a temporary place that may vanish; install Clew for good (npm install -g clew)`)
  if (/[\\/]v?\d+\.\d+(\.\d+)*[\\/]/.test(node))
    doubts.push(`${node} belongs to one version of Node; after an upgrade run this again`)
  return doubts
}

/** A folder that has what a Claude home does; one of its projects does not. */
function isHome(folder: string): boolean {
  if (!isFolder(folder)) return false
  const names = ['projects', 'settings.json', 'history.jsonl', 'sessions', 'todos']
  return basename(folder) === '.claude' || namesIn(folder).some(name => names.includes(name))
}

/**
 * Claude Code ends soon after its hooks began and takes them along, so the work continues by itself. Windows runs hooks in
 * the shell that Git brings.
 */
function entryFor(words: readonly string[]): JsonObject {
  const odd = words.find(word => escapeForLine(word) !== word)
  if (odd !== undefined) throw new UserError(`a hook cannot name ${odd}: it has control or invisible characters`)
  const command = `nohup ${words.map(posixQuote).join(' ')} </dev/null >/dev/null 2>&1 & ${commandMark}`
  return { hooks: [{ type: 'command', command, timeout: seconds }] }
}

function freshText(entry: JsonObject): string {
  return `${JSON.stringify({ hooks: { [event]: [entry] } }, null, 2)}\n`
}

interface FileContent {
  text: string
  /** Whether the text is all there is: the bytes are valid UTF-8. */
  isText: boolean
  mode: number
  /** Where the bytes are, links followed; null for a link that leads nowhere. */
  real: string | null
}

/** Null where there is nothing. */
function read(path: string): FileContent | null {
  const facts = attempt(() => statSync(path))
  if (facts === undefined) {
    const isThere = namesIn(resolve(path, '..')).includes(basename(path))
    return isThere ? { text: '', isText: false, mode: 0, real: null } : null
  }
  if (!facts.isFile()) throw new UserError(`${path} is not a file`)
  return withReason(`cannot read ${path}`, () => {
    const bytes = readFileSync(path)
    return { text: bytes.toString('utf8'), isText: isUtf8(bytes), mode: facts.mode & 0o7777, real: realpathSync(path) }
  })
}

function textIn(home: string): string {
  return readFileSync(join(home, 'settings.json'), 'utf8')
}

function withReason<Value>(what: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${what} (${errorCode(error)})`)
  }
}

function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? []
}

function isFolder(path: string): boolean {
  return attempt(() => statSync(path).isDirectory()) === true
}

function realPlace(path: string): string {
  return attempt(() => realpathSync(path)) ?? path
}

type Settings = FileContent & { real: string }

/** The file to change; null where there is none. One that cannot be changed safely is an error with what to paste. */
function settingsOf(home: string, entry: JsonObject): Settings | null {
  const path = join(home, 'settings.json')
  const file = read(path)
  if (file === null) return null
  const fault = faultOf(home, file)
  if (fault !== undefined) throw new UserError(refusal(path, fault, entry))
  return { ...file, real: file.real ?? path }
}

function refusal(path: string, fault: string, entry: JsonObject): string {
  return `${path} ${fault}; nothing was changed. To add it by hand, paste this:\n${freshText(entry).trimEnd()}`
}

function faultOf(home: string, { real, text, isText }: FileContent): string | undefined {
  if (real === null) return 'is a link that leads nowhere'
  if (!isInside(realPlace(home), real)) return `is a link to ${real}, outside of the home`
  const value = isText ? readJsonText(text) : undefined
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

function backup(path: string, { text, mode }: Settings, host: Host): FileStep {
  const time = host.now().toISOString().replace(/[-:]/g, '')
  return { path: join(path, '..', `${backupName}${time}`), content: text, mode, copyOf: path }
}

function change({ real, text }: Settings, content: string): FileStep {
  return { path: real, content, before: text }
}

/** The text with exactly one entry of ours; the same text where it has it already. */
function withEntry(text: string, entry: JsonObject, path: string): string {
  const wanted = jsonText(entry)
  const own = entriesOf(text).filter(isOwnEntry)
  if (own.length === 1 && jsonText(own[0]) === wanted) return text
  const content = withJsonItem(withoutEntries(text), list, entry)
  const isSound = entriesOf(content).filter(one => jsonText(one) === wanted).length === 1
  if (!isSound || restOf(content) !== restOf(text)) throw new UserError(refusal(path, 'has an odd shape', entry))
  return content
}

function entriesOf(text: string): readonly unknown[] {
  return asArray(asObject(asObject(readJsonText(text))?.['hooks'])?.[event])
}

function isOwnHook(value: unknown): boolean {
  const command = asString(asObject(value)?.['command']) ?? ''
  return command.trimEnd().endsWith(commandMark) && command.includes('archive run --quiet')
}

function isOwnEntry(entry: unknown): boolean {
  return hooksOf(entry).some(isOwnHook)
}

function hooksOf(entry: unknown): readonly unknown[] {
  return asArray(asObject(entry)?.['hooks'])
}

/** The text without hooks of ours, and without what held nothing else. */
function withoutEntries(text: string): string {
  const entries = entriesOf(text)
  const at = entries.findIndex(isOwnEntry)
  if (at === -1) return text
  const hooks = hooksOf(entries[at])
  const others = Object.keys(asObject(asObject(readJsonText(text))?.['hooks']) ?? {}).length
  const path =
    hooks.length > 1
      ? [...list, at, 'hooks', hooks.findIndex(isOwnHook)]
      : entries.length > 1
        ? [...list, at]
        : others > 1
          ? list
          : ['hooks']
  const content = withoutJsonValue(text, path)
  return content === text ? text : withoutEntries(content)
}

/** All that is not ours, as text to compare by. `hooks` may come and go; what it has is compared by itself. */
function restOf(text: string): string {
  const { hooks, ...rest } = asObject(readJsonText(text)) ?? {}
  const { [event]: _list, ...others } = asObject(hooks) ?? {}
  const entries = entriesOf(text).flatMap(entry => {
    const all = hooksOf(entry)
    const left = all.filter(one => !isOwnHook(one))
    if (left.length === all.length) return [entry]
    return left.length === 0 ? [] : [{ ...asObject(entry), hooks: left }]
  })
  return jsonText([rest, others, entries])
}

function removalFrom(home: string, host: Host): FileStep[] {
  const path = join(home, 'settings.json')
  const file = isFolder(home) ? read(path) : null
  if (file === null || !file.text.includes(commandMark)) return []
  const byHand = `take the hook that ends with "${commandMark}" out by hand`
  const fault = faultOf(home, file)
  if (fault !== undefined) throw new UserError(`${path} ${fault}; ${byHand}`)
  const own = entriesOf(file.text).find(isOwnEntry)
  if (own === undefined) return []
  const settings: Settings = { ...file, real: file.real ?? path }
  const undone = asBefore(home, settings, asObject(own) ?? {})
  if (undone !== undefined) return undone
  const content = withoutEntries(file.text)
  if (entriesOf(content).some(isOwnEntry) || restOf(content) !== restOf(file.text))
    throw new UserError(`${path} has an odd shape; ${byHand}`)
  return [backup(path, settings, host), change(settings, content)]
}

/** Where nothing has happened to the file since, it becomes what it was, byte for byte, and the copies of it go. */
function asBefore(home: string, file: Settings, entry: JsonObject): FileStep[] | undefined {
  const copies = copiesIn(home)
  const isOrigin = ({ text }: { text: string }) =>
    !entriesOf(text).some(isOwnEntry) && withJsonItem(text, list, entry) === file.text
  const before = copies.find(isOrigin)?.text
  if (before === undefined && file.text !== freshText(entry)) return undefined
  const isNeedless = (text: string) => text === before || withoutEntries(text) === before || text === file.text
  const gone = copies.filter(({ text }) => isNeedless(text))
  const restored = before === undefined ? { path: file.real, before: file.text } : change(file, before)
  return [restored, ...gone.map(({ path, text }): FileStep => ({ path, before: text }))]
}

/** Copies that installing made, as far as they can be read. */
function copiesIn(home: string): { path: string; text: string }[] {
  const paths = namesIn(home).filter(name => name.startsWith(backupName))
  return paths.flatMap(name => {
    const path = join(home, name)
    const copy = attempt(() => read(path))
    const isSound = copy != null && copy.real === realPlace(home) + sep + name && faultOf(home, copy) === undefined
    return isSound ? [{ path, text: copy.text }] : []
  })
}
