// Removes logs of a store: first the archive has every byte of them, then the files go. Restoring them from the archive undoes it.

import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { capture } from '../../archive/capture/capture.ts'
import { hasContent } from '../../archive/capture/content.ts'
import type { Generation } from '../../archive/format/catalog.ts'
import { archiveFolder } from '../../archive/format/layout.ts'
import { Archive } from '../../archive/store/archive.ts'
import { sessionInUse } from '../../disk/in-use.ts'
import { entriesOf, removeAll } from '../../files/durable.ts'
import { canonicalPlace, placeOf } from '../../files/place.ts'
import { Lease } from '../lease.ts'
import { agentMetaPath } from '../place.ts'
import { WriteError } from '../wire/error.ts'
import type { DeletedLogs } from './deleted.ts'
import { folderOf, logPlace, sessionPlace } from './place.ts'
import type { StoreSetting } from './store-log.ts'
import type { StoredLogs } from './stored.ts'
import type { SessionKey } from './types.ts'

/** Removes a log; with a session's own log everything of the session. Does nothing where there is none. */
export async function deleteLog(
  key: SessionKey,
  setting: StoreSetting,
  { logs, deleted }: { logs: StoredLogs; deleted: DeletedLogs },
): Promise<void> {
  const session = sessionPlace(setting.home, key)
  const path = logPlace(setting.home, key)
  const isWhole = key.subpath === undefined
  const folder = folderOf(session)
  const below = isWhole ? await logs.logsBelow(folder) : []
  const found = [path, ...below].filter(one => logs.find(one) !== null)
  const files = isWhole ? [session, ...filesBelow(folder)] : [path, agentMetaPath(path)]
  if (found.length === 0 && !files.some(isFile)) return
  refuseOpen(setting.home, key.sessionId)
  await withLeases(found, setting, async () => {
    await archiveAll(files.filter(isFile), [session, folder], setting)
    // A session whose removal is cut short is still there, or gone for good.
    for (const one of found) deleted.add(one, Date.now())
    for (const one of isWhole ? [session] : files) if (isFile(one)) setting.ops.unlink(one)
    if (isWhole && existsSync(folder)) removeAll(setting.ops, folder)
    if (existsSync(dirname(session))) setting.ops.syncFolder(dirname(session))
  })
}

function refuseOpen(home: string, session: string): void {
  const pid = sessionInUse(home, session)
  if (pid !== null) throw new WriteError('in-use', `${session} is in use: process ${pid} has it open.`)
}

/** Does something while no one of Clew writes to the logs. */
async function withLeases(paths: readonly string[], setting: StoreSetting, work: () => Promise<void>): Promise<void> {
  const { ops, clewHome, waitMs } = setting
  const leases: Lease[] = []
  try {
    // In one order, so that two who delete do not wait for each other.
    for (const path of [...paths].sort()) {
      const lease = new Lease(ops, path, { clewHome, waitMs, what: 'delete' })
      await lease.hold(false)
      leases.push(lease)
    }
    await work()
  } finally {
    for (const lease of leases) lease.end()
  }
}

/** Fails where the archive has not got all bytes of all files then. */
async function archiveAll(files: readonly string[], roots: readonly string[], setting: StoreSetting): Promise<void> {
  if (files.length === 0) return
  const { clewHome, waitMs, ops } = setting
  const archive = new Archive(archiveFolder(clewHome), { ops, waitMs })
  const { failure } = await capture(archive, { roots: roots.filter(root => existsSync(root)) })
  archive.reload()
  const generations = generationsAt(archive, files)
  for (const file of files) {
    if (await isArchived(file, generations.get(canonicalPlace(file)) ?? [], archive)) continue
    throw failure ?? new WriteError('not-found', `${file} could not be archived first, so nothing was deleted.`, file)
  }
}

function generationsAt(archive: Archive, files: readonly string[]): Map<string, Generation[]> {
  const found = new Map<string, Generation[]>(files.map(file => [canonicalPlace(file), []]))
  for (const generation of archive.manifest.catalog.generations.values())
    found.get(placeOf(generation))?.push(generation)
  return found
}

async function isArchived(file: string, generations: readonly Generation[], archive: Archive): Promise<boolean> {
  for (const generation of generations) {
    if (await hasContent(file, generation, archive.manifest.catalog)) return true
  }
  return false
}

/** Regular files below a folder; links go with it, what they lead to stays. */
function filesBelow(folder: string): string[] {
  const found: string[] = []
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of entriesOf(next)) {
      if (entry.isDirectory()) waiting.push(join(next, entry.name))
      else if (entry.isFile()) found.push(join(next, entry.name))
    }
  }
  return found
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}
