// Paths as people read them: relative to a folder, in the writing of POSIX or Windows. It knows no file system.

const drive = /^[A-Za-z]:/

/** The path below the folder; the whole path where it is not below. Windows does not tell upper and lower case apart. */
export function relativePath(path: string, folder: string | null): string {
  if (folder === null || folder === '') return path
  const start = folder.replace(/[\\/]+$/, '')
  const isWindows = drive.test(folder)
  const plain = (text: string) => (isWindows ? text.replaceAll('\\', '/').toLowerCase() : text)
  const separator = path[start.length]
  const isBelow = plain(path).startsWith(plain(start)) && (separator === '/' || (isWindows && separator === '\\'))
  return isBelow ? path.slice(start.length + 1) : path
}
