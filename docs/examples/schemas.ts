// Schemas of record kinds and of printed JSON: to validate, to generate types, to look things up.
import { describe, jsonSchema, lint, schema, schemaNames } from 'clew/schema'

console.log(`${schemaNames().length} schemas`)
console.log(jsonSchema('event')?.['title'])

const result = schema('custom-title')?.safeParse({ type: 'custom-title', customTitle: 7 })
console.log(result?.error?.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`))

console.log(describe('custom-title').description)
console.log(lint('custom-title', { type: 'custom-title' }))
