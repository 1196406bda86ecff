// Every record of the files that are named, one file after the other, while they are read. What is done with them is decided by
// who asks.

import type { Finding } from '../../model/finding.ts'
import type { LogRecord } from '../../model/record.ts'
import { recordBatches } from '../../session/load.ts'
import type { Clew } from '../clew.ts'
import { filesOrSession, type InputFile } from '../sessions/find.ts'
import { FileVerdict } from './verdict.ts'

export type RecordStep =
  /** What could not be found or listed. */
  | { type: 'unread'; finding: Finding }
  | { type: 'file'; file: InputFile; fileCount: number }
  /** Of the last file, in its order. */
  | { type: 'records'; records: readonly LogRecord[] }
  /** What is wrong with the last file as a whole; the next one follows. */
  | { type: 'fault'; finding: Finding }

/** Session files, folders, `-` for standard input, or one session; all homes where nothing is named. */
export async function* recordsOf(clew: Clew, words: readonly string[]): AsyncGenerator<RecordStep> {
  const { files, findings } = await filesOrSession(words, clew)
  for (const finding of findings) yield { type: 'unread', finding }
  for (const file of files) {
    yield { type: 'file', file, fileCount: files.length }
    const verdict = new FileVerdict(file.log)
    try {
      for await (const records of recordBatches(file.source, file.log)) {
        for (const record of records) verdict.see(record)
        yield { type: 'records', records }
      }
    } catch (error) {
      verdict.fail(error)
    }
    const { fault } = verdict
    if (fault !== undefined) yield { type: 'fault', finding: fault }
  }
}
