// `clew serve`: starts the web app, prints where it is, and ends it when somebody asks for that. What it answers, and whom,
// is decided in src/server.

import { spawn } from 'node:child_process'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import pc from 'picocolors'
import pkg from '../../../package.json' with { type: 'json' }
import { escapeForLine } from '../../base/escape.ts'
import { asString } from '../../base/json.ts'
import { openData } from '../../server/api/data.ts'
import { tokenFault } from '../../server/http/access.ts'
import { type RunningServer, type ServeOptions, startServer } from '../../server/http/server.ts'
import type { CommandDeclaration } from '../command.ts'
import { type CommandInput, type ExitCode, type GlobalOptions, UserError } from '../command.ts'
import { flush, printJson, printLine, say } from '../terminal/output.ts'

export const declaration: CommandDeclaration = {
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
}

const longestEndMs = 5_000

/** What the options ask for. */
interface Wanted {
  host: string
  /** Values of Host that mean this server. */
  names: string[]
  isNetwork: boolean
  isReadOnly: boolean
  port?: number
  token?: string
}

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0) throw new UserError(`clew serve takes options only; "${args[0]}" is none`)
  if (globals.usesIndex === false) throw new UserError('clew serve answers from the index: it has no --no-index')
  const wanted = wantedOf(options)
  const { isReadOnly } = wanted
  const onProblem = (message: string) => say(`clew: ${escapeForLine(message)}`)
  const data = await openData({
    home: globals.home,
    roots: globals.isRootNamed ? globals.root : [],
    isReadOnly,
    version: pkg.version,
    onProblem,
    ...(globals.timezone !== undefined && { timezone: globals.timezone }),
  })
  const server = await start({ ...wanted, data, onProblem }).catch(async error => {
    await soon(data.close())
    throw error
  })
  const ending = untilEnded()
  try {
    const { isSample } = await data.about()
    const address = server.newAddress()
    await tell(address, server, wanted, isSample, globals)
    if (options['open'] !== false && process.stdout.isTTY && !globals.json) openBrowser(address)
    const stopListening = onEnter(() => void printLine(server.newAddress()).then(flush))
    await ending
    stopListening()
  } finally {
    await soon(server.close().then(() => data.close()))
  }
  return 0
}

/** Threads that come to an end keep no process alive by themselves: this does, for a while. */
async function soon(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, longestEndMs)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

function wantedOf(options: Record<string, unknown>): Wanted {
  const { host, names, isNetwork } = hostOf(asString(options['host']))
  const isReadOnly = options['readOnlyToken'] === true
  if (isNetwork && options['allowNetwork'] !== true) {
    throw new UserError(
      `--host ${host} lets others in the network ask, not only this machine; --allow-network says that you want that`,
    )
  }
  const wanted: Wanted = { host, names, isNetwork, isReadOnly }
  const port = asString(options['port'])
  if (port !== undefined) wanted.port = portOf(port)
  const token = asString(options['token'])
  if (token === undefined) return wanted
  const fault = tokenFault(token)
  if (fault !== undefined) throw new UserError(`--token: ${fault}; without it one is made`)
  return { ...wanted, token }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new UserError(`--port ${text}: a port is a number from 1 to 65535`)
}

/** Addresses only: a name could come to mean another machine, and other names this one. */
function hostOf(text = '127.0.0.1'): Pick<Wanted, 'host' | 'names' | 'isNetwork'> {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost') return { host: '127.0.0.1', names: ['127.0.0.1'], isNetwork: false }
  if (isIP(host) === 0 || host.includes('%')) {
    throw new UserError(`--host ${text}: an address such as 127.0.0.1, not a name`)
  }
  const isNetwork = host !== '::1' && !/^127\.\d+\.\d+\.\d+$/.test(host)
  const isAny = host === '0.0.0.0' || /^[0:]+$/.test(host)
  if (!isAny) return { host: canonical(host), names: [canonical(host)], isNetwork }
  const all = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  const own = all.filter(({ family, scopeid }) => (host === '0.0.0.0' ? family === 'IPv4' : !scopeid))
  // The first one is printed: one that others can reach.
  const sorted = own.sort((a, b) => Number(a.internal) - Number(b.internal) || a.family.localeCompare(b.family))
  return { host, names: sorted.map(({ address }) => address), isNetwork }
}

/** As browsers write it in Host. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}

async function start({ isNetwork: _, isReadOnly: __, ...options }: Wanted & ServeOptions): Promise<RunningServer> {
  try {
    return await startServer(options)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EADDRNOTAVAIL') throw new UserError(`--host ${options.host}: this machine has no such address`)
    if (code === 'EACCES') throw new UserError(`port ${options.port} is not free for everybody; take one above 1023`)
    if (code === 'EADDRINUSE') throw new UserError(`port ${options.port} and those after it are busy`)
    throw error
  }
}

/** Standard output gets the address and nothing else. */
async function tell(
  url: string,
  { host, port }: RunningServer,
  { isNetwork, isReadOnly, token, port: asked }: Wanted,
  isSample: boolean,
  { json, quiet }: GlobalOptions,
): Promise<void> {
  if (json) await printJson({ url, host, port, isReadOnly, isNetwork, isSample })
  else await printLine(process.stdout.isTTY ? pc.bold(url) : url)
  await flush()
  if (isNetwork) {
    const what = isReadOnly ? 'read' : 'read, and keep, restore and forget'
    say(
      `clew: whoever in your network has this address can ${what} all sessions: prompts, answers, commands, files, images. Nothing is encrypted on the way.`,
    )
  }
  if (quiet) return
  if (asked !== undefined && asked !== port) say(`clew: port ${asked} is busy; this is ${port}`)
  if (isSample) say('clew: there are no sessions here yet; this is the bundled sample history')
  const more = process.stdin.isTTY && token === undefined ? ' Enter prints a fresh one.' : ''
  say(`clew: ${token === undefined ? `the address works once.${more}` : 'the token stays the same.'} Ctrl-C ends.`)
}

/** With the system's own opener; where that fails, the address stands in the terminal. */
function openBrowser(url: string): void {
  const { platform, env } = process
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return
  const openers: Partial<Record<NodeJS.Platform, [string, string[]]>> = {
    darwin: ['open', [url]],
    win32: ['rundll32', ['url.dll,FileProtocolHandler', url]],
  }
  const [command, words] = openers[platform] ?? ['xdg-open', [url]]
  const child = spawn(command, words, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

/** Only where somebody sits at the keyboard: other input is not for us. */
function onEnter(work: () => void): () => void {
  const { stdin } = process
  if (!stdin.isTTY) return () => {}
  stdin.on('data', work)
  return () => {
    stdin.off('data', work)
    stdin.pause()
  }
}

/** The first signal ends it in order, the second one at once. */
function untilEnded(): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  return new Promise(resolve => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
}
