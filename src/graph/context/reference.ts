// What Claude Code 2.1.325 adds, wraps and leaves out when it resumes a session: its texts, word for word, and the models that
// it continues with. Measured on 2026-11-16 by what it sent to a stand-in for the API. A newer version gets its own values.

/** The version whose reading is followed. */
export const referenceVersion = '2.1.325'

/** What is sent where the log has nothing to send. */
export const placeholders = {
  /** The result of a call in the turn in which the session broke off; "It may or may not have run." before 2.1.31x. */
  interruptedCall:
    "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]",
  /** The result of any other call without one next to calls that have one. */
  missingResult: '[Tool result missing due to internal error]',
  /** In place of a first message of nothing but results without their calls. */
  orphanedResult: '[Orphaned tool result removed due to conversation resume]',
  /** In place of an answer of nothing but calls that were made before. */
  interruptedUse: '[Tool use interrupted]',
  /** In place of any other message that is left empty. */
  noContent: '(no content)',
  /** The answer to a last message that has none. */
  noAnswer: 'No response requested.',
  /** Behind the result of a search for tools. */
  toolLoaded: 'Tool loaded.',
} as const

/** Tools that have another name today: calls go out under it. */
export const toolNames: ReadonlyMap<string, string> = new Map([['Task', 'Agent']])

/** Fields of calls that are not sent where another one is there that says the same: tool → that field, and those. */
export const legacyFields: ReadonlyMap<string, { besides: string; fields: readonly string[] }> = new Map([
  ['SendMessage', { besides: 'to', fields: ['type', 'recipient', 'content', 'recipient_kind'] }],
  ['Edit', { besides: 'edits', fields: ['old_string', 'new_string', 'replace_all'] }],
])

/** Sessions of these models continue with their model, others with the default one. */
const models =
  /^claude-(?:3-5-sonnet|opus-(?:4-[5-8]|5|5-5)|sonnet-(?:4-[56]|5|5-5)|haiku-(?:4-5|5-5)|fable-5)(?:-fast)?$/
const defaultModel = 'claude-opus-5-5'

/** A model of the newest kind. */
export const newestModel = defaultModel

/** The model that a session continues with. Thinking of other models is not sent to it. */
export function resumedModel(last: string | undefined): string {
  return last !== undefined && models.test(withoutDate(last)) ? withoutDate(last) : defaultModel
}

/** Models of an older kind than that take no messages of the system behind the first, and are reminded of their tasks. */
const olderModels = /^claude-(?:3-5-sonnet|opus-4-[5-7]|sonnet-4-[56]|haiku-4-5)(?:-fast)?$/

export function takesSystemMessages(model: string): boolean {
  return !olderModels.test(model)
}

/** Whether reminders keep their tags in a message of the system. */
export function keepsReminderTags(model: string): boolean {
  return model === 'claude-sonnet-5'
}

export function isSameModel(model: string | undefined, resumed: string): boolean {
  return model !== undefined && withoutDate(model) === resumed
}

/** The name alone: without date, size of the context window, and what a cloud adds to it. */
function withoutDate(model: string): string {
  return model
    .replace(/^.*(?=claude-)/, '')
    .replace(/([-@]\d{8})?(-v\d+:\d+)?(\[1m\])?$/, '')
    .replaceAll('.', '-')
}
