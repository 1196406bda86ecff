// `npm start`: builds when dist is missing or old, then opens the web app, or runs the command that it was given.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { build, isStale } from './build.mjs'
import { projectRoot } from './source.mjs'

if (isStale()) {
  console.error('building …')
  await build()
}
const main = join(projectRoot, 'dist/cli/main.js')
const given = process.argv.slice(2)
const child = spawn(process.execPath, [main, ...(given.length > 0 ? given : ['serve'])], { stdio: 'inherit' })
// The command ends in its own way: a terminal sends Ctrl-C to it too, other signals are handed on.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('close', (code, signal) => {
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
})
