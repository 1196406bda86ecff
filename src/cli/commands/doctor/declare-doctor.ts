// How `clew doctor` is called.

import type { CommandDeclaration } from '../../command.ts'

export const doctor: CommandDeclaration = {
  name: 'doctor',
  summary: 'what stands in the way: homes, permissions, retention',
  description:
    'Looks at the environment, the Claude homes, who may read the logs, when the client will delete which of them, the clock and the terminal. Every problem comes with its remedy. Exit code 1 when one of them loses data.',
  options: [],
  examples: [
    ['clew doctor', 'everything that was looked at'],
    ['clew doctor --json', 'the same, for scripts'],
  ],
  load: () => import('./run-doctor.ts'),
}
