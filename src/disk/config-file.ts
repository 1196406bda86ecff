// `config.json` in Clew's own folder, as a file: reads it and changes it, comments and layout as they are. What its keys mean is
// up to callers (`src/answers/settings.ts`, `src/archive/store/mode.ts`).

import { join } from 'node:path'
import { errorCode } from '../base/error-code.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import { readJsonText, withJsonValue, withoutJsonValue } from '../files/json-edit.ts'
import { replaceFile } from '../files/replace-file.ts'
import { readText } from './read/read.ts'

/** The file cannot be read, understood or written; the message says which file and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** A stored value: one text, or a list of them. */
export type ConfigValue = string | string[]

export function configPath(home: string): string {
  return join(home, 'config.json')
}

/** The file's content; empty where there is none. Keys that this version does not know are kept. */
export function readConfigFile(home: string): JsonObject {
  return readConfigAt(configPath(home)).config
}

function readConfigAt(path: string): { text: string; config: JsonObject } {
  let text: string
  try {
    text = readText(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return { text: '{}\n', config: {} }
    throw new ConfigError(`cannot read ${path} (${errorCode(error)})`)
  }
  const config = readJsonText(text)
  if (!isObject(config)) throw new ConfigError(`${path} is not a JSON object; fix or remove it`)
  return { text, config }
}

/** Sets a key, or removes it. */
export function writeConfigKey(home: string, name: string, value: ConfigValue | undefined): void {
  const path = configPath(home)
  const { text } = readConfigAt(path)
  try {
    replaceFile(path, value === undefined ? withoutJsonValue(text, [name]) : withJsonValue(text, [name], value))
  } catch (error) {
    throw new ConfigError(`cannot write ${path} (${errorCode(error)})`)
  }
}
