// What page and worker say to each other about a dropped session. Types only.

import type { SessionReader } from '../../src/view/reading.ts'

export type Question = {
  [Name in keyof SessionReader]: { name: Name; args: Parameters<SessionReader[Name]> }
}[keyof SessionReader]

export type ToWorker = { type: 'open'; files: readonly File[] } | { type: 'ask'; id: number; question: Question }

export type FromWorker =
  | { type: 'progress'; done: number; total: number }
  | { type: 'opened' }
  | { type: 'refused'; why: string }
  | { type: 'answer'; id: number; value: unknown }
  | { type: 'failed'; id: number; why: string }
