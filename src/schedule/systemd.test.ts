import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execLine } from './systemd.ts'

describe('execLine', () => {
  it.each([
    [['/usr/bin/node', 'run', '--quiet'], '"/usr/bin/node" run --quiet'],
    [['/a b', '/c d'], '"/a b" "/c d"'],
    [['/a', '100%', '%h'], '"/a" "100%%" "%%h"'],
    [['/a', 'say "x"', 'back\\slash'], '"/a" "say \\"x\\"" "back\\\\slash"'],
    [['/a$b', '$HOME $x'], '"/a$b" "$$HOME $$x"'],
    [["/it's", 'x'], `"/bin/sh" -c "exec \\"$$0\\" \\"$$@\\"" "/it's" x`],
    [['/a', 'line\nend\t\u007f'], '"/a" "line\\x0aend\\x09\\x7f"'],
    [['/a', "it's", ';', 'ü', ''], '"/a" "it\'s" ";" "ü" ""'],
  ])('writes %j as systemd reads it', (words, line) => {
    expect(execLine(words)).toBe(line)
  })

  it('names programs that systemd itself finds', { tags: 'systemd' }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'clew-systemd-'))
    try {
      for (const [index, name] of [
        'a b',
        '50% off %h',
        'q"uo\'te',
        'back\\slash',
        '$HOME',
        'ünï 丸',
        'tab\there',
      ].entries()) {
        const program = join(folder, name, 'node')
        mkdirSync(dirname(program))
        writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
        const unit = join(folder, `clew${index}.service`)
        writeFileSync(unit, `[Service]\nType=oneshot\nExecStart=${execLine([program, name])}\n`)
        const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
        expect(stderr.split('\n').filter(line => line.includes(`clew${index}.service`))).toEqual([])
      }
      const unit = join(folder, 'clew-none.service')
      writeFileSync(unit, `[Service]\nType=oneshot\nExecStart=${execLine([join(folder, 'missing')])}\n`)
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
      expect(stderr).toContain('missing')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
