// Where a long text goes: straight to standard output, or through a pager on a terminal. A pager that is missing, fails or
// is left early is never an error.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { isOutputClosed, writeLine, writeOut } from './output.ts'

/** Takes lines that are safe for a terminal already. */
export interface Sink {
  line(text: string): Promise<void>
  /** Makes what was written so far visible. */
  flush(): Promise<void>
  /** Whether the reader has gone: the writer may stop. */
  readonly isClosed: boolean
  /** Waits until everything was read, or the reader has gone. */
  end(): Promise<void>
}

export function plainSink(): Sink {
  return {
    line: writeLine,
    flush: writeOut,
    get isClosed() {
      return isOutputClosed()
    },
    end: writeOut,
  }
}

interface PagerOptions {
  /** False with `--no-pager`. */
  isEnabled: boolean
  env: Readonly<Record<string, string | undefined>>
  isTerminal: boolean
  /** The pager opens at the first line with this text. */
  mark?: string | undefined
}

/** `$PAGER`, else `less`; none without a terminal, or with an empty `PAGER` or `cat`. */
export function pagerCommand({ isEnabled, env, isTerminal, mark }: PagerOptions): string | null {
  if (!isEnabled || !isTerminal || env['TERM'] === 'dumb') return null
  const named = env['PAGER']?.trim()
  return named === '' || named === 'cat' ? null : atMark(named ?? 'less -R', mark)
}

export async function openSink(options: PagerOptions): Promise<Sink> {
  const command = pagerCommand(options)
  if (command === null) return plainSink()
  const child = await start(command, options.env)
  return child === null ? plainSink() : new PagerSink(child)
}

/** With the argument by which less and more begin at a line; other pagers begin at the first. */
function atMark(command: string, mark: string | undefined): string {
  const isKnown = /^(\S*[\\/])?(less|more)(\.exe)?(\s|$)/.test(command)
  return mark === undefined || !isKnown || shellWords.test(command)
    ? command
    : `${command} +/${mark.replaceAll(' ', '.')}`
}

const shellWords = /["'`$&|;<>()*?[\]#~=%\\]/

/** Null where there is no such program. A command with quotes or variables is left to the shell. */
async function start(command: string, env: Readonly<Record<string, string | undefined>>): Promise<ChildProcess | null> {
  const [program = '', ...args] = command.split(/\s+/)
  const options = {
    stdio: ['pipe', 'inherit', 'inherit'] as ['pipe', 'inherit', 'inherit'],
    // Colours pass, one screen needs no key, and the text stays on the screen; unless people have settings of their own.
    env: { ...env, LESS: env['LESS'] ?? 'FRX', LV: env['LV'] ?? '-c' },
  }
  const child = shellWords.test(command) ? spawn(command, { ...options, shell: true }) : spawn(program, args, options)
  try {
    await once(child, 'spawn')
    return child
  } catch {
    return null
  }
}

const flushAt = 16 * 1024
/** A shell finds out late that a pager does not exist: as long as no more than this was sent, it can be printed plainly. */
const mostKept = 64 * 1024

class PagerSink implements Sink {
  private readonly child: ChildProcess
  private readonly gone: Promise<unknown>
  private waiting = ''
  private kept: string | null = ''
  private hasEnded = false
  private plain: Sink | null = null

  constructor(child: ChildProcess) {
    this.child = child
    // The pager decides what Ctrl-C means; without a listener it would end us and leave the pager behind.
    process.on('SIGINT', ignore)
    child.stdin?.on('error', ignore)
    child.on('error', ignore)
    this.gone = once(child, 'close').then(([code]) => this.close(Number(code)))
  }

  get isClosed(): boolean {
    return this.plain?.isClosed ?? this.hasEnded
  }

  async line(text: string): Promise<void> {
    if (this.plain) return this.plain.line(text)
    this.waiting += `${text}\n`
    if (this.waiting.length >= flushAt) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.plain) return this.plain.flush()
    const text = this.waiting
    this.waiting = ''
    if (text === '' || this.hasEnded || !this.child.stdin) return
    if (this.kept !== null) this.kept = this.kept.length + text.length > mostKept ? null : this.kept + text
    if (!this.child.stdin.write(text)) await Promise.race([once(this.child.stdin, 'drain').catch(ignore), this.gone])
  }

  async end(): Promise<void> {
    await this.flush()
    if (!this.hasEnded) this.child.stdin?.end()
    await this.gone
    await this.plain?.end()
    process.off('SIGINT', ignore)
  }

  private async close(code: number): Promise<void> {
    this.hasEnded = true
    const isMissing = code === 126 || code === 127
    if (!isMissing || this.kept === null) return
    this.plain = plainSink()
    const text = this.kept + this.waiting
    this.waiting = ''
    if (text !== '') await this.plain.line(text.replace(/\n$/, ''))
  }
}

function ignore(): void {}
