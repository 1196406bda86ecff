// What a tool call was given to do, in one line: its command, pattern or address. The file that it names is found in
// graph/touched-file.ts.

import { asObject, asString } from '../base/json.ts'
import type { ToolCallBlock } from '../model/event.ts'

const longestCommand = 300

const commandFields = ['command', 'pattern', 'query', 'url', 'skill', 'description', 'prompt'] as const

/** One line, cut to `longestCommand`. */
export function callCommand({ input }: Pick<ToolCallBlock, 'input'>): string | undefined {
  const fields = asObject(input)
  for (const field of commandFields) {
    const command = asString(fields?.[field])
    if (command) return oneLine(command)
  }
  return undefined
}

function oneLine(text: string): string {
  const line = text
    .slice(0, longestCommand * 2)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= longestCommand) return line
  const end = /[\ud800-\udbff]/.test(line.charAt(longestCommand - 1)) ? longestCommand - 1 : longestCommand
  return line.slice(0, end)
}
