// Who may ask: tokens that stand in printed addresses, and the cookie that they are exchanged for. It knows nothing of
// requests but their Cookie header.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const secretBytes = 32
/** Addresses that were printed and not opened yet. */
const mostTokens = 16

export interface AccessOptions {
  /** Stands in the cookie's name: browsers send cookies to every port of a host. */
  port: number
  /** A token that somebody chose: it holds until the server ends. */
  token?: string
}

export class Access {
  private readonly cookieName: string
  private readonly cookie = secret()
  private readonly chosen: string | undefined
  private tokens: string[] = []

  constructor({ port, token }: AccessOptions) {
    this.cookieName = `clew-${port}`
    this.chosen = token
  }

  /** A token for an address: the chosen one, else a new one that works once. */
  newToken(): string {
    if (this.chosen !== undefined) return this.chosen
    const token = secret()
    this.tokens = [...this.tokens, token].slice(-mostTokens)
    return token
  }

  /** The Set-Cookie line that a token is worth; null where it is none, or not any more. */
  exchange(token: string): string | null {
    const found = this.tokens.filter(one => isSame(one, token))
    const isChosen = this.chosen !== undefined && isSame(this.chosen, token)
    if (found.length === 0 && !isChosen) return null
    this.tokens = this.tokens.filter(one => !found.includes(one))
    return `${this.cookieName}=${this.cookie}; HttpOnly; SameSite=Strict; Path=/`
  }

  isAllowed(cookies: string | undefined): boolean {
    let isFound = false
    for (const part of (cookies ?? '').split(';')) {
      const cut = part.indexOf('=')
      if (part.slice(0, cut).trim() !== this.cookieName) continue
      isFound = isSame(this.cookie, part.slice(cut + 1).trim()) || isFound
    }
    return isFound
  }
}

function secret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** Takes as long whatever the difference: what is compared are hashes. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

/** What is wrong with a chosen token, in words; undefined where it is as good as a random one of 128 bits may be. */
export function tokenFault(token: string): string | undefined {
  if (!/^[\w.~-]*$/.test(token)) return 'a token has letters, digits and . _ ~ - only'
  if (token.length < 22) return 'a token has at least 22 characters'
  if (token.length > 200) return 'a token has at most 200 characters'
  return new Set(token).size < 10 ? 'a token has at least 10 different characters' : undefined
}
