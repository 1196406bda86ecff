// `name      text`, as the lines of a status: the text wraps beside its name and never reaches below it.

import { columnsOf } from '../../base/width.ts'

const nameColumns = 12

/** The text must be escaped where it comes from outside. */
export function* wrappedFact(name: string, text: string, width: number): Generator<string> {
  const room = Math.max(20, width - nameColumns)
  let line = ''
  let label = name.padEnd(nameColumns)
  for (const word of text.split(' ')) {
    if (line !== '' && columnsOf(line) + 1 + columnsOf(word) > room) {
      yield label + line
      label = ' '.repeat(nameColumns)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  yield label + line
}
