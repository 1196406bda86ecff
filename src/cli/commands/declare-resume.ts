// `clew resume` as people see it: argument, options, examples.

import type { CommandDeclaration } from '../command.ts'

export const resumeDeclaration: CommandDeclaration = {
  name: 'resume',
  argument: { name: '[session]', description: 'full id, unique beginning of one, title, file path, or `last`' },
  summary: 'the command that resumes a session; runs nothing',
  description:
    'Prints the command that goes to the folder of a session and resumes it with the client, quoted for a shell. It says on stderr where the client would not resume it, or the folder is not here.',
  options: [
    {
      flags: '--shell <name>',
      description: 'quote for this shell (default: posix, on Windows powershell)',
      choices: ['posix', 'fish', 'powershell', 'cmd'],
    },
  ],
  examples: [
    ['clew resume last', 'for the newest session'],
    ['clew resume "Fog of war"', 'by title'],
    ['clew resume last --shell fish', 'for another shell'],
  ],
  load: () => import('./run-resume.ts'),
}
