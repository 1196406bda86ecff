// A made-up Claude home from a seed: sessions of all eras, forked and resumed as each era did it, written with all the odd
// lines that logs have. The same seed gives the same bytes.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { logText } from './made-lines.ts'
import { answerLines, Chance, eras, type Fields, makeAnswer } from './made-records.ts'
import { type MadeLog, makeSession, type Workshop } from './made-sessions.ts'

export interface MadeHome {
  /** Text by path below the home. */
  files: Map<string, string>
  /** How often what was made. */
  made: Map<string, number>
}

const folders = ['/home/dev/shop', '/home/dev/my_site.v2', '/home/dev/über']

export function makeHome(seed: number, sessions = 12): MadeHome {
  const made = new Map<string, number>()
  const shop: Workshop = {
    chance: new Chance(seed),
    note: what => made.set(what, (made.get(what) ?? 0) + 1),
  }
  const { chance } = shop
  const logs: MadeLog[] = []
  for (let n = 0; n < sessions; n++) {
    const born = makeSession(shop, chance.pick(folders), eras[(n + seed) % eras.length])
    logs.push(...born)
    const [main] = born
    if (main === undefined) continue
    if (chance.is(0.45)) logs.push(forked(shop, main))
    if (main.desk.era.isWhole && chance.is(0.7)) logs.push(resumed(shop, main))
  }
  const files = new Map(logs.map(log => [`projects/${log.path}`, logText(chance, log.records, shop.note)]))
  return { files, made }
}

export function writeHome(folder: string, files: ReadonlyMap<string, string>): void {
  // Which of two equal logs is the copy may depend on when they were changed: they are written in order, on any machine.
  let changedAt = Date.now() - 1000 * files.size
  for (const [name, text] of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    changedAt += 1000
    utimesSync(path, new Date(changedAt), new Date(changedAt))
  }
}

/** The same uuids in another file; each version has its own habit with times and session ids. */
function forked({ chance, note }: Workshop, { slug, desk, records, endedAt }: MadeLog): MadeLog {
  const session = chance.uuid()
  const habit = chance.pick(['rewritten', 'kept', 'mixed', 'restamped', 'forkedFrom'])
  note(`fork ${habit}`)
  const begins = chance.is(0.3) ? Math.floor(records.length / 3) : 0
  const again = endedAt + chance.below(30 * 3_600_000)
  const copies = records.slice(begins).map((record, place): Fields => {
    if (record['sessionId'] === undefined) return record
    const keepsId = habit === 'kept' || (habit === 'mixed' && chance.is(0.5))
    const copy: Fields = { ...record, ...(!keepsId && { sessionId: session }) }
    if (habit === 'restamped') copy['timestamp'] = new Date(again + place).toISOString()
    if (habit === 'forkedFrom') copy['forkedFrom'] = { sessionId: desk.session, messageUuid: record['uuid'] }
    return copy
  })
  let clock = again + 60_000
  const own = { ...desk, session }
  const further = chance.is(0.7) ? answerLines(chance, own, makeAnswer(chance, desk.era), () => (clock += 999)) : []
  const all = [...copies, ...further]
  return { path: `${slug}/${session}.jsonl`, slug, desk: own, records: all, endedAt: clock }
}

/** As up to 1.0.3: a new file with new uuids, everything stamped with the time of the resume. */
function resumed({ chance, note }: Workshop, { slug, desk, records, endedAt }: MadeLog): MadeLog {
  note('resume')
  const own = { ...desk, session: chance.uuid() }
  const at = endedAt + chance.below(48 * 3_600_000)
  const copies = records.map((record): Fields => {
    if (record['uuid'] === undefined) return record
    const timestamp = new Date(at).toISOString()
    return {
      ...record,
      uuid: chance.uuid(),
      sessionId: own.session,
      timestamp,
      ...('durationMs' in record && { durationMs: 0 }),
    }
  })
  let clock = at
  const further = answerLines(chance, own, makeAnswer(chance, desk.era), () => (clock += 999))
  return { path: `${slug}/${own.session}.jsonl`, slug, desk: own, records: [...copies, ...further], endedAt: clock }
}
