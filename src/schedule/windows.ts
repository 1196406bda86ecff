// A task of the Windows Task Scheduler: its description as a file in Clew's own folder, and `schtasks` to take it in.

import { join } from 'node:path'
import { UserError } from '../answers/error.ts'
import { clewHome } from '../disk/clew-home.ts'
import { fileMark, type Job } from './job.ts'
import type { Machine } from './machine.ts'
import { ownFile, ownFileGone, type Plan, refuseControls, type Step, type Way, xmlAscii } from './plan.ts'

const task = 'Clew archive'

export const taskScheduler: Way = {
  name: 'timer',
  title: 'a task of the Task Scheduler',
  missing: machine => (machine.run(['schtasks', '/?']).code === null ? 'there is no schtasks' : undefined),
  install,
  uninstall,
}

function install(machine: Machine, job: Job): Plan {
  refuseControls(job.words, 'a task')
  if (job.words.some(word => /%[^%]+%/.test(word)))
    throw new UserError('the Task Scheduler would replace %…% in a path of this command; try --by hook')
  const path = taskFile(machine)
  const files = ownFile(machine, path, taskXml(job))
  if (files.length === 0 && isThere(machine)) return { steps: [], notes: [] }
  const command = ['schtasks', '/Create', '/TN', task, '/XML', path, '/F']
  return { steps: [...files, { kind: 'command', command }], notes: [] }
}

function uninstall(machine: Machine): Plan {
  const files = ownFileGone(machine, taskFile(machine))
  if (files.length === 0) return { steps: [], notes: [] }
  const remove: Step = { kind: 'command', command: ['schtasks', '/Delete', '/TN', task, '/F'] }
  return { steps: isThere(machine) ? [remove, ...files] : files, notes: [] }
}

function isThere(machine: Machine): boolean {
  return machine.run(['schtasks', '/Query', '/TN', task]).code === 0
}

/** In the platform's own place, whatever `--home` says, so that it is found again. */
function taskFile({ platform, homeDir, env }: Machine): string {
  const { LOCALAPPDATA } = env
  return join(clewHome({ platform, homeDir, env: { LOCALAPPDATA } }), 'archive-task.xml')
}

function taskXml({ words: [program, ...args], minutes }: Job): string {
  return `<?xml version="1.0"?>
<!-- ${fileMark} -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Archives Claude Code sessions (clew archive run)</Description>
  </RegistrationInfo>
  <Triggers>
    <TimeTrigger>
      <Repetition>
        <Interval>PT${minutes}M</Interval>
        <StopAtDurationEnd>false</StopAtDurationEnd>
      </Repetition>
      <StartBoundary>2020-01-01T00:00:00</StartBoundary>
      <Enabled>true</Enabled>
    </TimeTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <Priority>8</Priority>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xmlAscii(program)}</Command>
      <Arguments>${xmlAscii(args.map(windowsWord).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`
}

/** As programs on Windows take their command line apart: backslashes mean something only before a quote. */
export function windowsWord(word: string): string {
  if (/^[^\s"]+$/.test(word)) return word
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`
}
