// What lies on disk by area: a project, or what bears one name in another folder of a home. Each has a text that is another one
// after any change in it, so that a refresh knows where something happened. No file is opened.

import { createHash } from 'node:crypto'
import { stateText } from '../../archive/capture/seen.ts'
import type { LiveFile } from '../../archive/capture/survey.ts'
import type { Database } from '../store/port.ts'
import type { TimedSurvey } from './refresh-options.ts'
import { Columns } from './thin-rows.ts'

/** The text of each area, in the order of the survey. */
export type Areas = ReadonlyMap<string, string>

/** The area of a file: `<home>//projects/<slug>`, `<home>//todos/<name>`, `<home>//history.jsonl`. */
export function areaOf(home: string, path: string): string {
  const top = path.indexOf('/')
  const end = top < 0 ? -1 : path.indexOf('/', top + 1)
  return `${home}//${end < 0 ? path : path.slice(0, end)}`
}

/** The home of an area and where in the home it is. */
export function partsOf(area: string): { home: string; top: string; name: string } {
  const at = area.lastIndexOf('//')
  const [top = '', name = ''] = area.slice(at + 2).split('/')
  return { home: area.slice(0, at), top, name }
}

export function areasOf(surveyed: TimedSurvey): Areas {
  const made = known.get(surveyed) ?? textsOf(surveyed.files)
  known.set(surveyed, made)
  return made
}

/** A refresh asks before and after things are kept. */
const known = new WeakMap<TimedSurvey, Areas>()

function textsOf(files: readonly LiveFile[]): Areas {
  const lines = new Map<string, string[]>()
  let home = ''
  let start = ''
  let own: string[] = []
  for (const file of files) {
    const { path } = file
    // Files come folder by folder.
    if (start === '' || file.home !== home || !path.startsWith(start)) {
      const area = areaOf(file.home, path)
      own = lines.get(area) ?? []
      lines.set(area, own)
      home = file.home
      start = area.length === home.length + 2 + path.length ? '' : `${area.slice(home.length + 2)}/`
    }
    own.push(path, stateText(file.state))
  }
  const texts = new Map<string, string>()
  for (const [area, own] of lines) texts.set(area, own.length === 2 ? own.join(' ') : hashOf(own.join('\n')))
  return texts
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** As they were when the index was last refreshed. */
function storedAreas(db: Database): Map<string, string> {
  const sql = 'SELECT json_group_array(path), json_group_array(sum) FROM area'
  const [areas, sums] = new Columns(db).read(sql, []) as [string[], string[]]
  return new Map(areas.map((area, at) => [area, sums[at] as string]))
}

/** Areas in which something happened since then. */
export function changedAreas(db: Database, areas: Areas): string[] {
  const stored = storedAreas(db)
  const changed: string[] = []
  for (const [area, text] of areas) {
    if (stored.get(area) !== text) changed.push(area)
    stored.delete(area)
  }
  return [...changed, ...stored.keys()]
}

export function storeAreas(db: Database, areas: Areas): void {
  const set = db.prepare('INSERT OR REPLACE INTO area VALUES (?, ?)')
  const drop = db.prepare('DELETE FROM area WHERE path = ?')
  for (const area of changedAreas(db, areas)) {
    const text = areas.get(area)
    if (text === undefined) drop.run([area])
    else set.run([area, text])
  }
}
