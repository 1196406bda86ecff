// `clew schema`: JSON Schema of record kinds and of what commands print.

import { jsonSchema, schemaNames } from '../../schema/schema.ts'
import type { CommandDeclaration } from '../command.ts'
import { type CommandInput, type ExitCode, UserError } from '../command.ts'
import { printJson, printLine } from '../terminal/output.ts'

export const declaration: CommandDeclaration = {
  argument: { name: '[name]', description: 'name of a record kind or of a JSON output' },
  description: 'Prints the JSON Schema with this name. Without a name, lists the names.',
  options: [],
  examples: [
    ['clew schema', 'list the names'],
    ['clew schema event', 'print the schema of `clew events --json`'],
  ],
}

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
