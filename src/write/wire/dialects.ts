// The six forms in which a session can be written: which vocabulary each has, where its lines go, and what it cannot say.

import { textHash } from '../../base/text-hash.ts'
import { clientDrafts, realForm, s1Form, s2Form, s4Form } from './client.ts'
import type { WireDraft } from './draft.ts'
import type { NewEvent } from './new-event.ts'
import { s0Drafts } from './s0.ts'
import { s3Drafts } from './s3.ts'

/** `real`: as the current Claude Code writes. `s0` to `s4`: as the specifications 000 to 004 say. */
export const wireDialects = ['real', 's0', 's1', 's2', 's3', 's4'] as const
/** The name of one of them. */
export type WireDialect = (typeof wireDialects)[number]

/** The version of Claude Code whose form `real` is. */
export const realVersion = '2.1.325'

export interface DialectForm {
  name: WireDialect
  /** The envelope: 000 and 003 have their own. */
  envelope: 'client' | 's0' | 's3'
  /** What lines say where nothing better is known. */
  version: string
  /** Whether ids are UUIDs; else any text. */
  hasUuids: boolean
  /** Whether subagents have files of their own; else their lines are among the others. */
  hasAgentFiles: boolean
  hasGitBranch: boolean
  /** Whether a parent that is not there may be named. */
  allowsOrphans: boolean
  /** Whether every line follows the one before it: no branches. */
  isOneChain: boolean
  /** Whether no line, or no child, is earlier than what it follows. */
  isOrdered: boolean
  /** Whether all results of an answer's calls are one record. */
  joinsResults: boolean
  /** Whether all lines of a message state the same usage. */
  sharesUsage: boolean
  /** Whether titles come first in the file and name its last line. */
  hasTitlesFirst: boolean
  /** Whether lines outside of the chain have the envelope too. */
  hasWholeEnvelopes: boolean
  /** Whether an answer names its request. */
  needsRequest: boolean
  /** Whether it has a mark for what was taken back. */
  canDelete: boolean
  /** The folder of a home that its projects are in. */
  projects: 'projects' | 'conversations'
  /** How a project's folder is called after its directory. */
  slug(cwd: string): string
  /** Whether files are called after the time at which they begin; else after the session. */
  hasTimedNames: boolean
  drafts(event: NewEvent): WireDraft[]
  /** Why a fact is not the same after it was written and read again, by the key of a difference (losses.ts); the first that fits. */
  cannot: readonly (readonly [path: RegExp, why: string])[]
}

/** Longer names are cut, and a hash makes them different. */
const longestSlug = 200

/** As Claude Code calls a project's folder: every sign that is no letter and no digit becomes a hyphen. */
function clientSlug(cwd: string): string {
  const slug = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  return slug.length <= longestSlug ? slug : `${slug.slice(0, longestSlug)}-${textHash(cwd, 0).toString(36)}`
}

const made = 'the session does not state it: made up'

/** Whatever the dialect. */
const anywhere: DialectForm['cannot'] = [
  [/^event:owner$/, 'the account and the organisation that the session belongs to are not exported'],
  [/^event:journal$/, 'the journal of a workflow is a file of its own, which stays where it is'],
  [/^session$/, 'all records of a session name it'],
]

/** Facts that records in Claude Code's form always state, and marks that follow from what a record is. */
const stated: DialectForm['cannot'] = [
  ...anywhere,
  [/^message\.(id|model|stopReason|usage\.\w+)$/, made],
  [/^(at|version|cwd|gitBranch)$/, made],
  [/^detail\.(trigger|preTokens|level|isMeta|preserved)$/, made],
  [/^detail\.subtype$/, 'a word of another dialect'],
  [/^flags\.transcript-only$/, 'marks a summary'],
  [/^logicalParent$/, 'only a compaction has one'],
  [/^(kind:preserved|flags\.meta|actor)$/, 'nothing is carried over as a copy: it is text for the model'],
  [/^event:compaction$/, 'one record marks a compaction'],
  [/^blocks:\+?text(\.text)?$/, 'the words of a mark, or what was deleted'],
  [/^detail\.(preservedMessages|totalMessages)$/, 'preserved messages are named, not counted'],
]

const real: DialectForm = {
  name: 'real',
  envelope: 'client',
  version: realVersion,
  hasUuids: true,
  hasAgentFiles: true,
  hasGitBranch: true,
  allowsOrphans: true,
  isOneChain: false,
  isOrdered: false,
  joinsResults: false,
  sharesUsage: false,
  hasTitlesFirst: false,
  hasWholeEnvelopes: false,
  needsRequest: false,
  canDelete: false,
  projects: 'projects',
  slug: clientSlug,
  hasTimedNames: false,
  drafts: event => clientDrafts(event, realForm),
  cannot: [
    [/^event:malformed$/, 'not a record: only the bytes of the source have it'],
    [/^parent$/, 'a thread follows its own records'],
    ...stated,
  ],
}

const s1: DialectForm = {
  ...real,
  name: 's1',
  version: '2.1.20',
  allowsOrphans: false,
  hasWholeEnvelopes: true,
  drafts: event => clientDrafts(event, s1Form),
  cannot: [
    [/^event:(state|queue|hook|attachment|link|other|malformed|snapshot|title|history)$/, '001 has no such record'],
    [/^message\.(costUSD|durationMs)$/, '001 has no cost and no duration of an answer'],
    [/^parent$/, '001 has parents that exist'],
    [/^flags\./, '001 has no such mark'],
    [/^(kind:(meta|preserved)|actor)$/, '001 has no mark that tells it apart'],
    [/^blocks:(text|image|document|other)$/, '001 has one text per prompt, and no other blocks in it'],
    [/^detail\.(attachmentType|queued|commandMode)$/, '001 has no attachments'],
    ...stated,
  ],
}

const s2: DialectForm = {
  ...real,
  name: 's2',
  version: '2.1.45',
  allowsOrphans: false,
  isOneChain: true,
  isOrdered: true,
  joinsResults: true,
  sharesUsage: true,
  needsRequest: true,
  slug: cwd => cwd.replaceAll('/', '-'),
  drafts: event => clientDrafts(event, s2Form),
  cannot: [
    [
      /^event:(state|hook|attachment|link|other|malformed|snapshot|title|history|notice|api-error|command|command-output)$/,
      '002 has no such record',
    ],
    [/^event:queue$/, '002 queues tasks and what becomes of them'],
    [/^record$/, '002 has all results of an answer in one record'],
    [/^message\.requestId$/, '002 requires it: made up'],
    [/^message\.usage\./, '002 states one usage for all lines of a message'],
    [/^event:progress$/, '002 has only what is said in files of subagents'],
    [/^event:answer$|^blocks:thinking$/, '002 has no redacted thinking'],
    [/^blocks:tool-result\.structured$/, '002 has one structured result per line'],
    [/^blocks:tool-result\.content$/, '002 has results of texts'],
    [/^message\.(costUSD|durationMs)$/, '002 has no cost and no duration of an answer'],
    [/^message\.stopReason$/, '002 leaves stop_reason null'],
    [/^parent$/, '002 chains every line to the one before it'],
    [/^at$/, '002 orders lines by time'],
    [/^flags\./, '002 has no such mark'],
    [/^blocks:(image|document|other)$/, '002 has text, thinking, calls and results only'],
    [/^detail\.(attachmentType|queued|commandMode)$/, '002 has no attachments'],
    ...stated,
  ],
}

const s4: DialectForm = {
  ...real,
  name: 's4',
  version: '1.0.3',
  hasAgentFiles: false,
  hasGitBranch: false,
  allowsOrphans: false,
  isOrdered: true,
  hasTitlesFirst: true,
  slug: cwd => cwd.replaceAll('/', '-'),
  drafts: event => clientDrafts(event, s4Form),
  cannot: [
    [/^event:title$/, '004 has titles before all lines, and they name the last one'],
    [
      /^event:(state|queue|hook|attachment|link|other|malformed|snapshot|title|history|progress|notice|compaction|api-error)$/,
      '004 has no such record',
    ],
    [/^event:(command|command-output|notification)$/, '004 has no system records'],
    [
      /^event:answer$|^blocks:(thinking|other|image|document|tool-result)$/,
      '004 has texts and calls in answers, one text or results in prompts',
    ],
    [/^blocks:text$/, '004 has one text per prompt'],
    [/^blocks:tool-result\.content$/, '004 has results of texts'],
    [/^blocks:tool-result\.structured$/, '004 requires a structured result: made up'],
    [/^message\.(costUSD|durationMs)$/, '004 requires it: 0 where the session does not state it'],
    [/^parent$/, '004 has parents that exist'],
    [/^at$/, '004 orders lines by time'],
    [/^gitBranch$/, '004 has no branch of git'],
    [/^(thread|kind:delegation|actor)$/, '004 has no subagents, only sidechains'],
    [/^kind:(preserved|compact-summary)$/, '004 has no compaction'],
    [/^flags\./, '004 has no such mark'],
    [/^detail\.leaf$/, '004 has titles of the last line'],
    [/^detail\.(attachmentType|queued|commandMode)$/, '004 has no attachments'],
    ...stated,
  ],
}

const s0: DialectForm = {
  ...real,
  name: 's0',
  envelope: 's0',
  version: '1.0.128',
  hasUuids: false,
  hasAgentFiles: false,
  hasGitBranch: false,
  allowsOrphans: false,
  canDelete: true,
  projects: 'conversations',
  slug: cwd => cwd.replaceAll('/', '_'),
  hasTimedNames: true,
  drafts: s0Drafts,
  cannot: [
    [
      /^event:(state|queue|hook|attachment|link|other|malformed|snapshot|title|history|progress|notice|compaction|api-error)$/,
      '000 has no such record',
    ],
    [/^event:(command|command-output|notification)$/, '000 has no system records'],
    [/^message\./, '000 has no model, id, usage or cost of an answer'],
    [/^(cwd|gitBranch)$/, '000 has no folder and no branch of git'],
    [/^version$/, made],
    [/^blocks:(thinking|document|other)$/, '000 has texts, calls, results and images only'],
    [/^blocks:tool-result\.content$/, '000 has results of one text'],
    [/^blocks:tool-result\.structured$/, '000 has no structured copy of a result'],
    [/^(kind:compaction|flags\.meta)$/, '000 marks a compaction, and text for the model, in its own way'],
    [/^blocks:\+text$/, 'the words of a mark, or what was deleted'],
    ...anywhere,
    [/^(actor)$/, '000 has no marks of the client'],
    [/^parent$/, '000 has parents that exist'],
    [/^logicalParent$/, '000 has no logical parent'],
    [/^flags\.transcript-only$/, '000 has no such mark'],
    [/^detail\.(\w+)$/, '000 has no field for it'],
    [/^at$/, made],
  ],
}

const s3: DialectForm = {
  ...real,
  name: 's3',
  envelope: 's3',
  version: '',
  hasUuids: false,
  hasAgentFiles: false,
  hasGitBranch: false,
  isOrdered: true,
  slug: cwd => cwd.replaceAll('/', '-'),
  canDelete: true,
  hasTimedNames: true,
  drafts: s3Drafts,
  cannot: [
    [
      /^event:(state|queue|hook|attachment|link|other|malformed|snapshot|title|history|progress|compaction|api-error)$/,
      '003 has no such record',
    ],
    [/^event:(command|command-output|notification)$/, '003 has results and notices as system records only'],
    [/^event:tool-results$|^kind:tool-results$|^blocks:tool-result$/, '003 pairs results with calls before them'],
    [/^event:notice$/, '003 has notices with a text, and takes one behind a call for its result'],
    [/^event:answer$|^blocks:(thinking|image|document|other)$/, '003 has texts and calls only'],
    [/^message\./, '003 has no model, id, usage or cost of an answer'],
    [/^(version|cwd|gitBranch)$/, '003 has no version, folder or branch of git'],
    [/^blocks:tool-result\.(structured|content)$/, '003 has results of plain text'],
    [/^blocks:tool-call\.(caller|input)$/, '003 has calls with a name and arguments only'],
    [/^blocks:\+?text(\.text)?$/, '003 has one text per line'],
    [/^at$/, '003 orders chains by time'],
    [/^parent$/, '003 has a record for what it follows, or none'],
    [/^logicalParent$/, '003 preserves it where a parent is gone'],
    ...anywhere,
    [/^kind:(preserved|compact-summary)$|^actor$/, '003 has no summary, only marks of a compaction'],
    [/^flags\./, '003 has no such mark'],
    [/^detail\.(\w+)$/, '003 has no field for it'],
  ],
}

export const dialectForms: Readonly<Record<WireDialect, DialectForm>> = { real, s0, s1, s2, s3, s4 }

/** A name for a subagent as the dialect's files have it: `a` and 16 digits; 002 has seven. */
export function newAgentName(form: DialectForm, uuid: string): string {
  const digits = uuid.replaceAll('-', '')
  return form.name === 's2' ? digits.slice(-7) : `a${digits.slice(-16)}`
}
