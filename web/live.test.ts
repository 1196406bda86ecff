import { describe, expect, it } from 'vitest'
import { readMessage } from './live.ts'

describe('readMessage', () => {
  it('gives a message the type that its line had', () => {
    expect(readMessage('grown', '{"session":"s","threads":{"s":9},"type":"other"}')).toEqual({
      type: 'grown',
      session: 's',
      threads: { s: 9 },
    })
    expect(readMessage('ping', '')).toEqual({ type: 'ping' })
  })

  it('gives nothing for what is not a message', () => {
    expect(readMessage('list', '{"version":')).toBeUndefined()
    expect(readMessage('list', 'null')).toBeUndefined()
  })
})
