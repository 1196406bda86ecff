// Schemas of what commands print with `--json` by name, each made when it is needed. Keys may be added, never renamed or given
// another meaning. The types of what is printed are inferred from them; those of the model are compared in a test.

import type { z } from 'zod'
import * as shapes from './contract-shapes.ts'

export interface Contract {
  title: string
  description: string
  make: () => z.ZodType
}

/** By schema name. */
export const contracts: Readonly<Record<string, Contract>> = {
  'record-line': {
    title: 'RecordLine',
    description: 'One line of `clew records --json`: where a record lies in its file and what it is.',
    make: shapes.recordLine,
  },
  event: {
    title: 'SessionEvent',
    description: 'One line of `clew events --json`: a record in canonical form, whatever dialect it was written in.',
    make: shapes.event,
  },
  block: {
    title: 'Block',
    description: 'One part of an event: text, thinking, tool call, tool result, image, document or something unknown.',
    make: shapes.block,
  },
  usage: {
    title: 'Usage',
    description: 'Tokens, counted once per API message.',
    make: shapes.usage,
  },
  context: {
    title: 'Context',
    description: '`clew context --json`: what Claude Code would send if it resumed the session now.',
    make: shapes.context,
  },
  'session-detail': {
    title: 'SessionDetail',
    description: '`clew show --json`: a session with its threads, turns, calls, branches and compactions.',
    make: shapes.sessionDetail,
  },
  'session-talk': {
    title: 'SessionTalk',
    description: '`clew show --prompts --json`: what was asked and answered in a session.',
    make: shapes.sessionTalk,
  },
  'export-report': {
    title: 'ExportReport',
    description: '`clew export --json`: what was written where.',
    make: shapes.exportReport,
  },
  finding: {
    title: 'Finding',
    description: 'Something odd that was found.',
    make: shapes.finding,
  },
  'check-report': {
    title: 'CheckReport',
    description: '`clew check --json`: counts and findings of files checked against a profile.',
    make: shapes.checkReport,
  },
  'session-row': {
    title: 'SessionRow',
    description: 'One of the `sessions` of `clew ls sessions --json`.',
    make: shapes.sessionRow,
  },
  overview: {
    title: 'Overview',
    description: '`clew --json`: what was found, and the latest sessions.',
    make: shapes.overview,
  },
  'project-row': {
    title: 'ProjectRow',
    description: 'One of the `projects` of `clew ls projects --json`.',
    make: shapes.projectRow,
  },
  tree: {
    title: 'Tree',
    description: '`clew tree --json`: the shape of a session as rows with depths.',
    make: shapes.tree,
  },
  stats: {
    title: 'Stats',
    description: '`clew stats --json`: one session, or all of them, in numbers.',
    make: shapes.stats,
  },
  'history-row': {
    title: 'HistoryPrompt',
    description: 'One of the `prompts` of `clew history --json`.',
    make: shapes.historyRow,
  },
  resume: {
    title: 'Resume',
    description: '`clew resume --json`: the command that resumes a session.',
    make: shapes.resume,
  },
  'new-session': {
    title: 'NewSession',
    description: '`clew fork --json` and `clew trim --json`: the session that was written, or would be.',
    make: shapes.newSession,
  },
  'repair-report': {
    title: 'RepairReport',
    description: '`clew repair --json`: what was damaged in a session, and what was written.',
    make: shapes.repairReport,
  },
  'changed-session': {
    title: 'ChangedSession',
    description: '`clew title --json`, `tag`, `compact` and `append`: what was appended to a session.',
    make: shapes.changedSession,
  },
  'convert-report': {
    title: 'ConvertReport',
    description: '`clew convert --json`: sessions in another dialect, and what it cannot say of them.',
    make: shapes.convertReport,
  },
  'parts-report': {
    title: 'PartsReport',
    description: '`clew split --json` and `clew join --json`: a log and the parts that it is divided into.',
    make: shapes.partsReport,
  },
  'doctor-report': {
    title: 'DoctorReport',
    description: '`clew doctor --json`: what was looked at, and every problem with its remedy.',
    make: shapes.doctorReport,
  },
  hit: {
    title: 'Hit',
    description: 'One of the `hits` of `clew search --json` and `clew grep --json`.',
    make: shapes.hit,
  },
  'usage-row': {
    title: 'UsageRow',
    description: 'One row of `clew usage … --json`, under the key that the grouping is called by.',
    make: shapes.usageRow,
  },
  'usage-bounds': {
    title: 'UsageBounds',
    description: 'How far the numbers of `clew usage … --json` can be trusted.',
    make: shapes.usageBounds,
  },
  'usage-totals': {
    title: 'UsageTotals',
    description: 'The `totals` of `clew usage … --json`: what all rows come to.',
    make: shapes.usageTotals,
  },
  'usage-block': {
    title: 'UsageBlock',
    description: 'One of the `blocks` of `clew usage blocks --json`.',
    make: shapes.usageBlock,
  },
  'usage-budget': {
    title: 'UsageBudget',
    description: 'The `budget` of `clew usage … --budget … --json`.',
    make: shapes.usageBudget,
  },
  'usage-reconcile': {
    title: 'UsageReconcile',
    description: 'The `reconcile` of `clew usage --reconcile --json`: our cost next to Claude Code’s.',
    make: shapes.usageReconcile,
  },
  'index-status': {
    title: 'IndexStatus',
    description: '`clew index status --json`.',
    make: shapes.indexStatus,
  },
  'index-refresh': {
    title: 'IndexRefresh',
    description: '`clew index refresh --json`, `clew index rebuild --json`.',
    make: shapes.indexRefresh,
  },
  'index-verify': {
    title: 'IndexVerify',
    description: '`clew index verify --json`: the index compared with one that was rebuilt.',
    make: shapes.indexVerify,
  },
  'archive-status': {
    title: 'ArchiveStatus',
    description: '`clew archive status --json`.',
    make: shapes.archiveStatus,
  },
}
