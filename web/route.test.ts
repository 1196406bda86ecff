import { describe, expect, it } from 'vitest'
import { hrefOf, type Route, readRoute } from './route.ts'

const read = (path: string) => readRoute(new URL(path, 'http://127.0.0.1:4000'))

describe('readRoute', () => {
  it('knows every screen by its address', () => {
    const screens = ['/', '/search', '/usage', '/archive', '/s/a', '/s/a/map', '/s/a/context', '/s/a/files']
    expect(screens.map(path => read(path).screen)).toEqual([
      'home',
      'search',
      'usage',
      'archive',
      'transcript',
      'map',
      'context',
      'files',
    ])
  })

  it('takes session and query out of the address', () => {
    expect(read('/s/3f2a%2Fx/map?from=10&to=2%200')).toEqual({
      screen: 'map',
      session: '3f2a/x',
      query: { from: '10', to: '2 0' },
    })
  })

  it('shows home for an address that means nothing', () => {
    for (const path of ['/nothing', '/s/', '/s', '/search/deeper', '/constructor', '/s/a/b/c']) {
      expect(read(path).screen, path).toBe('home')
    }
  })

  it('shows the transcript for a screen of a session that there is not', () => {
    expect(read('/s/a/toString')).toEqual({ screen: 'transcript', session: 'a', query: {} })
  })

  it('keeps a part that is not encoded well as it is written', () => {
    expect(read('/s/50%').session).toBe('50%')
  })
})

describe('hrefOf', () => {
  it('leaves out what is empty in the query', () => {
    expect(hrefOf({ screen: 'home', query: { project: '', is: 'live' } })).toBe('/?is=live')
    expect(hrefOf({ screen: 'home', query: { project: '' } })).toBe('/')
  })

  it('gives an address that is read back as the same route', () => {
    const routes: Route[] = [
      { screen: 'home', query: { project: '/home/mira/a b', text: 'é&=#?' } },
      { screen: 'transcript', session: '../..%2f', query: { event: 'a~2' } },
      { screen: 'files', session: 'x y', query: { file: '3' } },
      { screen: 'search', query: { q: 'tool:Bash "a b"' } },
    ]
    for (const route of routes) expect(read(hrefOf(route))).toEqual(route)
  })
})
