// Long output of any command on a real terminal goes through a pager; what fits is printed as it is.

import { resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { noHome } from './capture.ts'
import { mainFile } from './run.ts'
import { Terminal } from './terminal.ts'

let open: Terminal | undefined
afterEach(() => {
  open?.close()
  open = undefined
})

function terminal(args: string, rows: number): Terminal {
  const clew = `"${process.execPath}" "${mainFile}" ${args} --root "${resolve('samples/home')}" --home "${noHome}"`
  open = new Terminal(`${clew}\necho "ended $?"`, { columns: 100, rows, env: { PAGER: 'less -R' } })
  return open
}

describe('long output on a terminal', { tags: 'tmux' }, () => {
  it.each(['ls', 'history', 'guide', 'stats', 'usage', 'tree 33c79d8c', 'check', 'grep the', 'schema session-detail'])(
    'of clew %s is paged, and messages come after it',
    async args => {
      const shown = terminal(args, 8)
      await shown.until(/^:/m)
      expect(shown.text()).not.toMatch(/ended|without an index/)
      shown.keys('q')
      await shown.until(/ended [01]/)
    },
  )

  it('is printed where it fits, with the messages below it, or where no pager is wanted', async () => {
    const text = await terminal('ls --limit 3', 20).until('ended 0')
    expect(text).toMatch(/^session.*\nTitles and times may be incomplete without an index.*\nended 0/s)
    open?.close()
    await terminal('guide --no-pager', 8).until('ended 0')
    open?.close()
    await terminal('--no-pager guide', 8).until('ended 0')
  })
})
