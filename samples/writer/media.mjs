// Draws the pictures and the one-page document that the sketches show. Bytes only, nothing is read from disk.

import { crc32 } from 'node:zlib'

const scenes = {
  // name → [sky above, sky below, disc, ground]: four colours make a small landscape.
  morning: ['#fbe3c0', '#f6b98a', '#fff6d8', '#8a5a3b'],
  coast: ['#cfe6ef', '#8fbccf', '#fff3c9', '#2f5f73'],
  evening: ['#4a3a67', '#d9798a', '#ffd9a0', '#2b2340'],
}

/** A 64 × 64 PNG of 16 colours, base64. */
export function pictureBase64(name) {
  return png(64, scenes[name] ?? scenes.morning).toString('base64')
}

function png(size, [top, low, disc, ground]) {
  const shades = Array.from({ length: 9 }, (_, step) => mix(rgb(top), rgb(low), step / 8))
  const palette = [...shades, rgb(disc), rgb(ground)]
  const rows = []
  for (let y = 0; y < size; y++) {
    rows.push(0)
    for (let x = 0; x < size; x += 2) rows.push((colourAt(x, y, size) << 4) | colourAt(x + 1, y, size))
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([4, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', stored(Buffer.from(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Index into the palette: nine shades of sky, then the disc, then the ground. */
function colourAt(x, y, size) {
  const hill = size * 0.72 + Math.round(Math.sin(x / 9) * 5 + Math.sin(x / 4.1) * 1.5)
  if (y > hill) return 10
  if (Math.hypot(x - size * 0.66, y - size * 0.36) < size * 0.15) return 9
  return Math.min(8, Math.round((y / size) * 11))
}

function mix(from, to, share) {
  return from.map((value, index) => Math.round(value + (to[index] - value) * share))
}

/** A zlib stream with one stored block: real compressors differ between versions of Node, and so would the bytes. */
function stored(data) {
  let low = 1
  let high = 0
  for (const byte of data) {
    low = (low + byte) % 65521
    high = (high + low) % 65521
  }
  const frame = Buffer.alloc(7)
  frame.set([0x78, 0x01, 1], 0)
  frame.writeUInt16LE(data.length, 3)
  frame.writeUInt16LE(~data.length & 0xffff, 5)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(((high << 16) | low) >>> 0, 0)
  return Buffer.concat([frame, data, check])
}

function rgb(hex) {
  return [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16))
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

/** A PDF of one page that says `text`, base64. */
export function documentBase64(text) {
  const stream = `BT /F1 18 Tf 40 90 Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 320 160]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = offsets.map(at => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const xref = `xref\n0 6\n0000000000 65535 f \n${table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + xref, 'latin1').toString('base64')
}
