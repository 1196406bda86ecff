// The catalog of everything that is known to stand in a Claude home's logs: what it is for, its fields, since when, and
// how we know. It describes; it neither reads nor checks anything.

import { agentToolsEntries } from './agent-tools.ts'
import { attachmentsEntries } from './attachments.ts'
import { capturesEntries } from './captures.ts'
import { chainEntries } from './chain.ts'
import { contentEntries } from './content.ts'
import { dialectsEntries } from './dialects.ts'
import type { CatalogEntry, CatalogField, CatalogGroup } from './entry.ts'
import { catalogField } from './entry.ts'
import { fileToolsEntries } from './file-tools.ts'
import { filesEntries } from './files.ts'
import { linksEntries } from './links.ts'
import { logsEntries } from './logs.ts'
import { otherToolsEntries } from './other-tools.ts'
import { progressEntries } from './progress.ts'
import { remindersEntries } from './reminders.ts'
import { serverContentEntries } from './server-content.ts'
import { stateEntries } from './state.ts'
import { surroundingsEntries } from './surroundings.ts'
import { systemEntries } from './system.ts'
import { systemRareEntries } from './system-rare.ts'
import { titlesEntries } from './titles.ts'

/** In the order of the documentation: the conversation first, then what stands beside it. */
export const catalog: readonly CatalogEntry[] = [
  ...chainEntries,
  ...systemEntries,
  ...systemRareEntries,
  ...progressEntries,
  ...attachmentsEntries,
  ...remindersEntries,
  ...surroundingsEntries,
  ...titlesEntries,
  ...stateEntries,
  ...linksEntries,
  ...capturesEntries,
  ...contentEntries,
  ...serverContentEntries,
  ...fileToolsEntries,
  ...agentToolsEntries,
  ...otherToolsEntries,
  ...dialectsEntries,
  ...logsEntries,
  ...filesEntries,
]

const byName: ReadonlyMap<string, CatalogEntry> = new Map(catalog.map(entry => [entry.name, entry]))

export function catalogEntry(name: string): CatalogEntry | undefined {
  return byName.get(name)
}

/** An entry's own fields, without those of its base. */
export function ownFields(entry: CatalogEntry): CatalogField[] {
  return entry.fields.map(catalogField)
}

/** All fields of an entry: those of its base first, its own in their place where both have one. */
export function allFields(entry: CatalogEntry): CatalogField[] {
  const fields = new Map<string, CatalogField>()
  const base = entry.base === undefined ? undefined : byName.get(entry.base)
  for (const field of [...(base ? ownFields(base) : []), ...ownFields(entry)]) fields.set(field.name, field)
  return [...fields.values()]
}

const byWire: ReadonlyMap<string, CatalogEntry> = new Map(
  catalog.flatMap(entry => (entry.wire === undefined ? [] : [[`${entry.group} ${entry.wire}`, entry] as const])),
)

/** The entry of a group by the name it has on the wire. */
export function entryByWire(group: CatalogGroup, wire: string): CatalogEntry | undefined {
  return byWire.get(`${group} ${wire}`)
}
