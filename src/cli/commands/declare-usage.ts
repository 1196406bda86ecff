// `clew usage` as people see it: arguments, options, examples.

import type { CommandDeclaration } from '../command.ts'

export const usageDeclaration: CommandDeclaration = {
  name: 'usage',
  argument: {
    name: '[by]',
    description:
      'daily (the default), weekly, monthly, session, project, model, blocks, tool, subagent, branch, git-branch',
  },
  summary: 'tokens and cost, by day, session, project, model and more',
  description: 'Counts what API messages used, each once, at the prices of their time.',
  options: [
    { flags: '--since <time>', description: 'used since: 2026-02-17, 7d, 24h, yesterday' },
    { flags: '--until <time>', description: 'used until; a day counts to its end' },
    { flags: '--last <span>', description: 'the last 7d, 4w or 3m, today included' },
    { flags: '--project <text>', description: 'working directory holds this; `.` is this one' },
    { flags: '--model <text>', description: 'a model whose name holds this' },
    { flags: '--session <id>', description: 'this session: the beginning of its id, or its title' },
    { flags: '--order <how>', description: 'order of rows', choices: ['asc', 'desc', 'cost'] },
    { flags: '--breakdown', description: 'a line for each model below every row' },
    { flags: '--group <by>', description: 'again by project, model, session or subagent' },
    { flags: '--compact', description: 'few columns, short numbers' },
    { flags: '--csv', description: 'comma-separated values' },
    { flags: '--mode <mode>', description: 'whose cost', choices: ['auto', 'calculate', 'display'] },
    { flags: '--prices <file>', description: 'prices that replace the bundled ones' },
    { flags: '--unknown-as <model>', description: 'price models without a price as this one' },
    { flags: '--estimate', description: 'estimate output that the log does not state' },
    { flags: '--reconcile', description: "our cost beside the client's, by session" },
    { flags: '--budget <amount>', description: '100, 20/day, 90/week, 300/month: exit code 1 above it' },
    { flags: '--week-start <day>', description: 'first day of a week (default: monday)' },
    { flags: '--token-limit <n>', description: 'blocks: share of so many tokens; max: of the largest' },
    { flags: '--active', description: 'blocks: the one that is running' },
    { flags: '--recent', description: 'blocks: of the last three days' },
  ],
  examples: [
    ['clew usage', 'tokens and cost of every day'],
    ['clew usage project --breakdown', 'where the money went'],
    ['clew usage model --since 2026-05-01 --json', 'by model, for scripts'],
  ],
  keepsInPassing: true,
  load: () => import('./run-usage.ts'),
}
