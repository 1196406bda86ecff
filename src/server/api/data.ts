// Opens what the routes answer from: everything behind them, without a word of HTTP.

import type { DataOptions, ServerData } from './answers.ts'
import { LocalData } from './data-local.ts'
import { SampleData } from './data-sample.ts'

export { ProblemError } from '../http/problem.ts'
export type { DataOptions, MediaBytes, ServerData } from './answers.ts'

/** Close it when done. */
export async function openData(options: DataOptions): Promise<ServerData> {
  const data = await LocalData.open(options)
  return data.isSample ? new SampleData(data, options) : data
}
