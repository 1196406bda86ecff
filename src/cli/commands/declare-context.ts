// How `clew context` is called.

import type { CommandDeclaration } from '../command.ts'

export const context: CommandDeclaration = {
  name: 'context',
  argument: { name: '[session]', description: 'full id, beginning of one, title, file path, or `last`' },
  summary: 'what the model would see on resume, and what fills it',
  description:
    'Works out the messages that the reference client would send if it resumed the session now, and shows what fills the window: prompts, answers, thinking, tool output by tool. Tokens come from the log; a ~ marks what is estimated (four characters a token). With --json: the messages whole.',
  options: [
    { flags: '--messages', description: 'list the messages too, with their beginnings' },
    { flags: '--data', description: 'keep base64 data of images and documents' },
  ],
  examples: [
    ['clew context last', 'what fills the window'],
    ['clew context last --messages', 'every message with its tokens'],
    ['clew context last --json', 'the messages whole, for scripts'],
  ],
  load: () => import('./run-context.ts'),
}
