// Rules about names and places: folders of the home, project slugs, names of session, agent and tool-result files. The
// content of a file matters only where its name repeats it.

import { asString } from '../../base/json.ts'
import { artifactFiles, artifactFolders, type LogFile, type SessionFiles } from '../../model/source.ts'
import type { FileFacts, HomeFacts, Report, Rule } from '../rule.ts'
import { quote } from '../wire.ts'
import { indexFile, isUuid, nameOf, pathParts, placeOf, uuidVersion } from './facts.ts'

/** A rule about the folder that a project's folder is in. */
function rootFolderRule(code: string, folder: string): Rule {
  return {
    code,
    home({ discovery, misplaced }, report) {
      const logs = discovery.sessions.flatMap(session => session.logs).filter(log => log.role === 'session')
      for (const path of [...logs.map(log => log.path), ...misplaced]) {
        const parts = pathParts(path)
        if (parts.length < 3 || parts.at(-3) === folder) continue
        report(`The session file does not lie in a project folder of ${folder}/.`, { file: path })
      }
    },
  }
}

/** A rule about how a project's folder is called after its working directory. */
function slugRule(code: string, sign: string): Rule {
  return {
    code,
    home(facts, report) {
      for (const session of facts.discovery.sessions) checkSlug(session, facts, sign, report)
    },
  }
}

function checkSlug(session: SessionFiles, facts: HomeFacts, sign: string, report: Report): void {
  const cwd = facts.firstCwd.get(session.id)
  const file = session.logs.find(log => log.role === 'session')
  if (file === undefined || session.slug === '') return
  if (cwd === undefined) {
    // The working directory is a full path, so it begins with a slash, or on Windows with a drive.
    if (!session.slug.startsWith(sign) && !/^[A-Za-z][:_-]/.test(session.slug))
      report(`The project folder ${quote(session.slug)} does not begin with ${quote(sign)}.`, { file: file.path })
    return
  }
  // A drive's colon can stand in no folder name.
  const isDrive = /^[A-Za-z]:[\\/]/.test(cwd)
  const expected = cwd.replace(isDrive ? /[:\\/]/g : /\//g, sign)
  if (session.slug !== expected)
    report(`The project folder is ${quote(session.slug)}, not ${quote(expected)} after its cwd.`, { file: file.path })
}

const sessionPerFile: Rule = {
  code: 'session-per-file',
  file(facts, report) {
    if (facts.file.role !== 'session') return
    const seen = new Set<string>()
    for (const each of indexFile(facts).logged) {
      const session = asString(each.value['sessionId'])
      if (session === undefined || seen.has(session)) continue
      if (seen.size > 0) report(`The file also contains records of session ${quote(session)}.`, placeOf(each))
      seen.add(session)
    }
  },
}

/** A rule about the base name of a main session file. */
function nameRule(code: string, flawOf: (name: string) => string | undefined): Rule {
  return {
    code,
    file({ file }: FileFacts, report) {
      const flaw = hasName(file) ? flawOf(nameOf(file.path)) : undefined
      if (flaw !== undefined) report(flaw, { file: file.path })
    },
  }
}

/** Main session files, but for a stream, which has no name. */
function hasName(file: LogFile): boolean {
  return file.role === 'session' && file.path !== '-'
}

const dateForm = /(19|20)\d\d([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])/
/** Year last, day or month first. */
const dayForm = /(?<!\d)(0[1-9]|[12]\d|3[01])([-_.])(0[1-9]|[12]\d|3[01])\2(19|20)\d\d(?!\d)/
const epochForm = /(?<![0-9a-f])\d{10}(\d{3})?(?![0-9a-f])/i

const fileNameTimestamp = nameRule('file-name-timestamp', name =>
  !isUuid(name) && [dateForm, dayForm, epochForm].some(form => form.test(name))
    ? undefined
    : `The file name ${quote(name)} contains no time.`,
)

const fileNameUuid = nameRule('file-name-uuid', name =>
  isUuid(name) ? undefined : `The file name ${quote(name)} is not a UUID.`,
)

const fileNameUuidV4 = nameRule('file-name-uuid-v4', name =>
  isUuid(name) && uuidVersion(name) !== '4'
    ? `The file name ${quote(name)} is a UUID of version ${uuidVersion(name)}, not 4.`
    : undefined,
)

const fileNameEqualsSessionId: Rule = {
  code: 'file-name-equals-session-id',
  file(facts, report) {
    const name = nameOf(facts.file.path)
    if (!hasName(facts.file)) return
    const other = indexFile(facts).logged.find(({ value }) => {
      const session = asString(value['sessionId'])
      return session !== undefined && session.toLowerCase() !== name.toLowerCase()
    })
    if (other !== undefined)
      report(`The records carry sessionId ${quote(other.value['sessionId'])}, not the file's name.`, placeOf(other))
  },
}

const sessionArtifactsFolder: Rule = {
  code: 'session-artifacts-folder',
  home({ discovery, profile }, report) {
    const mains = new Set<string>()
    for (const session of discovery.sessions)
      for (const log of session.logs) if (log.role === 'session') mains.add(nameOf(log.path))
    const known = profile === 's2' ? specifiedChildren : knownChildren
    for (const session of discovery.sessions) checkArtifacts(session, mains, known, report)
  },
}

const specifiedChildren = new Set(['subagents', 'tool-results'])
const knownChildren = new Set([...artifactFolders.keys(), ...artifactFiles])
/** Kept elsewhere in the home, in folders that are called after the session too. */
const farKinds = new Set(['todo', 'task', 'file-history', 'plan'])

function checkArtifacts(session: SessionFiles, mains: Set<string>, known: Set<string>, report: Report): void {
  const reported = new Set<string>()
  const say = (message: string, file: string) => {
    if (!reported.has(message)) report(message, { file })
    reported.add(message)
  }
  const near = session.side.filter(file => !farKinds.has(file.kind))
  for (const { path } of [...session.logs, ...near]) {
    const [folder, child] = artifactOf(path, session.slug)
    if (folder === undefined || child === undefined) continue
    if (!mains.has(folder)) say(`The folder ${quote(folder)} has no session file next to it.`, path)
    if (!known.has(child))
      say(`The folder ${quote(folder)} contains ${quote(child)}, which is not one of its known parts.`, path)
  }
}

/** The `<uuid>` folder below the project's that a file is in, and what of that folder it belongs to. */
function artifactOf(path: string, slug: string): [folder?: string, child?: string] {
  const parts = pathParts(path)
  const from = slug === '' ? 0 : parts.lastIndexOf(slug) + 1
  const at = parts.findIndex((part, index) => index >= from && isUuid(part))
  const folder = parts[at]
  const child = parts[at + 1]
  return folder === undefined || child === undefined ? [] : [folder, child]
}

const subagentFileLocation: Rule = {
  code: 'subagent-file-location',
  file({ file }, report) {
    const parts = pathParts(file.path)
    if (file.role !== 'agent' || parts.length < 2 || isInSession(parts)) return
    report(`The agent file lies in ${quote(parts.at(-2))}, not in the subagents folder of its session.`, {
      file: file.path,
    })
  },
}

/** Whether a path leads through `<session>/subagents`: a project's own folder of that name is none. */
function isInSession(parts: readonly string[]): boolean {
  const at = parts.lastIndexOf('subagents', parts.length - 2)
  const above = parts[at - 2]
  return at > 0 && above !== 'projects' && above !== 'conversations'
}

const subagentFileName: Rule = {
  code: 'subagent-file-name',
  file({ file }, report) {
    const name = pathParts(file.path).at(-1) ?? ''
    if (file.role !== 'agent' || /^agent-[0-9a-f]{7}\.jsonl$/.test(name)) return
    report(`The agent file is called ${quote(name)}, not agent- and seven hex digits.`, { file: file.path })
  },
}

const toolResultsFileName: Rule = {
  code: 'tool-results-file-name',
  session({ files, profile }, report) {
    for (const [name, path] of spillNames(files)) {
      if (name.startsWith('mcp-')) continue
      if (!name.endsWith('.txt')) {
        if (profile === 's2') report(`The tool result file is called ${quote(name)}, not .txt.`, { file: path })
        continue
      }
      if (isShortHash(name.slice(0, -'.txt'.length))) continue
      if (profile !== 's2' && /^((srv)?toolu_\w+|b[0-9a-z]{6,10})\.txt$/.test(name)) continue
      report(`The tool result file is called ${quote(name)}, not by a short hash.`, { file: path })
    }
  },
}

/** Hex digits, or letters and digits mixed: a word, or a word with a number, is not a hash. */
function isShortHash(name: string): boolean {
  return /^[0-9a-f]{4,40}$/.test(name) || /^(?=(\D*\d){2}|b.*\d)[0-9a-z]{5,12}$/.test(name)
}

const toolResultsMcpFileName: Rule = {
  code: 'tool-results-mcp-file-name',
  session({ files }, report) {
    for (const [name, path] of spillNames(files)) {
      if (!name.startsWith('mcp-') || /^mcp-.+-\d+\.txt$/.test(name)) continue
      report(`The tool result file is called ${quote(name)}, which does not end in a time.`, { file: path })
    }
  },
}

function spillNames(files: SessionFiles): [name: string, path: string][] {
  const spilled = files.side.filter(file => file.kind === 'tool-result')
  return spilled.map(({ path }) => [pathParts(path).at(-1) ?? '', path])
}

export const locationRules: readonly Rule[] = [
  rootFolderRule('location-conversations', 'conversations'),
  rootFolderRule('location-projects', 'projects'),
  slugRule('slug-underscore', '_'),
  slugRule('slug-hyphen', '-'),
  sessionPerFile,
  fileNameTimestamp,
  fileNameUuid,
  fileNameUuidV4,
  fileNameEqualsSessionId,
  sessionArtifactsFolder,
  subagentFileLocation,
  subagentFileName,
  toolResultsFileName,
  toolResultsMcpFileName,
]
