// `clew schema`: JSON Schema of record kinds and of what commands print.

import { UserError } from '../../answers/error.ts'
import { jsonSchema, schemaNames } from '../../schema/schema.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printJson, printLine } from '../terminal/output.ts'

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  const name = args[0]
  if (name === undefined) {
    if (globals.json) await printJson(schemaNames())
    else for (const known of schemaNames()) await printLine(known)
    return 0
  }
  const schema = jsonSchema(name)
  if (!schema) throw new UserError(`no schema "${name}"; \`clew schema\` lists them`)
  await printLine(JSON.stringify(schema, null, 2))
  return 0
}
