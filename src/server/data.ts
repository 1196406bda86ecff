// Opens what the routes answer from: everything behind them, without a word of HTTP.

import type { DataOptions, ServerData } from './answers.ts'
import { LocalData } from './data-local.ts'

export type { DataOptions, MediaBytes, ServerData } from './answers.ts'
export { ProblemError } from './problem.ts'

/** Close it when done. */
export async function openData(options: DataOptions): Promise<ServerData> {
  return LocalData.open(options)
}
