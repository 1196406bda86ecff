// `clew serve` as people see it: options and examples.

import type { CommandDeclaration } from '../command.ts'

export const serveDeclaration: CommandDeclaration = {
  name: 'serve',
  summary: 'the web app: read, follow and find sessions in a browser',
  description:
    'Starts a server on 127.0.0.1 and prints an address that works once; the browser opens it. Nothing leaves this machine, and no other site or program can ask it anything. Enter prints a fresh address, Ctrl-C ends it.',
  options: [
    { flags: '--port <number>', description: 'the port, or the next one that is free; any free one when absent' },
    { flags: '--no-open', description: 'print the address without opening it' },
    { flags: '--read-only-token', description: 'whoever has the address can read and change nothing' },
    { flags: '--host <address>', description: 'listen on another address of this machine than 127.0.0.1' },
    {
      flags: '--allow-network',
      description: 'with --host: others in the network may ask, if they have the token; nothing is encrypted',
    },
    {
      flags: '--token <text>',
      description: 'a token of your own that works more than once: 22 characters or more, hard to guess',
    },
  ],
  examples: [
    ['clew serve', 'open the app in the browser'],
    ['clew serve --port 4321 --no-open', 'on a port of its own, for a browser that is open already'],
    ['clew serve --host 192.168.1.20 --allow-network --read-only-token', 'read sessions from another device'],
  ],
  load: () => import('./run-serve.ts'),
}
