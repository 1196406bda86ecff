import { describe, expect, it } from 'vitest'
import { Projects } from './projects.ts'

const at = (slug: string, cwd: string | null) => ({ slug, cwd })

describe('a project', () => {
  it('is the directory that its folder is named after, wherever in it a session began', () => {
    const below = at('-home-mira-shop', '/home/mira/shop/web/src')
    const projects = new Projects([below, at('-home-mira-shop', '/home/mira/shop')])
    expect(projects.of(below)).toMatchObject({ path: '/home/mira/shop', name: 'shop' })
    expect(new Projects([below]).of(below)).toMatchObject({ path: '/home/mira/shop', name: 'shop' })
    expect(projects.size).toBe(1)
  })

  it('is the directory that most sessions are in where the folder has a name of its own', () => {
    const sessions = ['/w/app', '/w/app/src', '/w/app/src', '/w/other'].map(cwd => at('published', cwd))
    expect(new Projects(sessions).of(at('published', null))).toMatchObject({ path: '/w/app', name: 'app' })
  })

  it('is the own directory of a session that was put into the folder of another one', () => {
    const [till, moved] = [at('-w-shop', '/w/shop'), at('-w-shop', '/w/menu')]
    const there = at('-w-menu', '/w/menu')
    for (const all of [
      [till, moved],
      [moved, till, there],
    ])
      expect(new Projects(all).of(moved)).toMatchObject({ path: '/w/menu', name: 'menu' })
    expect(new Projects([till, moved, there]).size).toBe(2)
    const drive = at('C--shop', 'c:\\shop')
    expect(new Projects([at('C--shop', 'C:\\shop'), drive]).of(drive).path).toBe('C:\\shop')
  })

  it('has the name of its folder where no record names a directory', () => {
    expect(new Projects([at('-home-mira-x', null)]).of(at('-home-mira-x', null))).toMatchObject({
      path: null,
      name: '-home-mira-x',
    })
  })

  it('is distinguished from others of its name by the directories above', () => {
    const paths = ['/home/mira/work/graph', '/home/mira/play/graph', '/home/mira/map', '/a/x/map', '/b/x/map']
    const projects = new Projects(paths.map(path => at(path.replaceAll('/', '-'), path)))
    expect(paths.map(path => projects.nameOf(path))).toEqual([
      'graph (work)',
      'graph (play)',
      'map (mira)',
      'map (a/x)',
      'map (b/x)',
    ])
  })

  it('is never a number alone', () => {
    const projects = new Projects([at('-tmp-run-1', '/tmp/run/1'), at('-tmp-run-2', '/tmp/run/2')])
    expect([projects.nameOf('/tmp/run/1'), projects.nameOf('/tmp/run/2')]).toEqual(['run/1', 'run/2'])
  })

  it('may be a path of Windows', () => {
    const cwd = 'C:\\Users\\Mira\\shop\\src'
    expect(new Projects([at('C--Users-Mira-shop', cwd)]).of(at('C--Users-Mira-shop', cwd))).toMatchObject({
      path: 'C:\\Users\\Mira\\shop',
      name: 'shop',
    })
  })
})

describe('a text that names a project', () => {
  const isMeant = (cwd: string, text: string) => new Projects([]).isMeant(at('-s-l-u-g', cwd), text)

  it('is any part of the directory or of the project folder, with slashes of either kind', () => {
    expect(isMeant('/home/mira/Shop', 'shop')).toBe(true)
    expect(isMeant('C:\\Users\\mira\\shop', 'mira/shop')).toBe(true)
    expect(isMeant('/home/mira/shop', 'l-u')).toBe(true)
    expect(isMeant('/home/mira/shop', 'till')).toBe(false)
  })

  it('is that folder and all below it where it is a whole path with a slash at its end', () => {
    expect(isMeant('/home/mira/shop', '/home/mira/shop/')).toBe(true)
    expect(isMeant('/home/mira/shop/web', '/home/mira/shop/')).toBe(true)
    expect(isMeant('/home/mira/shopping', '/home/mira/shop/')).toBe(false)
  })

  it('may be the name that lists show', () => {
    expect(isMeant('/home/mira/work/shop', 'shop (work)')).toBe(true)
    expect(isMeant('C:\\work\\shop\\src', 'Shop (work)')).toBe(true)
    expect(isMeant('/home/mira/play/shop', 'shop (work)')).toBe(false)
    expect(isMeant('/home/mira/homework/shopping', 'shop (work)')).toBe(false)
    expect(isMeant('/home/mira/shop (work)', 'shop (work)')).toBe(true)
  })

  it('may be that name also where the session itself names no directory, not where it names one elsewhere', () => {
    const [cart, lost, away] = [at('-w-shop', '/w/shop'), at('-w-shop', null), at('-w-shop', '/tmp/elsewhere')]
    const other = at('-p-shop', '/p/shop')
    const projects = new Projects([cart, lost, away, other])
    const meant = (text: string) => [cart, lost, away, other].map(one => projects.isMeant(one, text))
    for (const text of ['shop (w)', 'Shop (W)', '/w/shop', '/w/shop/', '=/w/shop'])
      expect(meant(text), text).toEqual([true, true, false, false])
    // The folder's own name means all that is in it.
    for (const text of ['=-w-shop', '-w-shop']) expect(meant(text), text).toEqual([true, true, true, false])
  })
})
