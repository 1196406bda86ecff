// Names and numbers of the archive's format: which file is where in its folder. docs/archive.md describes it for people; the
// content of the files is decided in `lines.ts`, `manifest.ts` and `pack.ts`.

import { join } from 'node:path'

/**
 * Written into the head of every segment; a reader refuses a higher one. 1: frames are gzip members in `.gz` packs. 2: new
 * frames are brotli streams in `.br` packs, and `.gz` packs may still be there.
 */
export const formatVersion = 2

/** The most raw bytes that one frame has. */
export const largestFrame = 1024 * 1024

/** A pack is closed once it is this long. */
export const packBytes = 64 * 1024 * 1024

export interface Layout {
  /** The archive's own folder. */
  folder: string
  packs: string
  manifest: string
  seen: string
  /** `known.json`, which versions of format 1 wrote next to the manifest; it is removed. */
  known: string
  readme: string
}

/** Where the archive of a Clew home is. */
export function archiveFolder(home: string): string {
  return join(home, 'archive')
}

export function layoutOf(folder: string): Layout {
  return {
    folder,
    packs: join(folder, 'packs'),
    manifest: join(folder, 'manifest'),
    seen: join(folder, 'seen.tsv'),
    known: join(folder, 'known.json'),
    readme: join(folder, 'README.txt'),
  }
}

/** `0a1b….br`: by the hash of its content. The ending says how its frames are compressed: `gz` in archives of format 1. */
export function packName(sha256: string, ending: 'br' | 'gz' = 'br'): string {
  return `${sha256.slice(0, 32)}.${ending}`
}

const packPattern = /^[0-9a-f]{32}\.(br|gz)$/

export function isPackName(name: string): boolean {
  return packPattern.test(name)
}

/** Whether the frames of a pack are gzip members, not brotli streams. */
export function isGzipPack(name: string): boolean {
  return name.endsWith('.gz')
}

/** Whether a pack's name is that of its content. */
export function isNamedByHash(name: string, sha256: string): boolean {
  return name === packName(sha256, isGzipPack(name) ? 'gz' : 'br')
}

/** `00000012.jsonl`: segments are read in the order of their numbers. */
export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.jsonl`
}

/** The number of a segment's name; null for any other name. */
export function segmentNumber(name: string): number | null {
  const found = /^(\d{8,15})\.jsonl$/.exec(name)
  return found === null ? null : Number(found[1])
}

export const readmeText = `This folder is an archive of Claude Code session logs, written by Clew.

manifest/*.jsonl  what is archived, one JSON object per line. Read the files in the order of their names; one whose
                  first line has "base":true replaces all before it.
    {"frame":F,"pack":P,"at":A,"stored":S,"bytes":B}   frame F is S bytes of packs/P from byte A. It decompresses
                  to B bytes, whose SHA-256 is F.
    {"generation":G,"home":H,"path":P,"size":S,"from":O,"frames":[F,...]}   file P of the Claude home H: from byte O
                  on it is these frames, one after the other. A later line of the same G continues it at its own "from".
packs/*.br        frames, one after the other: independent brotli streams (RFC 7932), at most 1 MiB each.
packs/*.gz        the same as gzip members (RFC 1952), written by older versions.
seen.tsv          which files were unchanged at the last run; it may be deleted.

docs/archive.md of Clew describes all of it and has a short program that restores the files with nothing but Node.js.
`

/** SHA-256 of what earlier versions wrote there. */
export const earlierReadmes: ReadonlySet<string> = new Set([
  'dca9378fcff5126fed5f15cbaffe4a8fc7cc4940168246a5a39f3fb84d1567a6',
])
