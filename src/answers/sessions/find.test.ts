import { describe, expect, test } from 'vitest'
import { ids, makeHome } from '../../../test/cli/ls-home.ts'
import { withFolder } from '../../../test/home.ts'
import type { ByteSource } from '../../model/source.ts'
import type { Clew } from '../clew.ts'
import { openClew } from '../open.ts'
import { sessionOf } from './find.ts'

/** The files whose paths contain `part` cannot be read. */
function denied(clew: Clew, part: string): Clew {
  const source = new Proxy(clew.source, {
    get: (target: ByteSource, name: keyof ByteSource) => {
      const call = target[name] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        if (String(args[0]).includes(part)) throw Object.assign(new Error('no'), { code: 'EACCES' })
        return call.apply(target, args)
      }
    },
  })
  return { ...clew, source, tree: Object.assign(Object.create(clew.tree), { source }) }
}

describe('a session whose main log cannot be read', () => {
  test('is not what its subagents say: the log is named', () =>
    withFolder(async home => {
      makeHome(home)
      const clew = await openClew({ roots: [home], home: `${home}/own`, index: false })
      await expect(sessionOf(ids.tax, clew)).resolves.toMatchObject({ id: ids.tax })
      await expect(sessionOf(ids.tax, denied(clew, `${ids.tax}.jsonl`))).rejects.toThrow(
        `${ids.tax}.jsonl: This file cannot be read (EACCES)`,
      )
    }))
})
