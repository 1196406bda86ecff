// `npm start`: builds when dist is missing or old, then runs the command line tool with the arguments it was given.

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
const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
child.on('close', (code, signal) => {
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
})
