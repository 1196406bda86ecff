import { describe, expect, it } from 'vitest'
import { commands } from './commands.ts'
import { withExclusions } from './exclusions.ts'
import { globalOptions } from './options.ts'

const read = (line: string) => withExclusions(line.split(' '), commands, globalOptions).join(' ')

describe('words of a query that begin with a minus', () => {
  it('are behind the flags, in their order', () => {
    expect(read('search hello -world')).toBe('search -- hello -world')
    expect(read('search hello -tool:Bash there --flat -n 3')).toBe('search --flat -n 3 -- hello -tool:Bash there')
    expect(read('find -draft hello')).toBe('find -- -draft hello')
  })

  it('are words also where they begin like a flag', () => {
    expect(read('search -quick -name -help -n5 -q -h')).toBe('search -n5 -q -h -- -quick -name -help')
  })

  it('may follow global flags, and `--`', () => {
    expect(read('--root search search a -b --json')).toBe('--root search search --json -- a -b')
    expect(read('search a -- --flat -b')).toBe('search -- a --flat -b')
  })

  it('are no concern of other commands', () => {
    expect(read('grep -i a -x')).toBe('grep -i a -x')
    expect(withExclusions([], commands, globalOptions)).toEqual([])
  })

  it('leave unknown long flags to the parser', () => {
    expect(read('search a --flt')).toBe('search --flt -- a')
  })
})
