// The command that takes back files which were written where nothing was.

import { posixQuote, powershellQuote } from '../base/shell-quote.ts'

export function removal(paths: readonly string[]): string {
  if (process.platform === 'win32') return `Remove-Item -Recurse ${paths.map(powershellQuote).join(', ')}`
  return `rm -r ${paths.map(posixQuote).join(' ')}`
}
