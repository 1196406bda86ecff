// Asks yes or no. Without a terminal the answer is no.

import { createInterface } from 'node:readline'
import { flush } from './output.ts'

/** Whether there is a terminal to ask on. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** One line from the terminal: `y` or `yes` is a yes; anything else, Ctrl-C, Ctrl-D and no terminal are a no. */
export async function confirm(question: string): Promise<boolean> {
  if (!canAsk()) return false
  // What the question is about must be on the screen before it.
  await flush()
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise(answer => {
    let isYes = false
    let isAnswered = false
    lines.on('close', () => {
      if (!isAnswered) process.stderr.write('\n')
      answer(isYes)
    })
    lines.on('SIGINT', () => lines.close())
    lines.question(`${question} `, text => {
      isAnswered = true
      isYes = /^\s*y(es)?\s*$/i.test(text)
      lines.close()
    })
  })
}
