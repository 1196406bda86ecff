// Names and numbers of the archive's format: what lies where in its folder. docs/archive.md describes it for people; what
// stands in the files is decided in `lines`, `manifest` and `pack`.

import { join } from 'node:path'

/** Written into the head of every segment; a reader refuses a higher one. */
export const formatVersion = 1

/** The most raw bytes that one frame holds. */
export const largestFrame = 1024 * 1024

/** A pack is closed once it is this long. */
export const packBytes = 64 * 1024 * 1024

export interface Layout {
  /** The archive's own folder. */
  folder: string
  packs: string
  manifest: string
  seen: string
  known: string
  readme: string
}

/** Where the archive of a Clew home lies. */
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

/** `0a1b….gz`: by the hash of its content. */
export function packName(sha256: string): string {
  return `${sha256.slice(0, 32)}.gz`
}

const packPattern = /^[0-9a-f]{32}\.gz$/

export function isPackName(name: string): boolean {
  return packPattern.test(name)
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

export const readmeText = `This folder is an archive of Claude Code session logs, kept by Clew.

manifest/*.jsonl  what is kept, one JSON object a line. Read the files in the order of their names; one whose
                  first line says "base":true replaces all before it.
    {"frame":F,"pack":P,"at":A,"stored":S,"bytes":B}   frame F is S bytes of packs/P from byte A: a gzip member
                  that unpacks to B bytes, whose SHA-256 is F.
    {"generation":G,"home":H,"path":P,"size":S,"from":O,"frames":[F,...]}   file P of the Claude home H: from byte O
                  on it is these frames, one after the other. A later line of the same G continues it at its own "from".
packs/*.gz        frames, back to back: independent gzip members, at most 1 MiB each when unpacked.
seen.tsv          which files were unchanged at the last run; it may be deleted.
known.json        what the manifest says, once more, to be read quickly; it may be deleted.

docs/archive.md of Clew describes all of it and has a short program that restores the files with nothing but Python.
`
