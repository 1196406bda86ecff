// Tells by the first bytes of a file by which tool it was packed, for those that Clew does not unpack itself, and says
// how to unpack it. Gzip is not among them.

interface Packer {
  name: string
  /** First bytes, in hexadecimal; dots stand for any byte. */
  magic: RegExp
  /** What files packed with it end in, and what takes its place. */
  ending: RegExp
  command: string
}

// Longer than the bare signature where letters alone could be the name of a tar's first entry.
const packers: readonly Packer[] = [
  { name: 'xz', magic: /^fd377a585a00/, ending: /\.t?xz$/, command: 'xz -dc' },
  { name: 'bzip2', magic: /^425a683[1-9](314159265359|177245385090)/, ending: /\.(bz2|tbz2?)$/, command: 'bzip2 -dc' },
  { name: 'zstd', magic: /^(28b52ffd|5.2a4d18)/, ending: /\.t?zst$/, command: 'zstd -dc' },
  { name: 'lz4', magic: /^04224d18/, ending: /\.lz4$/, command: 'lz4 -dc' },
  { name: 'lzip', magic: /^4c5a495001/, ending: /\.t?lz$/, command: 'lzip -dc' },
  { name: 'compress', magic: /^1f9d/, ending: /\.(Z|taz)$/, command: 'uncompress -c' },
]

const folders: readonly { name: string; magic: RegExp; command: string }[] = [
  { name: 'zip', magic: /^504b(0304|0506)/, command: 'unzip' },
  { name: '7z', magic: /^377abcaf271c/, command: '7z x' },
]

/** What packed a file that begins with these bytes; null for a tar, gzip or anything unknown. */
export function packerOf(start: Uint8Array): string | null {
  const hex = Array.from(start, byte => byte.toString(16).padStart(2, '0')).join('')
  return [...packers, ...folders].find(packer => packer.magic.test(hex))?.name ?? null
}

/** What to do about it: a command to copy, with the file's own name where a shell would take it as it is. */
export function packerText(name: string, path: string): string {
  const packer = packers.find(each => each.name === name)
  const folder = folders.find(each => each.name === name)
  const isPlain = /^[\w./+][\w./+-]*$/.test(path)
  if (packer === undefined) {
    const file = isPlain ? path : `backup.${name}`
    return `packed with ${name}, which is no tar: unpack it into a folder (${folder?.command ?? name} ${file}) and import that`
  }
  const file = isPlain ? path : `backup.tar.${name}`
  const bare = file.replace(packer.ending, '')
  const unpacked = bare === file ? `${file}.tar` : bare.endsWith('.tar') ? bare : `${bare}.tar`
  return `packed with ${name}: unpack it first with "${packer.command} ${file} > ${unpacked}"`
}
