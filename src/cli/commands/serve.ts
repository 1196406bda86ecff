// `clew serve`: starts the web app, prints its address, and ends it on a signal. What it answers, and to whom, is in
// src/server.

import { spawn } from 'node:child_process'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import pc from 'picocolors'
import pkg from '../../../package.json' with { type: 'json' }
import { howToArchive, isUndecided } from '../../answers/archive-mode.ts'
import { UserError } from '../../answers/error.ts'
import { escapeForLine } from '../../base/escape.ts'
import { asString } from '../../base/json.ts'
import type { IndexProgress } from '../../server/api/api.ts'
import { openData } from '../../server/api/open-data.ts'
import { tokenFault } from '../../server/http/guard.ts'
import { type RunningServer, type ServeOptions, startServer } from '../../server/http/server.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { flush, printJson, printLine, say } from '../terminal/output.ts'

const longestEndMs = 5_000

interface Settings {
  host: string
  /** Values of Host that mean this server. */
  names: string[]
  isNetwork: boolean
  isReadOnly: boolean
  port?: number
  token?: string
}

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  if (args.length > 0) throw new UserError(`clew serve takes no arguments: "${args[0]}"`)
  if (globals.clew.usesIndex === false) throw new UserError('clew serve needs the index: --no-index does not work here')
  const settings = settingsOf(options)
  const { isReadOnly } = settings
  const onProblem = (message: string) => say(`clew: ${escapeForLine(message)}`)
  const indexing = indexingLine(globals)
  const data = await openData({
    home: globals.clew.home,
    roots: globals.clew.isRootNamed ? globals.clew.root : [],
    isReadOnly,
    version: pkg.version,
    onProblem,
    onIndexing: indexing.report,
    ...(globals.clew.timezone !== undefined && { timezone: globals.clew.timezone }),
  })
  const server = await start({ ...settings, data, onProblem }).catch(async error => {
    await soon(data.close())
    throw error
  })
  const ending = untilEnded()
  try {
    const { isSample } = await data.answer('GET /api/about', {})
    const address = server.newAddress()
    await announce(address, server, settings, isSample, globals)
    if (options['open'] !== false && process.stdout.isTTY && !globals.json) openBrowser(address)
    const stopListening = onEnter(() => void printLine(server.newAddress()).then(flush))
    await ending
    stopListening()
  } finally {
    indexing.end()
    await soon(server.close().then(() => data.close()))
  }
  return 0
}

const clearLine = '\r\u001b[K'

/** On a terminal one line that changes, elsewhere one when it begins and one when it ends. */
function indexingLine({ quiet, json }: GlobalOptions): { report(progress: IndexProgress | null): void; end(): void } {
  const { stderr } = process
  let isBegun = false
  const onTerminal = (progress: IndexProgress | null) => {
    isBegun = progress !== null
    stderr.write(
      progress === null ? `${clearLine}clew: indexed\n` : `${clearLine}clew: ${progress.what} ${progress.percent} %`,
    )
  }
  const inLines = (progress: IndexProgress | null) => {
    if (progress === null) say('clew: indexed')
    else if (!isBegun) say('clew: indexing for the first time; the app lists sessions meanwhile')
    isBegun = true
  }
  const report = quiet || json ? () => {} : stderr.isTTY ? onTerminal : inLines
  return { report, end: () => void (isBegun && stderr.isTTY && stderr.write('\n')) }
}

/** Keeps the process alive while threads end, for a while. */
async function soon(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, longestEndMs)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

function settingsOf(options: Record<string, unknown>): Settings {
  const { host, names, isNetwork } = hostOf(asString(options['host']))
  const isReadOnly = options['readOnlyToken'] === true
  if (isNetwork && options['allowNetwork'] !== true) {
    throw new UserError(`--host ${host} answers other machines too; add --allow-network to allow that`)
  }
  const settings: Settings = { host, names, isNetwork, isReadOnly }
  const port = asString(options['port'])
  if (port !== undefined) settings.port = portOf(port)
  const token = asString(options['token'])
  if (token === undefined) return settings
  const fault = tokenFault(token)
  if (fault !== undefined) throw new UserError(`--token: ${fault}; omit --token to get a random one`)
  return { ...settings, token }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new UserError(`--port ${text}: a port is a number from 1 to 65535`)
}

/** Addresses only: a name may come to mean another machine, and other names this one. */
function hostOf(text = '127.0.0.1'): Pick<Settings, 'host' | 'names' | 'isNetwork'> {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost') return { host: '127.0.0.1', names: ['127.0.0.1'], isNetwork: false }
  if (isIP(host) === 0 || host.includes('%')) {
    throw new UserError(`--host ${text}: give an address such as 127.0.0.1, not a name`)
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

async function start({ isNetwork: _, isReadOnly: __, ...options }: Settings & ServeOptions): Promise<RunningServer> {
  try {
    return await startServer(options)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EADDRNOTAVAIL') throw new UserError(`--host ${options.host}: this machine has no such address`)
    if (code === 'EACCES') throw new UserError(`port ${options.port} needs privileges; use one above 1023`)
    if (code === 'EADDRINUSE') throw new UserError(`port ${options.port} and the next ones are busy`)
    throw error
  }
}

/** Prints only the address to standard output. */
async function announce(
  url: string,
  { host, port }: RunningServer,
  { isNetwork, isReadOnly, token, port: requested }: Settings,
  isSample: boolean,
  globals: GlobalOptions,
): Promise<void> {
  const { json, quiet } = globals
  if (json) await printJson({ url, host, port, isReadOnly, isNetwork, isSample })
  else await printLine(process.stdout.isTTY ? pc.bold(url) : url)
  await flush()
  if (isNetwork) {
    const what = isReadOnly ? 'read' : 'read, archive, restore, forget, fork and repair'
    say(
      `clew: anyone in your network with this address can ${what} all sessions: prompts, answers, commands, files, images. Traffic is not encrypted.`,
    )
  }
  if (quiet) return
  if (requested !== undefined && requested !== port) say(`clew: port ${requested} is busy; using ${port}`)
  if (isSample) say('clew: no sessions found; showing the bundled sample history')
  else if (!isReadOnly && isUndecided(globals.clew)) say(`clew: ${howToArchive}`)
  const more = process.stdin.isTTY && token === undefined ? ' Press Enter for a new one.' : ''
  say(
    `clew: ${token === undefined ? `the address works once.${more}` : 'the token stays valid.'} Press Ctrl-C to stop.`,
  )
}

/** With the system's own opener; if that fails, the address is in the terminal. */
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

/** Only on a terminal: other input is not meant for this. */
function onEnter(work: () => void): () => void {
  const { stdin } = process
  if (!stdin.isTTY) return () => {}
  stdin.on('data', work)
  return () => {
    stdin.off('data', work)
    stdin.pause()
  }
}

/** The first signal ends it cleanly, the second one at once. */
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
