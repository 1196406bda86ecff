// Holds records and files against the catalog in src/schema/catalog and counts what it lacks: types, fields with their
// paths, blocks, shapes of tool results, files. It reads nothing itself, and an `object` of the catalog may contain anything.

/** What can be missing, in the order of the report. */
export const kinds = {
  record: 'Record types',
  system: 'System subtypes',
  attachment: 'Attachment types',
  progress: 'Progress types',
  field: 'Fields',
  block: 'Block types',
  result: 'Tool results',
  form: 'Values of another form',
  file: 'Files',
}

const hidden = /auth|token|secret|password|email|account|organi[sz]ation|signature|^key$|apikey/i
const longestText = 40
const longestExample = 160

/** A value as an example: texts shortened, what may be secret left out. */
export function example(value, depth = 0) {
  if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText)}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > 2) return '…'
  if (Array.isArray(value)) return value.slice(0, 1).map(item => example(item, depth + 1))
  const shown = Object.entries(value).map(([name, item]) => [
    name,
    hidden.test(name) && typeof item === 'string' ? '…' : example(item, depth + 1),
  ])
  return Object.fromEntries(shown)
}

function exampleText(value) {
  const text = JSON.stringify(example(value)) ?? ''
  return text.length > longestExample ? `${text.slice(0, longestExample)}…` : text
}

/**
 * `schema`: the look-ups of src/schema (catalogEntry, entryByWire, allFields, attachmentNames, progressNames, places,
 * schemaNameOf, toolResultSchemaName, lint).
 */
export class Comparison {
  constructor(schema) {
    this.schema = schema
    this.found = new Map()
    this.tools = new Map()
    this.patterns = schema.places.flatMap(place => placePatterns(place.path).map(pattern => ({ pattern, place })))
  }

  /** What is missing: kind, name, count and an example each, the kinds in order. */
  missing() {
    const order = Object.keys(kinds)
    return [...this.found.values()].sort(
      (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
    )
  }

  note(kind, name, value) {
    const id = `${kind} ${name}`
    const known = this.found.get(id)
    if (known === undefined) this.found.set(id, { kind, name, count: 1, example: exampleText(value) })
    else known.count += 1
  }

  /** One decoded record of a log. */
  record(record) {
    const { value, type, subtype } = record
    if (value === undefined) return
    const name = this.schema.schemaNameOf(record)
    const entry = name === undefined ? undefined : this.schema.catalogEntry(name)
    if (entry === undefined) return this.note('record', type ?? '(none)', value)
    const label = subtype === undefined ? (type ?? name) : `${type}/${subtype}`
    if (subtype !== undefined && entry.group === 'record') this.subtype(type, subtype, value, label, entry)
    else if (entry.group === 'attachment' || entry.group === 'progress') this.wrapped(entry, value, label)
    else this.object(this.schema.allFields(entry), value, label, '')
    for (const problem of this.schema.lint(name, value)) this.note('form', `${label}: ${problem}`, value)
    this.toolResults(value)
  }

  /** A subtype without an entry: its type is unknown, or known by name only and so without fields. */
  subtype(type, subtype, value, label, entry) {
    const names = { attachment: this.schema.attachmentNames, progress: this.schema.progressNames }[type] ?? []
    const inner = type === 'attachment' ? 'attachment' : type === 'progress' ? 'data' : undefined
    if (!names.includes(subtype))
      return this.note(type in kinds ? type : 'record', subtype, inner === undefined ? value : value[inner])
    this.object(this.schema.allFields(entry), value, type, '')
    if (inner !== undefined) this.object([{ name: 'type', type: 'string' }], value[inner], label, `${inner}.`)
  }

  wrapped(entry, value, label) {
    const inner = entry.group === 'attachment' ? 'attachment' : 'data'
    this.object(this.schema.allFields(this.schema.catalogEntry(entry.group)), value, entry.group, '')
    this.object(this.schema.allFields(entry), value[inner], label, `${inner}.`)
  }

  object(fields, value, label, path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const known = new Map(fields.map(field => [field.name, field]))
    for (const [name, item] of Object.entries(value)) {
      const field = known.get(name)
      if (field === undefined) this.note('field', `${label}: ${path}${name}`, hidden.test(name) ? '…' : item)
      else this.value(field.type, item, label, `${path}${name}`)
    }
  }

  /** A value against the catalog's words for its type. */
  value(words, value, label, path) {
    if (typeof value !== 'object' || value === null) return
    const choices = words.split(' or ').map(word => word.trim())
    if (Array.isArray(value)) {
      const items = choices.filter(word => word.endsWith('[]')).map(word => word.slice(0, -2))
      if (items.length > 0) for (const item of value) this.value(items.join(' or '), item, label, `${path}[]`)
      return
    }
    if (choices.includes('@content-block')) return this.block(value, label)
    const map = choices.find(word => word.startsWith('map of '))
    if (map !== undefined) {
      for (const item of Object.values(value)) this.value(map.slice('map of '.length), item, label, `${path}.*`)
      return
    }
    const parts = choices.filter(word => word.startsWith('@')).map(word => this.schema.catalogEntry(word.slice(1)))
    if (parts.length > 0)
      this.object(
        parts.flatMap(part => this.schema.allFields(part)),
        value,
        label,
        `${path}.`,
      )
  }

  block(value, label) {
    if (value.type === 'tool_use' && typeof value.name === 'string') this.tools.set(value.id, value.name)
    const entry = this.schema.entryByWire('content', value.type)
    if (entry === undefined) return this.note('block', `${value.type} (in ${label})`, value)
    this.object(this.schema.allFields(entry), value, `block ${value.type}`, '')
    return undefined
  }

  toolResults(value) {
    if (value.toolUseResult === undefined || !Array.isArray(value.message?.content)) return
    const block = value.message.content.find(one => one?.type === 'tool_result')
    const tool = this.tools.get(block?.tool_use_id)
    if (tool === undefined || block.is_error === true) return
    const name = this.schema.toolResultSchemaName(tool)
    if (name === undefined) return this.note('result', tool, value.toolUseResult)
    this.object(this.schema.allFields(this.schema.catalogEntry(name)), value.toolUseResult, `result of ${tool}`, '')
    for (const problem of this.schema.lint(name, value.toolUseResult))
      this.note('form', `result of ${tool}: ${problem}`, value.toolUseResult)
  }

  /** A file by its path below the Claude home; `json`: what it contains, where it is a JSON file. */
  file(path, json) {
    const match = this.patterns.find(({ pattern }) => pattern.test(path))
    if (match === undefined) return this.note('file', generalPath(path), json ?? path)
    const entry = match.place.schema === undefined ? undefined : this.schema.catalogEntry(match.place.schema)
    if (entry !== undefined && json !== undefined) this.object(this.schema.allFields(entry), json, match.place.path, '')
    return undefined
  }
}

/** `a/<x>/*.txt` → what it matches; a trailing slash means everything below. Several paths come with commas. */
function placePatterns(paths) {
  return paths.split(', ').map(path => {
    const parts = path
      .split(/(<[^>]+>|\*)/)
      .map(part =>
        /^<.*>$/.test(part) ? '[^/]+' : part === '*' ? '[^/]*' : part.replaceAll(/[.+?^$()|[\]{}\\]/g, '\\$&'),
      )
    return new RegExp(`^${parts.join('')}${path.endsWith('/') ? '.*' : '$'}`)
  })
}

/** A path without the names of one run, so that the same kind of file is counted once. */
function generalPath(path) {
  return path
    .replace(/^projects\/[^/]+/, 'projects/<slug>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<session>')
    .replaceAll(/\b[0-9a-f]{16,}\b/g, '<hash>')
    .replaceAll(/\d{3,}/g, '<n>')
}
