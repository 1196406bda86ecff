// Branches of sessions as rows of a report: which there are, what people know them by, and which a message belongs to.

import { RecordDecoder } from '../../decode/decode.ts'
import { ReadError } from '../../disk/read/read.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { ByteSource, SessionFiles } from '../../model/source.ts'
import { eventDecoder } from '../../session/load.ts'
import { firstLine } from '../../view/words.ts'
import { branchOwners, type OwnedBranch } from './usage-branches.ts'
import type { GraphReader } from './usage-lookup.ts'
import { type BranchRow, noBranches, type Parting } from './usage-parted.ts'

const longestLabel = 120

/** `rows` gets the branches of every session that is looked into. */
export function branchParting(read: GraphReader, source: ByteSource, rows: BranchRow[]): Parting {
  return async session => {
    const graph = await read(session)
    const owners = graph === null ? null : branchOwners(graph)
    if (owners === null) return () => noBranches
    const own = owners.branches.map(owned => branchRow(owned, session, source))
    rows.push(...own)
    return (path, offset) => own[owners.ownerAt(path, offset)]?.key ?? noBranches
  }
}

function branchRow({ branch, first }: OwnedBranch, session: SessionFiles, source: ByteSource): BranchRow {
  const { leaf, isActive, title } = branch
  const label = first === null ? '' : beginning(firstLine(textOf(first, session, source)))
  return { key: `${session.id} ${leaf}`, session: session.id, leaf, isActive, label: label || title || '' }
}

function beginning(text: string): string {
  const characters = [...text.slice(0, 4 * longestLabel)]
  return characters.length <= longestLabel ? text : `${characters.slice(0, longestLabel).join('')}…`
}

/** What an event says; events from the index have no text, their record does. */
function textOf(event: SessionEvent, session: SessionFiles, source: ByteSource): string {
  const text = saidIn(event)
  if (text !== '') return text
  const log = session.logs.find(one => one.path === event.source.file)
  if (log === undefined) return ''
  try {
    const { offset, bytes } = event.source
    const decoder = new RecordDecoder(log.path)
    const records = [...decoder.push(source.readSync(log.generation, offset, offset + bytes)), ...decoder.end()]
    const events = eventDecoder(log, { session: session.id })
    return records.map(record => saidIn(events.decode(record))).join('')
  } catch (error) {
    if (error instanceof ReadError) return ''
    throw error
  }
}

function saidIn(event: SessionEvent | null): string {
  const texts = (event?.blocks ?? []).map(block => (block.type === 'text' ? block.text : ''))
  return texts.join('\n').trim()
}
