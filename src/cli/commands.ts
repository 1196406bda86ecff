// The table of commands, in the order of the help. A command's file is loaded when it runs, so that starting costs the same
// however many commands there are.

import type { CommandEntry, DeclaredCommand } from './command.ts'

export const commands: readonly CommandEntry[] = [
  { name: 'ls', summary: 'List sessions and projects', load: () => import('./commands/ls.ts') },
  { name: 'show', summary: 'Read a session', load: () => import('./commands/show.ts') },
  { name: 'tree', summary: 'Draw the shape of a session', load: () => import('./commands/tree.ts') },
  {
    name: 'context',
    summary: 'Show what the model would see on resume',
    load: () => import('./commands/context.ts'),
  },
  {
    name: 'stats',
    summary: 'Count turns, tools, files, models and tokens',
    load: () => import('./commands/stats.ts'),
  },
  {
    name: 'usage',
    summary: 'Report tokens and cost by day, session, project or model',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'history',
    summary: 'List your prompts, even those of deleted sessions',
    load: () => import('./commands/history.ts'),
  },
  { name: 'search', summary: 'Search everything that was said', load: () => import('./commands/search.ts') },
  {
    name: 'grep',
    summary: 'Print lines that match a regular expression',
    load: () => import('./commands/grep.ts'),
  },
  { name: 'watch', summary: 'Follow sessions as they are written', load: () => import('./commands/watch.ts') },
  { name: 'serve', summary: 'Start the web app', load: () => import('./commands/serve.ts') },
  {
    name: 'statusline',
    summary: 'Print a status line for Claude Code',
    load: () => import('./commands/statusline.ts'),
  },
  {
    name: 'resume',
    summary: 'Print the command that resumes a session',
    load: () => import('./commands/resume.ts'),
  },
  { name: 'events', summary: 'Print every event, one per line', load: () => import('./commands/events.ts') },
  {
    name: 'records',
    summary: 'Print every record with its position, dialect and type',
    load: () => import('./commands/records.ts'),
  },
  { name: 'check', summary: 'Check logs against a specification', load: () => import('./commands/check.ts') },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of records and of JSON output',
    load: () => import('./commands/schema.ts'),
  },
  { name: 'index', summary: 'Manage the search index', load: () => import('./commands/index.ts') },
  {
    name: 'archive',
    summary: 'Manage copies that outlive the clean-up of Claude Code',
    load: () => import('./commands/archive.ts'),
  },
  {
    name: 'forget',
    summary: 'Erase a session from the archive and the index',
    load: () => import('./commands/forget.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check homes, permissions, retention and the index',
    load: () => import('./commands/doctor.ts'),
  },
  { name: 'config', summary: 'Read and change settings', load: () => import('./commands/config.ts') },
  {
    name: 'completion',
    summary: 'Print a completion script for your shell',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'guide',
    summary: 'Print instructions for an agent that uses clew',
    load: () => import('./commands/guide.ts'),
  },
]

/** Every command with its declaration, which loads all of them: for docs, completion, the guide and tests. */
export function allCommands(): Promise<DeclaredCommand[]> {
  return Promise.all(
    commands.map(async ({ name, summary, load }) => ({ name, summary, ...(await load()).declaration })),
  )
}
