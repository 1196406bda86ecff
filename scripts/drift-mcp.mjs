// A small MCP server on standard input and output, for the drift watch: its tools give a text, a picture, an error, a long
// text and structured content; it has one resource. It knows nothing of sessions.

import { createInterface } from 'node:readline'

const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const results = {
  echo: input => ({ content: [{ type: 'text', text: `You said ${input.say}.` }] }),
  picture: () => ({ content: [{ type: 'image', data: picture, mimeType: 'image/png' }] }),
  fail: () => ({ isError: true, content: [{ type: 'text', text: 'It did not work.' }] }),
  long: () => ({ content: [{ type: 'text', text: 'A long line about pears.\n'.repeat(8000) }] }),
  structured: () => ({ content: [{ type: 'text', text: '{"pears":3}' }], structuredContent: { pears: 3 } }),
}
const answers = {
  initialize: params => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'garden', version: '1.0.0' },
    instructions: 'Ask the garden about plants.',
  }),
  'tools/list': () => ({
    tools: Object.keys(results).map(name => ({
      name,
      description: `Answers with ${name}`,
      inputSchema: { type: 'object', properties: { say: { type: 'string' } } },
    })),
  }),
  'tools/call': params => results[params.name](params.arguments ?? {}),
  'resources/list': () => ({ resources: [{ uri: 'garden://bed', name: 'bed', mimeType: 'text/plain' }] }),
  'resources/read': params => ({ contents: [{ uri: params.uri, mimeType: 'text/plain', text: 'A bed of tulips.' }] }),
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]?.(params ?? {})
  const reply = result === undefined ? { error: { code: -32601, message: 'unknown method' } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`)
})
