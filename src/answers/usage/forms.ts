// The reports of `clew usage`, by the words that name them. It imports nothing: the table of commands has them too.

export const usageForms = [
  'daily',
  'weekly',
  'monthly',
  'session',
  'project',
  'model',
  'blocks',
  'tool',
  'subagent',
  'branch',
  'git-branch',
] as const
export type UsageForm = (typeof usageForms)[number]
