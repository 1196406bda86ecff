// The API as far as Claude Code needs it for a short answer: it says one text, and remembers what was sent.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeApi {
  url: string
  /** The messages of each request with tools, as JSON. */
  sent: string[]
  close(): void
}

export async function startApi(said: string): Promise<FakeApi> {
  const sent: string[] = []
  let count = 0
  const server = createServer((request, response) => {
    void bodyOf(request).then(body => {
      const url = request.url ?? ''
      if (url.includes('count_tokens')) return response.end('{"input_tokens":10}')
      if (!url.includes('/v1/messages')) return response.writeHead(404).end('{}')
      // Titles and summaries are asked for without tools.
      if (body.tools !== undefined && body.tools.length > 2) sent.push(JSON.stringify(body.messages))
      const message = messageOf(`msg_${count++}`)
      if (body.stream !== true)
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ...message, content: [{ type: 'text', text: said }], stop_reason: 'end_turn' }))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of eventsOf(message, said))
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      return response.end()
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, sent, close: () => server.close() }
}

async function bodyOf(request: IncomingMessage): Promise<{ tools?: unknown[]; messages?: unknown; stream?: boolean }> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  try {
    return JSON.parse(Buffer.concat(parts).toString())
  } catch {
    return {}
  }
}

function messageOf(id: string) {
  const usage = { input_tokens: 10, output_tokens: 2, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const facts = { stop_reason: null, stop_sequence: null, usage }
  return { id, type: 'message', role: 'assistant', model: 'claude-opus-5', content: [], ...facts }
}

function eventsOf(message: ReturnType<typeof messageOf>, text: string) {
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
}
