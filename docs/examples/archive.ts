// Archives a home, and reads a session whose file is gone.
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Archive,
  archiveSource,
  archiveTree,
  bytesOf,
  capture,
  discover,
  diskSource,
  diskTree,
  isOnDisk,
  lastChange,
  loadSession,
  ReadError,
} from 'clew'

const home = join(homedir(), '.claude')
const folder = mkdtempSync(join(tmpdir(), 'archive-'))
const archive = new Archive(folder)
const { files, bytes, findings } = await capture(archive, { roots: [home] })
console.log(`${files} files, ${bytes} bytes, ${findings.length} findings`)

const before = (await discover(home, diskTree)).sessions.find(session => session.id.startsWith('8b863dff'))
if (!before) throw new Error('no such session')
for (const log of before.logs) rmSync(log.path)
await loadSession(diskSource(), before).catch(error => console.log(error instanceof ReadError && error.code))

archive.reload()
const source = archiveSource(archive)
const { sessions } = await discover(home, archiveTree(archive, { source }))
const after = sessions.find(session => session.id === before.id)
if (!after) throw new Error('not archived')
console.log(isOnDisk(after), bytesOf(after) === bytesOf(before), lastChange(after) === lastChange(before))
console.log((await loadSession(source, after)).events.length, 'events')
rmSync(folder, { recursive: true })
