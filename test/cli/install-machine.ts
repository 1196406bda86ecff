// A machine for tests of installing: a home in a temporary folder, and programs of any platform that keep their state there
// and write down how they were called. Programs are real processes; none of the real ones can be reached.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Machine, type MachineFacts, machineOf } from '../../src/schedule/machine.ts'

const systemctl = `shift
case "$1" in
  show) echo Version=252 ;;
  is-enabled|is-active) test -e "$STATE/timer-on" ;;
  enable) touch "$STATE/timer-on" ;;
  disable) rm -f "$STATE/timer-on" ;;
  daemon-reload|restart) ;;
  *) exit 64 ;;
esac`

const crontab = `case "$1" in
  -l) if test -e "$STATE/crontab"; then cat "$STATE/crontab"; else echo "no crontab for user" >&2; exit 1; fi ;;
  -r) rm "$STATE/crontab" ;;
  -) cat > "$STATE/crontab" ;;
  *) exit 64 ;;
esac`

const launchctl = `case "$1" in
  version) echo 7 ;;
  print) test -e "$STATE/job-on" ;;
  bootstrap) test -e "$3" && touch "$STATE/job-on" ;;
  bootout) rm "$STATE/job-on" ;;
  *) exit 64 ;;
esac`

const schtasks = `case "$1" in
  /\\?) ;;
  /Query) test -e "$STATE/task-on" ;;
  /Create) test -e "$5" && touch "$STATE/task-on" ;;
  /Delete) rm "$STATE/task-on" ;;
  *) exit 64 ;;
esac`

const programs = { systemctl, crontab, launchctl, schtasks }
export type Program = keyof typeof programs

export interface TestMachine {
  machine: Machine
  /** The user's home folder. */
  home: string
  path(way: string): string
  read(way: string): string
  write(way: string, text: string, mode?: number): string
  /** The crontab as it is; null: none. */
  crontab(): string | null
  setCrontab(text: string): void
  /** How programs were called, oldest first; questions about the state left out. */
  calls(): string[]
  /** All files below the home, with text and mode. */
  files(): Record<string, string>
}

export interface TestMachineOptions extends Partial<MachineFacts> {
  has?: readonly Program[]
  /** What people answer; null: there is no terminal. */
  answer?: boolean | null
}

/** A machine that is gone after the work. */
export async function withMachine<Value>(
  options: TestMachineOptions,
  work: (test: TestMachine) => Value | Promise<Value>,
): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'clew-install-'))
  try {
    return await work(makeMachine(folder, options))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeMachine(folder: string, { has = [], answer = null, env = {}, ...facts }: TestMachineOptions): TestMachine {
  const home = facts.homeDir ?? join(folder, 'home')
  const state = join(folder, 'state')
  const bin = join(folder, 'bin')
  for (const made of [home, state, bin]) mkdirSync(made, { recursive: true })
  for (const name of has) writeFileSync(join(bin, name), script(name, state), { mode: 0o755 })
  const machine = machineOf({
    platform: 'linux',
    homeDir: home,
    uid: 501,
    node: '/opt/node/bin/node',
    main: '/opt/clew/main.js',
    temporary: join(folder, 'tmp'),
    ...facts,
    env: { PATH: bin, ...env },
  })
  const path = (way: string) => join(home, way)
  const cronFile = join(state, 'crontab')
  return {
    machine: { ...machine, canAsk: () => answer !== null, confirm: async () => answer === true },
    home,
    path,
    read: way => readFileSync(path(way), 'utf8'),
    write: (way, text, mode = 0o644) => {
      mkdirSync(dirname(path(way)), { recursive: true })
      writeFileSync(path(way), text)
      chmodSync(path(way), mode)
      return path(way)
    },
    crontab: () => (existsSync(cronFile) ? readFileSync(cronFile, 'utf8') : null),
    setCrontab: text => writeFileSync(cronFile, text),
    calls: () => callsIn(join(state, 'calls')),
    files: () => filesUnder(home),
  }
}

function script(name: Program, state: string): string {
  return `#!/bin/sh
PATH=/usr/bin:/bin
STATE='${state}'
echo "${name} $*" >> "$STATE/calls"
${programs[name]}
`
}

const questions = /^(systemctl --user (show|is-)|crontab -l|launchctl (version|print)|schtasks \/(\?|Query))/

function callsIn(file: string): string[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.filter(line => !questions.test(line))
}

function filesUnder(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stat = statSync(join(folder, name))
    if (stat.isFile()) found[name] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(join(folder, name), 'utf8')}`
  }
  return found
}
