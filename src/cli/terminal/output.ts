// Standard output and error: text out with back-pressure, a broken pipe as success, colours only on terminals.

import { Writable } from 'node:stream'
import pc from 'picocolors'
import { escapeForLine, jsonLine } from '../../base/escape.ts'
import type { Finding, Severity } from '../../model/finding.ts'
import { type CsvCell, csvLine } from '../../render/csv.ts'

const flushAt = 64 * 1024

/** Another way for what is printed and said than the two streams: a pager. */
export interface OutputRoute {
  line(text: string): Promise<void>
  flush(): Promise<void>
  say(text: string): void
  /** Something was printed, so that messages have to wait. */
  readonly hasPrinted: boolean
  /** Another program has the screen. */
  readonly isBusy: boolean
  readonly isClosed: boolean
}

let route: OutputRoute | null = null
let isClosed = false

/** Null: straight to the streams. */
export function routeOutput(next: OutputRoute | null): void {
  route = next
}

/** Whether another program has the screen: nothing may be drawn on it. */
export function isScreenTaken(): boolean {
  return route?.isBusy === true
}

let waiting = ''
/** Prints a line; waits when the reader is slow. The text must be escaped already where it comes from a log. */
export function printLine(line: string): Promise<void> {
  return route === null ? writeLine(line) : route.line(line)
}

/** To standard output, whatever the route is. */
export async function writeLine(line: string): Promise<void> {
  waiting += `${line}\n`
  if (waiting.length >= flushAt) await writeOut()
}

/** Lines of comma-separated values; stops when no one reads any more. */
export async function printCsv(lines: readonly (readonly CsvCell[])[]): Promise<void> {
  for (const line of lines) {
    if (isOutputClosed()) return
    await printLine(csvLine(line))
  }
}

export function printJson(value: unknown): Promise<void> {
  return printLine(jsonLine(value))
}

/** Makes what was printed visible. Called once more at the end of the process. */
export function flush(): Promise<void> {
  return route === null ? writeOut() : route.flush()
}

/** To standard output, whatever the route is. */
export async function writeOut(): Promise<void> {
  const text = waiting
  waiting = ''
  if (text === '' || isClosed) return
  await new Promise<void>(done => process.stdout.write(text, () => done()))
}

/** A message for people. */
export function say(message: string): void {
  if (route?.hasPrinted) route.say(`${message}\n`)
  else process.stderr.write(`${message}\n`)
}

const noted = new Set<string>()

/** The same, where it may be why the command ends: see `endWith`. */
export function note(message: string): void {
  noted.add(message)
  say(message)
}

/** The message that the command ends with, unless it was said. */
export function endWith(message: string): void {
  if (!noted.has(message)) process.stderr.write(`${message}\n`)
}

const paint: Record<Severity, (text: string) => string> = { error: pc.red, warning: pc.yellow, info: pc.dim }

export function severityText(severity: Severity): string {
  return paint[severity](severity)
}

/** `error orphan-parent a.jsonl:12 (byte 3456): …`, safe for a terminal. */
export function findingLine(finding: Finding): string {
  const text = findingText(finding)
  return `${severityText(finding.severity)} ${pc.bold(finding.code)}${finding.file === undefined ? ': ' : ' '}${text}`
}

/** `a.jsonl:12 (byte 3456): …`: place and message; the message alone where no file is named. */
export function findingText({ file, line, offset, message }: Finding): string {
  if (file === undefined) return escapeForLine(message)
  const place = `${escapeForLine(file)}${line === undefined ? '' : `:${line}`}${offset === undefined ? '' : ` (byte ${offset})`}`
  return `${place}: ${escapeForLine(message)}`
}

/** What could not be read is missing in the answer: one line reports it, `clew doctor` lists all. */
export function reportUnread(findings: readonly Finding[], isQuiet: boolean): void {
  const first = findings[0]
  if (first === undefined || isQuiet) return
  say(findingLine(first))
  if (findings.length > 1) say(`… and ${findings.length - 1} more of this kind; \`clew doctor\` lists them`)
}

let isWatched = false

/**
 * Makes a broken pipe an end like any other, and of any other failure an error with an exit code. For a process that is Clew's
 * own: the library must not end another's.
 */
export function watchOutput(): void {
  noted.clear()
  if (isWatched) return
  isWatched = true
  try {
    // Where messages cannot be written, there is no one to say that to; what is printed and the exit code still count.
    process.stderr.on('error', () => {})
  } catch {
    Object.defineProperty(process, 'stderr', { value: new Writable({ write: (_chunk, _encoding, done) => done() }) })
  }
  try {
    process.stdout.on('error', endOfOutput)
  } catch (error) {
    endOfOutput(error)
  }
}

function endOfOutput(error: unknown): void {
  isClosed = true
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  if (code === 'EPIPE') return
  process.stderr.write(`clew: cannot write the output (${escapeForLine(code)})\n`)
  process.exit(2)
}

/** Whether the reader has gone; a command may stop then. */
export function isOutputClosed(): boolean {
  return isClosed || route?.isClosed === true
}
