// The command line's entry. It answers `--version` by itself, since that should cost no more than Node does, and hands all
// else on.

import pkg from '../../package.json' with { type: 'json' }

const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${pkg.version}\n`)
} else {
  const { runProgram } = await import('./program.ts')
  await runProgram(argv, pkg.version)
}
