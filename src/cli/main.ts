// The command line's entry. It answers `--version` by itself, since that should cost no more than Node does, passes a plain
// `statusline` to a file of its own, and all else on.

import { existsSync } from 'node:fs'
import pkg from '../../package.json' with { type: 'json' }

const argv = process.argv.slice(2)
// A file of its own: Claude Code calls it again and again, and starting is most of what it costs.
const quick = new URL('./statusline-quick.js', import.meta.url)

async function start(): Promise<void> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${pkg.version}\n`)
  } else if (argv.length === 1 && argv[0] === 'statusline' && existsSync(quick)) {
    const { printStatus }: typeof import('./statusline/quick.ts') = await import(quick.href)
    await printStatus()
  } else {
    const { runProgram } = await import('./program.ts')
    await runProgram(argv, pkg.version)
  }
}

/** Without it, Node ends with exit code 13 and no word where all work has ended but what a command waits for never comes. */
function noteNeverDone(): void {
  process.stderr.write('clew: the command stopped before it was done: something that it waited for did not come\n')
  process.exitCode = 2
}

process.once('beforeExit', noteNeverDone)
try {
  await start()
} catch (error) {
  // Commands answer for their own errors: this is one of a file of Clew's that cannot be read.
  process.stderr.write(`clew: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
} finally {
  process.off('beforeExit', noteNeverDone)
}
