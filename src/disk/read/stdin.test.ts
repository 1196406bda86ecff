import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { streamFile, streamGeneration, streamSource } from './read.ts'

async function textOf(source: ReturnType<typeof streamSource>, from = 0, to = Number.POSITIVE_INFINITY) {
  let text = ''
  for await (const chunk of source.read(streamGeneration, from, to)) text += Buffer.from(chunk).toString()
  return text
}

it('gives the bytes of a stream in order, whether it speaks in buffers or in text', async () => {
  expect(await textOf(streamSource(Readable.from([Buffer.from('{"a"'), Buffer.from(':1}\n')])))).toBe('{"a":1}\n')
  expect(await textOf(streamSource(Readable.from(['é', 'ß'])))).toBe('éß')
  expect(await textOf(streamSource(Readable.from([])))).toBe('')
})

it('stops at the wanted end and lets the stream go', async () => {
  const stream = Readable.from([Buffer.from('abc'), Buffer.from('def'), Buffer.from('ghi')])
  expect(await textOf(streamSource(stream), 0, 4)).toBe('abcd')
  expect(stream.destroyed).toBe(true)
})

it('refuses a second pass, a start other than the first byte, and what cannot wait', async () => {
  const source = streamSource(Readable.from([Buffer.from('abc')]))
  expect(() => source.readSync(streamGeneration, 0, 1)).toThrow('ESPIPE')
  await expect(textOf(source, 1)).rejects.toMatchObject({ code: 'ESPIPE' })
  expect(await textOf(source)).toBe('abc')
  await expect(textOf(source)).rejects.toMatchObject({ code: 'ESPIPE', path: '-' })
})

it('says where the stream broke off', async () => {
  const stream = Readable.from(
    (function* () {
      yield Buffer.from('abc')
      throw Object.assign(new Error('gone'), { code: 'EIO' })
    })(),
  )
  await expect(textOf(streamSource(stream))).rejects.toMatchObject({ name: 'ReadError', code: 'EIO', offset: 3 })
})

it('represents a session file called -', () => {
  expect(streamFile()).toMatchObject({ path: '-', role: 'session', generation: streamGeneration })
})
