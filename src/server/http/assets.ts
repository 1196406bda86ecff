// The files of the web app, read once at the start: what is asked for is looked up among them, and no path is ever made from
// an address.

import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { type HttpAnswer, textAnswer } from './answer.ts'
import { etagOf, isText, type Packing, pack, packingOf } from './send.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

/** Addresses that the app draws itself. */
const appPaths = /^\/(?:search|usage|keeping|s\/[^/]{1,600}(?:\/(?:map|context|files))?)?$/

interface Asset {
  bytes: Buffer
  headers: Record<string, string>
  packed: Map<Packing, Promise<Buffer>>
}

export class Assets {
  private readonly byPath: ReadonlyMap<string, Asset>

  private constructor(byPath: ReadonlyMap<string, Asset>) {
    this.byPath = byPath
  }

  /** `folder`: null where the app was never built; then there is a page that says so. */
  static async read(folder: string | null): Promise<Assets> {
    if (folder === null) return new Assets(new Map())
    const names = [...(await namesIn(folder, '')), ...(await namesIn(folder, 'assets/'))]
    const read = names.map(async name => [`/${name}`, await readAsset(folder, name)] as const)
    return new Assets(new Map(await Promise.all(read)))
  }

  /** The file of a path; null where the app has none. */
  async answer(path: string, accepted: string | undefined): Promise<HttpAnswer | null> {
    const isPage = appPaths.test(path)
    if (isPage && this.byPath.size === 0)
      return textAnswer(404, 'The app is not built here.\n\nnpm run build makes it.')
    const asset = this.byPath.get(isPage ? '/index.html' : path)
    if (asset === undefined) return null
    const { bytes, headers, packed } = asset
    const packing = isText(headers['Content-Type']) ? packingOf(accepted) : null
    if (packing === null) return { status: 200, headers, body: bytes, isCacheable: true }
    const small = packed.get(packing) ?? pack(bytes, packing, false)
    packed.set(packing, small)
    const body = await small
    return { status: 200, headers: { ...headers, 'Content-Encoding': packing }, body, isCacheable: true }
  }
}

/** Plain files alone: a link may lead out of the folder. */
async function namesIn(folder: string, below: string): Promise<string[]> {
  try {
    const entries = await readdir(join(folder, below), { withFileTypes: true })
    return entries.filter(entry => entry.isFile() && extname(entry.name) in types).map(entry => below + entry.name)
  } catch {
    return []
  }
}

async function readAsset(folder: string, name: string): Promise<Asset> {
  const bytes = await readFile(join(folder, name))
  // Those in assets carry a hash of their content in their name.
  const isForever = name.startsWith('assets/')
  const headers = {
    'Content-Type': types[extname(name)] ?? 'application/octet-stream',
    'Cache-Control': isForever ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    ETag: etagOf(bytes),
  }
  return { bytes, headers, packed: new Map() }
}
