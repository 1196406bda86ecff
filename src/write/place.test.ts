import { describe, expect, test } from 'vitest'
import { agentFilePath, agentMetaPath, homeOf, projectFolder, sessionFileName } from './place.ts'

describe('the place of a session', () => {
  test('is a folder called after its directory, as each dialect has it', () => {
    const folder = (dialect: Parameters<typeof projectFolder>[2]) => projectFolder('/h', '/home/m.k/a_b', dialect)
    expect(folder('real')).toBe('/h/projects/-home-m-k-a-b')
    expect(folder('s1')).toBe('/h/projects/-home-m-k-a-b')
    expect(folder('s2')).toBe('/h/projects/-home-m.k-a_b')
    expect(folder('s3')).toBe('/h/projects/-home-m.k-a_b')
    expect(folder('s4')).toBe('/h/projects/-home-m.k-a_b')
    expect(folder('s0')).toBe('/h/conversations/_home_m.k_a_b')
  })

  test('has a short name for a long directory, and another for a directory that begins like it', () => {
    const long = `/home/${'a'.repeat(300)}`
    const name = projectFolder('/h', long, 'real').slice('/h/projects/'.length)
    expect(name.startsWith(`-home-${'a'.repeat(194)}-`)).toBe(true)
    expect(name.length).toBeLessThan(220)
    expect(projectFolder('/h', `${long}b`, 'real')).not.toBe(projectFolder('/h', long, 'real'))
  })

  test('is never outside of the home', () => {
    for (const cwd of ['..', '.', 'a\0b', ''])
      expect(() => projectFolder('/h', cwd, 's2')).toThrow(expect.objectContaining({ code: 'bad-input' }))
    for (const session of ['../x', 'a/b', '.', '']) expect(() => sessionFileName('s0', session, 0)).toThrow()
  })

  test('has a file called after the session, or after its time', () => {
    const session = '11111111-1111-4111-8111-111111111111'
    expect(sessionFileName('real', session, 0)).toBe(`${session}.jsonl`)
    expect(sessionFileName('s3', session, 0)).toBe('1970-01-01T00-00-00-000Z-11111111.jsonl')
    const agent = agentFilePath(`/h/projects/-p/${session}.jsonl`, 'a1')
    expect(agent).toBe(`/h/projects/-p/${session}/subagents/agent-a1.jsonl`)
    expect(agentMetaPath(agent)).toBe(`/h/projects/-p/${session}/subagents/agent-a1.meta.json`)
    expect(homeOf(`/h/projects/-p/${session}.jsonl`)).toBe('/h')
    expect(homeOf(`/tmp/${session}.jsonl`)).toBe(null)
  })
})
