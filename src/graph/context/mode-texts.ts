// What stands for the instructions of plan mode and auto mode where the log has not their words. They are long texts of Claude
// Code's own, which are not kept here: a stand-in says which they are and how long, measured with 2.1.325, and the answer says
// that it is one (gaps.ts). Where a record has the words (`rendered`), those are shown.

import type { JsonObject } from '../../base/json.ts'

/** The long text at the start of plan mode, a reminder of it (`sparse`) later, and that of a subagent. */
export function wordPlanMode({ reminderType, isSubAgent, planFilePath }: JsonObject): string {
  if (isSubAgent === true) return standIn('plan mode in a subagent', 935, planFilePath)
  if (reminderType === 'sparse') return standIn('plan mode, in short', 280, planFilePath)
  return standIn('plan mode', 4860, planFilePath)
}

export function wordPlanModeExit({ planFilePath, planExists }: JsonObject): string {
  const where = planExists === true ? ` The plan file is located at ${planFilePath} if you need to reference it.` : ''
  return `## Exited Plan Mode

You have exited plan mode. You can now make edits, run tools, and take actions.${where}`
}

export function wordPlanModeReentry({ planFilePath }: JsonObject): string {
  return standIn('plan mode when it is entered again', 953, planFilePath)
}

export function wordAutoMode(): string {
  return standIn('auto mode', 1010)
}

/** `characters`: of the text without the path. */
function standIn(what: string, characters: number, path?: unknown): string {
  const where = typeof path === 'string' ? `, for the plan file ${path}` : ''
  return `[Claude Code's instructions for ${what}${where}: about ${characters} characters that are not in the log]`
}
