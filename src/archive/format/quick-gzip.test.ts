import { gunzipSync } from 'node:zlib'
import { afterEach, expect, it, vi } from 'vitest'
import { largestFrame } from './layout.ts'
import { quickGzip } from './quick-gzip.ts'

const line = (at: number) => `{"type":"user","uuid":"${(at * 7919).toString(36)}","message":{"content":"text ${at}"}}\n`
const frame = Buffer.from(Array.from({ length: 3000 }, (_, at) => line(at)).join(''))

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** From so much on it does not leave it to zlib any more. */
function makeReady(): void {
  for (let n = 0; n < 4; n++) quickGzip(Buffer.alloc(largestFrame, 'record '))
}

it('leaves the first frames to zlib, which gives the same form', () => {
  const first = quickGzip(frame)
  expect([...first.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])
  expect(gunzipSync(first).equals(frame)).toBe(true)
  makeReady()
  expect(quickGzip(frame).equals(first)).toBe(false)
})

it('gives a gzip member that holds the frame', () => {
  makeReady()
  for (const raw of [Buffer.alloc(0), Buffer.from('a'), frame, Buffer.alloc(largestFrame, 'record ')]) {
    expect(gunzipSync(quickGzip(raw)).equals(raw)).toBe(true)
  }
  expect(quickGzip(frame).length).toBeLessThan(frame.length / 3)
})

it('tells no time and no system, so that equal frames give equal members', () => {
  const member = quickGzip(frame)
  expect([...member.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])
  expect(quickGzip(Buffer.from(frame)).equals(member)).toBe(true)
})

it('gives members that can be put behind each other', () => {
  const both = Buffer.concat([quickGzip(frame), quickGzip(Buffer.from('end'))])
  expect(gunzipSync(both).equals(Buffer.concat([frame, Buffer.from('end')]))).toBe(true)
})

it('uses the room that it is given, where that is enough', () => {
  makeReady()
  const room = new Uint8Array(largestFrame)
  const member = quickGzip(frame, room)
  expect(member.buffer).toBe(room.buffer)
  expect(member.equals(quickGzip(frame))).toBe(true)
  expect(gunzipSync(quickGzip(frame, new Uint8Array(100))).equals(frame)).toBe(true)
})

it('takes views that begin anywhere in their memory', () => {
  const view = frame.subarray(13, 70_001)
  expect(gunzipSync(quickGzip(view)).equals(view)).toBe(true)
})

it('takes more than a frame, too', () => {
  const large = Buffer.alloc(largestFrame + 1, 'x')
  expect(gunzipSync(quickGzip(large)).equals(large)).toBe(true)
})

it('holds the same content without WebAssembly', async () => {
  vi.resetModules()
  vi.stubGlobal('WebAssembly', undefined)
  const plain = await import('./quick-gzip.ts')
  for (const raw of [Buffer.alloc(0), Buffer.from('a'), frame]) {
    expect(gunzipSync(plain.quickGzip(raw)).equals(raw)).toBe(true)
  }
})
