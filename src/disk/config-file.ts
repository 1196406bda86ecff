// `config.json` in Clew's own folder, as a file: reads it and replaces it. What its keys mean is up to callers
// (`src/cli/config.ts`, `src/archive/store/mode.ts`, `src/server/api/scope.ts`).

import { join } from 'node:path'
import { errorCode } from '../base/error-code.ts'
import { isObject, type JsonObject, parseJson } from '../base/json.ts'
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
  const path = configPath(home)
  let text: string
  try {
    text = readText(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return {}
    throw new ConfigError(`cannot read ${path} (${errorCode(error)})`)
  }
  const value = parseJson(text)
  if (!isObject(value)) throw new ConfigError(`${path} is not a JSON object; fix or remove it`)
  return value
}

/** Sets a key, or removes it. */
export function writeConfigKey(home: string, name: string, value: ConfigValue | undefined): void {
  const { [name]: _old, ...rest } = readConfigFile(home)
  const next = value === undefined ? rest : { ...rest, [name]: value }
  const path = configPath(home)
  try {
    replaceFile(path, `${JSON.stringify(next, null, 2)}\n`)
  } catch (error) {
    throw new ConfigError(`cannot write ${path} (${errorCode(error)})`)
  }
}
