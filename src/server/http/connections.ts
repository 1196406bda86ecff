// Which connections stay open where there are too many. Those that have sent a request with the cookie have places of their
// own; of the others the one that was opened first goes. Requests are read in server.ts.

import type { Socket } from 'node:net'

/** A new connection has sent no cookie yet: it stays until so many others were opened after it. */
const mostUnsigned = 192
/** More than there are event streams and what browsers open for a few pages. */
const mostSigned = 128

export class Connections {
  /** In the order in which they were opened. */
  private readonly unsigned = new Set<Socket>()
  /** In the order of their last requests. */
  private readonly signed = new Set<Socket>()

  add(socket: Socket): void {
    socket.once('close', () => this.forget(socket))
    place(socket, this.unsigned, mostUnsigned)
  }

  /** It has sent the cookie. */
  sign(socket: Socket): void {
    if (socket.destroyed) return
    this.forget(socket)
    place(socket, this.signed, mostSigned)
  }

  private forget(socket: Socket): void {
    this.unsigned.delete(socket)
    this.signed.delete(socket)
  }
}

/** The newest last; the oldest leave. */
function place(socket: Socket, sockets: Set<Socket>, most: number): void {
  sockets.add(socket)
  for (const oldest of sockets) {
    if (sockets.size <= most) return
    sockets.delete(oldest)
    oldest.destroy()
  }
}
