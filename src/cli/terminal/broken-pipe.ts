// What happens when whoever reads the output goes away: nothing, since that is success. Help is printed before anything else is
// loaded, so this stands by itself.

let isClosed = false

process.stdout.on('error', error => {
  isClosed = true
  const code = 'code' in error ? error.code : error.message
  if (code === 'EPIPE') return
  process.stderr.write(`clew: the output cannot be written (${code})\n`)
  process.exit(2)
})

/** Whether the reader has gone; a command may stop then. */
export function isOutputClosed(): boolean {
  return isClosed
}
