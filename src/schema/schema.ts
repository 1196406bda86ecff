// Schemas of every record kind, content block, tool result and of what commands print, by name, built when asked for.
// They document and lint; nothing is refused because of them, and they never parse a log.

import { z } from 'zod'
import type { CatalogEntry } from './catalog/catalog.ts'
import { allFields, catalog, catalogEntry } from './catalog/catalog.ts'
import { contracts } from './contracts.ts'
import { typeFromWords } from './type-words.ts'

const mostProblems = 20

interface Written {
  $schema: string
  $defs?: Record<string, object>
}

const built = new Map<string, z.ZodType>()

/** All names, records first, what commands print last. */
export function schemaNames(): string[] {
  return [...catalog.map(entry => entry.name), ...Object.keys(contracts)]
}

/** The schema of that name; undefined where there is none. The same object each time. */
export function schema(name: string): z.ZodType | undefined {
  const known = built.get(name)
  if (known) return known
  const made = makeSchema(name)
  if (made === undefined) return undefined
  built.set(name, made)
  z.globalRegistry.add(made, { id: name, ...describe(name) })
  return made
}

/** The same as JSON Schema, draft 2020-12. Other schemas that it refers to are in its `$defs`. */
export function jsonSchema(name: string): Record<string, unknown> | undefined {
  const zodSchema = schema(name)
  if (zodSchema === undefined) return undefined
  const written = z.toJSONSchema(zodSchema, { target: 'draft-2020-12', io: 'input' })
  // zod puts a named schema under `$defs` and refers to it; here it is the root, and refers to itself as such.
  const root = `"#/$defs/${name}"`
  const { $defs: others = {}, $schema } = JSON.parse(JSON.stringify(written).replaceAll(root, '"#"')) as Written
  const { [name]: own, ...rest } = others
  const defs = Object.keys(rest).length > 0 ? { $defs: rest } : {}
  return { $schema, $id: `urn:clew:schema:${name}`, ...describe(name), ...own, ...defs }
}

/** Title and one sentence about a schema. */
export function describe(name: string): { title: string; description: string } {
  const entry = catalogEntry(name)
  if (entry) return { title: entry.title ?? entry.wire ?? name, description: entry.purpose }
  const contract = contracts[name]
  return { title: contract?.title ?? name, description: contract?.description ?? '' }
}

/** What does not fit, one line per problem (`message.content: expected string`); empty where everything does. Never throws. */
export function lint(name: string, value: unknown): string[] {
  const zodSchema = schema(name)
  if (zodSchema === undefined) return [`no schema is called ${name}`]
  try {
    const result = zodSchema.safeParse(value)
    if (result.success) return []
    return result.error.issues
      .slice(0, mostProblems)
      .map(issue => `${issue.path.map(String).join('.') || 'value'}: ${issue.message}`)
  } catch {
    // Logs nest deeper than a recursive check can follow.
    return ['value: nested too deep to be checked']
  }
}

function makeSchema(name: string): z.ZodType | undefined {
  const entry = catalogEntry(name)
  if (entry) return entrySchema(entry)
  if (!Object.hasOwn(contracts, name)) return undefined
  // Blocks refer to themselves, so every schema that has them names them in its `$defs`.
  if (name !== 'block') schema('block')
  return contracts[name]?.make()
}

function referred(name: string): z.ZodType {
  return schema(name) ?? z.unknown()
}

function entrySchema(entry: CatalogEntry): z.ZodType {
  if (entry.name === 'content-block') return contentBlock()
  if (entry.name === 'file-todos') return z.array(z.looseObject({}))
  const whole = z.looseObject(shapeOf(entry))
  if (entry.group === 'progress') return z.looseObject({ ...shapeOf(parentOf('progress')), data: whole })
  if (entry.group === 'attachment') return z.looseObject({ ...shapeOf(parentOf('attachment')), attachment: whole })
  if (entry.group === 'tool-result') return toolResult(entry, whole)
  return whole
}

function parentOf(name: string): CatalogEntry {
  return catalogEntry(name) as CatalogEntry
}

function shapeOf(entry: CatalogEntry): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {}
  for (const field of allFields(entry)) {
    const type = typeFromWords(field.type, referred).describe(field.meaning)
    shape[field.name] = field.isRequired ? type : type.optional()
  }
  return shape
}

/** A failed call gives a string whatever the tool, and MCP tools give blocks. */
function toolResult(entry: CatalogEntry, whole: z.ZodType): z.ZodType {
  const blocks = z.array(z.lazy(() => referred('content-block')))
  if (entry.forms?.includes('array')) return z.union([whole, z.string(), blocks])
  if (entry.forms?.includes('list')) return z.union([whole, z.string(), z.array(z.looseObject({}))])
  return z.union([whole, z.string()])
}

/** A block by its `type`; one of a type without a schema passes as long as it has a type. */
function contentBlock(): z.ZodType {
  const named = catalog.filter(entry => entry.group === 'content')
  const wires = new Set(named.map(entry => entry.wire))
  const unnamed = z
    .looseObject({ type: z.string() })
    .refine(block => !wires.has(block.type), { error: 'does not fit its type' })
  return z.union([...named.map(entry => z.lazy(() => referred(entry.name))), unnamed])
}
