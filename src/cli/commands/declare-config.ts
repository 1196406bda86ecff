// How `clew config` is called.

import type { CommandDeclaration } from '../command.ts'

export const config: CommandDeclaration = {
  name: 'config',
  argument: {
    name: '[words...]',
    description: '`list`, `path`, `get KEY`, `set KEY VALUE…`, `unset KEY`; `list` when absent',
  },
  summary: 'what is set once: roots, time zone and the like',
  description:
    'Reads and writes config.json in the folder where Clew keeps its own files. Keys: roots, exclude (lists), timezone, archive (auto, manual, off), prices, statusline. What a command line or the environment says counts more.',
  options: [],
  examples: [
    ['clew config', 'all keys with their values'],
    ['clew config set timezone Europe/Berlin', 'times in that zone from now on'],
    ['clew config path', 'where the file lies'],
  ],
  load: () => import('./run-config.ts'),
}
