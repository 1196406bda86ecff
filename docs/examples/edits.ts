// Everything that makes one thing of another and touches no file: context, view, usage, and sessions that are edited.
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  buildContext,
  bundledPrices,
  check,
  convert,
  discover,
  diskSource,
  forkSession,
  graphCells,
  makeUpOf,
  readSession,
  repairLog,
  reportUsage,
  trimSession,
  viewSession,
} from 'clew'

const { sessions } = await discover(join(homedir(), '.claude'))
const files = sessions.find(session => session.id.startsWith('33c79d8c'))
if (!files) throw new Error('no such session')
const session = await readSession(diskSource(), files)
const { graph } = session

const makeUp = makeUpOf(buildContext(graph), graph.events)
console.log(makeUp.parts[0]?.kind)
console.log(viewSession(graph)[0]?.kind)
const pricing = { prices: bundledPrices }
const { rows } = reportUsage(graphCells(graph, pricing), { by: 'model', ...pricing })
console.log(rows[0]?.modelsUsed.join())

const options = { newId: randomUUID, now: Date.now }
const fork = forkSession(session, { ...options, at: graph.turns[0]?.events.at(-1) ?? '' })
console.log(fork.records, 'records in the fork')
console.log(trimSession(session, { ...options, budget: 1_000_000 }).cuts.length, 'outputs cut')
console.log(convert(graph, files, 's1', options).losses.length > 0 ? 'not all can be said' : 'nothing is lost')
const torn = new TextEncoder().encode(`${fork.lines.join('\n')}\n${fork.lines.at(-1)?.slice(0, -9)}`)
console.log(repairLog(torn, options).changes[0]?.kind)

// The last one reads files: what is wrong with a log.
console.log((await check([files.logs[0]?.path ?? ''])).records, 'records checked')
