// What a tool call was aimed at, in a few words: the file it names, and the command, pattern or address it was given. How a
// call is shown in full is decided elsewhere.

import { asObject, asString } from '../base/json.ts'
import type { ToolCallBlock } from '../model/event.ts'

export interface CallTarget {
  /** As written: mostly absolute. */
  path?: string
  /** One line, cut to `longestCommand`. */
  command?: string
}

const longestCommand = 300
export const longestPath = 1000

const pathFields = ['file_path', 'notebook_path', 'path', 'filePath'] as const
const commandFields = ['command', 'pattern', 'query', 'url', 'skill', 'description', 'prompt'] as const

export function callTarget({ input }: ToolCallBlock): CallTarget {
  const target: CallTarget = {}
  const fields = asObject(input)
  if (fields === undefined) return target
  for (const field of pathFields) {
    const path = asString(fields[field])
    if (path && path.length <= longestPath) {
      target.path = path
      break
    }
  }
  for (const field of commandFields) {
    const command = asString(fields[field])
    if (command) {
      target.command = oneLine(command)
      break
    }
  }
  return target
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
