// Findings that no specification states: a file is not a session log at all, contains what this reader does not know, or is
// damaged in a way that only shows when it is read. They have the same severity in every profile and are not in rules.json.

import type { Severity } from '../model/finding.ts'

export interface BuiltinRule {
  code: string
  severity: Severity
  /** What the finding means and what to do about it. */
  says: string
}

/** Once per file, on its first such line. */
export const foreignLog: BuiltinRule = {
  code: 'foreign-log',
  severity: 'error',
  says: 'The file was written by another tool; its lines are preserved, but not read as a session.',
}

/** A session or agent file of 0 bytes, or of blank lines only. */
export const noRecords: BuiltinRule = {
  code: 'no-records',
  severity: 'error',
  says: 'The file has no record: nothing of it can be shown or resumed.',
}

/** Most lines are no JSON and none is a known record: a binary or text file with the wrong name. */
export const notALog: BuiltinRule = {
  code: 'not-a-log',
  severity: 'error',
  says: 'The file is not a session log.',
}

/** On each line over the size limit: its bytes are kept, its content is not read. */
export const oversizedLine: BuiltinRule = {
  code: 'oversized-line',
  severity: 'warning',
  says: 'The line is too long to be parsed; its bytes are preserved.',
}

/** Once per type and file: a type from the future, or from another tool. The record is kept whole. */
export const unknownRecord: BuiltinRule = {
  code: 'unknown-record',
  severity: 'info',
  says: 'The record has a type that is not known yet; it is preserved as it is.',
}

/** What a crash of the system leaves in a file. */
export const nulBytes: BuiltinRule = {
  code: 'nul-bytes',
  severity: 'warning',
  says: 'NUL bytes are around a record or instead of one. Clew reads the record; Claude Code drops it, except in files over 5 MiB.',
}

/** A text was cut in the middle of a character. */
export const loneSurrogate: BuiltinRule = {
  code: 'lone-surrogate',
  severity: 'warning',
  says: 'A text contains half of a character, which cannot be written as UTF-8; Claude Code sends a replacement character instead.',
}

/** On each record that states it; such a count is in no sum. */
export const unbelievableCount: BuiltinRule = {
  code: 'unbelievable-count',
  severity: 'warning',
  says: 'A message states more tokens or searches than any message can have; Clew does not count them.',
}

/** Only where the bytes are at hand: the parsed value does not show it. */
export const duplicateKey: BuiltinRule = {
  code: 'duplicate-key',
  severity: 'warning',
  says: 'An object has one key twice: readers see the last value only.',
}

/** Copies of one record, which forks and rewrites leave, do not count. */
export const secondResult: BuiltinRule = {
  code: 'second-result',
  severity: 'warning',
  says: 'A tool call has two results in one file: only one of them is what the model got.',
}

/** Two resumed copies of a session that ran at the same time. */
export const interleavedWriters: BuiltinRule = {
  code: 'interleaved-writers',
  severity: 'warning',
  says: 'Two programs wrote the session at the same time: a resume goes on with one of the two conversations.',
}

export const builtinRules: readonly BuiltinRule[] = [
  foreignLog,
  noRecords,
  notALog,
  oversizedLine,
  unknownRecord,
  nulBytes,
  loneSurrogate,
  unbelievableCount,
  duplicateKey,
  secondResult,
  interleavedWriters,
]

/** What is noted about paths while files are looked for and read: an error where the path was asked for by name, else a warning. */
export const pathFindings: readonly { code: string; severities: readonly Severity[]; says: string }[] = [
  { code: 'missing-path', severities: ['error'], says: 'There is no such file or folder.' },
  {
    code: 'unreadable-file',
    severities: ['error', 'warning'],
    says: 'The file cannot be opened, or reading it fails on the way.',
  },
  {
    code: 'unreadable-folder',
    severities: ['error', 'warning'],
    says: 'The folder cannot be listed, so what lies in it is not known.',
  },
  { code: 'broken-link', severities: ['error', 'warning'], says: 'The link leads nowhere.' },
  {
    code: 'not-a-regular-file',
    severities: ['error', 'warning'],
    says: 'A folder, pipe or device where a file was expected; it was not opened.',
  },
  { code: 'no-sessions', severities: ['error'], says: 'The folder was read and has no session file.' },
]

const foreignNames: Readonly<Record<string, string>> = {
  codex: 'a Codex log',
  copilot: 'a Copilot CLI log',
  opencode: 'an opencode log',
  qwen: 'a Qwen Code log',
  entire: 'an Entire transcript',
  'sdk-stream': 'the stream output of the agent SDK',
}

/** What a foreign log is called in a message. */
export function foreignName(tool: string | undefined): string {
  if (tool === undefined) return "another tool's log"
  return foreignNames[tool] ?? `a log of ${tool}`
}
