// A job of macOS's launchd for the logged-in user: one property list and the commands that load and unload it.

import { join } from 'node:path'
import { fileMark, type Job } from './job.ts'
import type { Machine } from './machine.ts'
import { ownFile, ownFileGone, type Plan, refuseControls, type Step, type Way, xmlText } from './plan.ts'

const label = 'dev.clew.archive'

export const launchd: Way = {
  name: 'timer',
  title: 'a launchd job',
  missing: machine => (machine.run(['launchctl', 'version']).code === null ? 'there is no launchctl' : undefined),
  install,
  uninstall,
}

function install(machine: Machine, job: Job): Plan {
  refuseControls(job.words, 'a property list')
  const path = listPath(machine)
  const files = ownFile(machine, path, propertyList(job))
  const isOn = isLoaded(machine)
  if (files.length === 0 && isOn) return { steps: [], notes: [] }
  const steps: Step[] = []
  if (isOn) steps.push(unload(machine))
  steps.push(...files, { kind: 'command', command: ['launchctl', 'bootstrap', domain(machine), path] })
  return { steps, notes: [] }
}

function uninstall(machine: Machine): Plan {
  const files = ownFileGone(machine, listPath(machine))
  if (files.length === 0) return { steps: [], notes: [] }
  return { steps: isLoaded(machine) ? [unload(machine), ...files] : files, notes: [] }
}

function listPath({ homeDir }: Machine): string {
  return join(homeDir, 'Library', 'LaunchAgents', `${label}.plist`)
}

function domain({ uid = 0 }: Machine): string {
  return `gui/${uid}`
}

function isLoaded(machine: Machine): boolean {
  return machine.run(['launchctl', 'print', `${domain(machine)}/${label}`]).code === 0
}

function unload(machine: Machine): Step {
  return { kind: 'command', command: ['launchctl', 'bootout', `${domain(machine)}/${label}`] }
}

function propertyList({ words, minutes }: Job): string {
  const list = words.map(word => `    <string>${xmlText(word)}</string>`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${fileMark} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${list}
  </array>
  <key>StartInterval</key>
  <integer>${minutes * 60}</integer>
  <key>RunAtLoad</key>
  <true/>
  <key>ProcessType</key>
  <string>Background</string>
  <key>LowPriorityIO</key>
  <true/>
  <key>Nice</key>
  <integer>10</integer>
</dict>
</plist>
`
}
