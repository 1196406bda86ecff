// What a record states next to its content, as far as others than decoders ask for it: ids, links to other sessions, who runs it.
// Nobody else looks into a record: see layers.json.

import type { JsonObject } from '../base/json.ts'

/** The record that a fork copied this one from; `uuid` is absent where only the session is known. */
export interface CopiedFrom {
  session: string
  uuid?: string
}

/** How the results of a record are written. */
export interface ResultForms {
  /** How many have one text, and how many a list of blocks. */
  texts: number
  blocks: number
  /** Type of the structured copy; `absent` where there is none. */
  structured: 'absent' | 'object' | 'string' | 'array' | 'number' | 'boolean'
}

/** Fields of one record. Each is undefined where the record does not say it. Not part of the printed contract. */
export interface Stated {
  readonly uuid?: string | undefined
  /** The parent as written: null where it says that it has none, undefined where it says nothing of one. */
  readonly parent?: string | null | undefined
  /** `sessionId`. A copied record may name the session that it was copied from. */
  readonly session?: string | undefined
  /** `session_id`, as other programs write it. */
  readonly foreignSession?: string | undefined
  /** The agent on whose thread it is. */
  readonly agent?: string | undefined
  /** Name and team of a teammate. */
  readonly agentName?: string | undefined
  readonly team?: string | undefined
  readonly forkedFrom?: CopiedFrom | undefined
  /** Sessions that it names as the one before and the one behind its own; a `continued-in` line has that in its detail. */
  readonly parentSession?: string | undefined
  readonly continuedIn?: string | undefined
  /** What runs Claude Code: `cli`, `sdk-ts`; since 2.0.x. */
  readonly entrypoint?: string | undefined
  /** Where a prompt comes from: `typed`, `sdk`, `system`; since 2.1.161. */
  readonly promptSource?: string | undefined
  /** `plan`, `acceptEdits`, …: the mode that a prompt was typed in. */
  readonly permissionMode?: string | undefined
  /** Why a call was not carried out: `user-rejected`, `interrupted`, … */
  readonly denial?: string | undefined
  /** Of records with results. */
  readonly results?: ResultForms | undefined
  /** Everything that a command had printed until this line of its progress. */
  readonly outputSoFar?: string | undefined
  /** True for an answer that states that its end was not known yet. */
  readonly isOpen?: boolean | undefined
  /** The request to the API that this line notes, and the one that it answers. */
  readonly request?: string | undefined
  readonly answered?: string | undefined
  /** Fields that records of several kinds have, verbatim, by `factFields`. */
  readonly facts?: JsonObject | undefined
}
