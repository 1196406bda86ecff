// Numbers that stand for the ids of messages, requests and events where usage is counted: equal ids have equal numbers in
// every reader. Which id a record is counted by is decided in `usage-occurrence.ts`.

import { textHash } from '../base/text-hash.ts'

/** Ids of API messages. */
export const messageSeed = 0x6d657373
/** Uuids of records, and what stands for them where there is none. */
export const recordSeed = 0x72656364
/** Ids of requests. */
export const requestSeed = 0x72657175

/** Of a message's own id. */
export function messageKey(id: string): number {
  return textHash(id, messageSeed)
}

/** Of a record's uuid, as written; `<session>/<file name>@<offset>` for a record without one. */
export function recordKey(uuid: string): number {
  return textHash(uuid, recordSeed)
}

/** Of a request's id; a record without one has 0. */
export function requestKey(id: string): number {
  return textHash(id, requestSeed)
}
