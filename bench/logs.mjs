// The logs that the benches read, made from a seed in .cache/bench and used again: made-up sessions, many small files, and
// real logs multiplied with altered words. It measures nothing.

import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { filesUnder, projectRoot } from '../scripts/source.mjs'
import { material, SessionWriter, skewed } from './session.mjs'

/** Raise it when a generator changes, so that old files are not taken for new ones. */
const generation = 2
const megabyte = 1_000_000
export const cache = join(projectRoot, '.cache/bench')
/** Logs that real versions of Claude Code wrote; not part of the repository. */
export const realFolder = join(resolve(projectRoot, process.env['CLEW_CORPUS'] ?? '../shared/corpus'), 'public')

/** All logs under a folder, as whole paths. */
export const logsIn = root => filesUnder(root).flatMap(path => (path.endsWith('.jsonl') ? [join(root, path)] : []))

/** The folder of that name, made by `make` unless it is there already. */
function madeOnce(name, make) {
  const root = join(cache, `${name}-${generation}`)
  if (existsSync(root)) return root
  rmSync(`${root}.part`, { recursive: true, force: true })
  mkdirSync(`${root}.part`, { recursive: true })
  make(`${root}.part`)
  renameSync(`${root}.part`, root)
  return root
}

/** A Claude home of about that many megabytes: one file has a quarter of them (at most 100 MB), the others vary widely. */
export function madeLogs(megabytes) {
  return madeOnce(`${megabytes}mb`, root => {
    const shared = material(20)
    let left = megabytes * megabyte
    let size = Math.min(left / 4, 100 * megabyte)
    while (left > 0) {
      left -= writeSession(root, new SessionWriter(shared), Math.min(size, left))
      size = skewed(shared.random, 0.45 * megabyte, 1.3)
    }
  })
}

/** A Claude home of that many sessions of about the same size. */
export function manySessions(count, megabytes) {
  return madeOnce(`${count}-sessions-${megabytes}mb`, root => {
    const shared = material(7)
    const mean = (megabytes * megabyte) / count
    for (let made = 0; made < count; made++)
      writeSession(root, new SessionWriter(shared), skewed(shared.random, mean * 0.6, 1), false)
  })
}

/** One session of that size; all sizes begin with the same records. */
export function oneSession(megabytes) {
  const writer = new SessionWriter(material(11))
  const root = madeOnce(`session-${megabytes}mb`, folder => writeSession(folder, writer, megabytes * megabyte, false))
  return { root, path: logsIn(root)[0] }
}

/** A Claude home of that many sessions with one prompt each. */
export function manyFiles(count) {
  return madeOnce(`${count}-files`, root => {
    for (let made = 0; made < count; made++) {
      const folder = join(root, 'projects', `-home-dev-project-${made % 100}`)
      if (made < 100) mkdirSync(folder, { recursive: true })
      const sessionId = `${String(made).padStart(8, '0')}-0000-4000-8000-000000000000`
      const message = { role: 'user', content: `prompt ${made}` }
      const record = { type: 'user', sessionId, uuid: sessionId, parentUuid: null, message }
      writeFileSync(join(folder, `${sessionId}.jsonl`), `${JSON.stringify(record)}\n`)
    }
  })
}

/**
 * Real logs again and again until there are that many megabytes. Each copy has ids of its own, and every third of its longer
 * words is altered, so that copies add words as other sessions would. Undefined where there are no real logs.
 */
export function realLogs(megabytes) {
  if (!existsSync(realFolder)) return undefined
  return madeOnce(`real-${megabytes}mb`, root => {
    let left = megabytes * megabyte
    for (let copy = 0; left > 0; copy++) {
      for (const path of filesUnder(realFolder).filter(name => name.endsWith('.jsonl'))) {
        if (left <= 0) break
        const target = join(root, alterIds(path, copy))
        mkdirSync(dirname(target), { recursive: true })
        const text = readFileSync(join(realFolder, path), 'utf8').split('\n')
        const altered = text.map(line => alterIds(alterWords(line, copy), copy)).join('\n')
        writeFileSync(target, altered)
        left -= Buffer.byteLength(altered)
      }
    }
  })
}

const uuids = /\b[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-)/g
const apiIds = /\b(?:msg|req|toolu)_[A-Za-z0-9]{8,}/g

function alterIds(text, copy) {
  if (copy === 0) return text
  return text
    .replace(uuids, id => ((Number.parseInt(id, 16) + copy * 0x9e3779b1) >>> 0).toString(16).padStart(8, '0'))
    .replace(apiIds, id => `${id}c${copy}`)
}

/** Words within prose, never those of keys, kinds or paths: a word between blanks is neither. */
function alterWords(line, copy) {
  if (copy === 0) return line
  return line.replace(/(?<= )[a-z]{5,}(?= )/g, word => {
    let hash = copy
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193) >>> 0
    return hash % 3 === 0 ? word + String.fromCharCode(97 + ((hash >>> 8) % 26), 97 + ((hash >>> 16) % 26)) : word
  })
}

/** Appends about that many bytes to a session, as it would continue. */
export function appendTurns(path, bytes, writer = new SessionWriter(material(99))) {
  let text = ''
  while (text.length < bytes) text += turnText(writer)
  appendFileSync(path, text)
}

const turnText = writer => [...writer.turn()].map(record => `${JSON.stringify(record)}\n`).join('')

/** A session's file, and those of its subagents. */
function writeSession(root, writer, size, hasAgents = true) {
  const folder = join('projects', writer.cwd.replace(/[^A-Za-z0-9]/g, '-'))
  let written = writeLog(join(root, folder, `${writer.id}.jsonl`), writer, size)
  for (const { agentId, toolUseId } of hasAgents ? writer.agents.slice(0, 20) : []) {
    const agent = new SessionWriter(writer, { agent: agentId })
    Object.assign(agent, { id: writer.id, era: writer.era, cwd: writer.cwd })
    const path = join(root, folder, writer.id, 'subagents', `agent-${agentId}`)
    written += writeLog(`${path}.jsonl`, agent, 60_000)
    writeFileSync(`${path}.meta.json`, JSON.stringify({ agentType: 'general-purpose', toolUseId }))
  }
  return written
}

function writeLog(path, writer, size) {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'w')
  let written = 0
  while (written < size) written += writeSync(file, turnText(writer))
  closeSync(file)
  return written
}
