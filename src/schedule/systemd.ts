// A timer of systemd's user manager: two unit files and the commands that make it look at them.

import { join } from 'node:path'
import { everyText, fileMark, type Job } from './job.ts'
import type { Machine } from './machine.ts'
import { ownFile, ownFileGone, type Plan, type Step, type Way } from './plan.ts'

const timer = 'clew-archive.timer'
const service = 'clew-archive.service'

export const systemd: Way = {
  name: 'timer',
  title: 'a systemd timer',
  missing: machine => (hasManager(machine) ? undefined : 'systemctl --user does not answer'),
  install,
  uninstall,
}

function hasManager(machine: Machine): boolean {
  return machine.run(user('show', '--property=Version')).code === 0
}

function user(...words: string[]): string[] {
  return ['systemctl', '--user', ...words]
}

function install(machine: Machine, job: Job): Plan {
  const folder = unitFolder(machine)
  const changed = ownFile(machine, join(folder, timer), timerUnit(job))
  const files = [...ownFile(machine, join(folder, service), serviceUnit(job)), ...changed]
  const isOn = ['is-enabled', 'is-active'].every(word => machine.run(user(word, '--quiet', timer)).code === 0)
  const steps: Step[] = [...files]
  if (files.length > 0) steps.push({ kind: 'command', command: user('daemon-reload') })
  if (!isOn) steps.push({ kind: 'command', command: user('enable', '--now', timer) })
  // A timer that already waits would wait by its old time once more.
  else if (changed.length > 0) steps.push({ kind: 'command', command: user('restart', timer) })
  const notes =
    steps.length === 0 ? [] : ['it runs while you are logged in; loginctl enable-linger makes it run always']
  return { steps, notes }
}

function uninstall(machine: Machine): Plan {
  const folder = unitFolder(machine)
  const files = [timer, service].flatMap(name => ownFileGone(machine, join(folder, name)))
  if (files.length === 0) return { steps: [], notes: [] }
  if (!hasManager(machine)) return { steps: files, notes: ['systemctl --user does not answer: only the files go'] }
  const steps: Step[] = [
    { kind: 'command', command: user('disable', '--now', timer), mayFail: true },
    ...files,
    { kind: 'command', command: user('daemon-reload') },
  ]
  return { steps, notes: [] }
}

/** The base directory specification says that a relative path is to be ignored. */
function unitFolder({ env, homeDir }: Machine): string {
  const config = env['XDG_CONFIG_HOME']
  return join(config?.startsWith('/') ? config : join(homeDir, '.config'), 'systemd', 'user')
}

function serviceUnit({ words }: Job): string {
  return `# ${fileMark}
[Unit]
Description=Archive Claude Code sessions (clew archive run)

[Service]
Type=oneshot
ExecStart=${execLine(words)}
Nice=10
IOSchedulingClass=idle
`
}

function timerUnit({ minutes }: Job): string {
  return `# ${fileMark}
[Unit]
Description=Archive Claude Code sessions every ${everyText(minutes)}

[Timer]
OnBootSec=5min
OnUnitActiveSec=${everyText(minutes)}
Persistent=true

[Install]
WantedBy=timers.target
`
}

/** What systemd refuses in the path of a program, however it is written; arguments may have it. */
const refused = /["'\\\u0000-\u001f\u007f]/

/** A command line as systemd reads it. Variables are replaced in arguments, but not in the program's own path. */
export function execLine(words: readonly string[]): string {
  const [program = ''] = words
  const all = refused.test(program) ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...words] : words
  return all.map((word, index) => execWord(word, index === 0)).join(' ')
}

function execWord(word: string, isProgram: boolean): string {
  if (/^[A-Za-z0-9_-]+$/.test(word)) return word
  const text = word
    .replace(/[\\"]/g, '\\$&')
    .replaceAll('%', '%%')
    .replace(/[\u0000-\u001f\u007f]/g, escaped)
  return `"${isProgram ? text : text.replaceAll('$', '$$$$')}"`
}

function escaped(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
