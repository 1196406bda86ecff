// Types of drift-compare.mjs, for its test.

import type { LogRecord } from '../src/model/record.ts'

export interface Missing {
  kind: string
  name: string
  count: number
  example: string
}

export class Comparison {
  constructor(schema: object)
  record(record: LogRecord): void
  file(path: string, json?: unknown): void
  missing(): Missing[]
}

export function example(value: unknown): unknown
