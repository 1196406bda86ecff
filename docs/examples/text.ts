// Decodes a text that is at hand, as in a browser: no file, no Node.
import { decodeText } from 'clew/decode'

const text = [
  '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":"Hello"}}',
  '{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s","timestamp":"2026-01-02T03:04:07Z","message":{"role":"assistant","content":[{"type":"text","text":"Hi."}]}}',
  '{"type":"user","uuid":"u3","parentU',
].join('\n')

const { records, events } = decodeText(text, { file: 'pasted' })
for (const record of records) console.log(record.line, record.dialect, record.type, record.status)
for (const event of events) console.log(event.kind, event.actor, event.id)
