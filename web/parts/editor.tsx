// A link that opens a file in the reader's editor. Only absolute paths, and only editors of a fixed list: what a log names as
// a path never decides what is started.

import { useSyncExternalStore } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'

/** The scheme of each editor's addresses. */
const editors: readonly [scheme: string, name: string][] = [
  ['vscode', 'VS Code'],
  ['vscode-insiders', 'VS Code Insiders'],
  ['vscodium', 'VSCodium'],
  ['cursor', 'Cursor'],
  ['windsurf', 'Windsurf'],
  ['zed', 'Zed'],
]

const storageKey = 'clew editor'
const listeners = new Set<() => void>()
let chosen = read()

function read(): string {
  try {
    return known(localStorage.getItem(storageKey))
  } catch {
    return 'vscode'
  }
}

function known(scheme: string | null): string {
  return editors.find(([one]) => one === scheme)?.[0] ?? 'vscode'
}

function choose(scheme: string): void {
  chosen = known(scheme)
  try {
    localStorage.setItem(storageKey, chosen)
  } catch {
    // A browser without storage forgets the choice with the page.
  }
  for (const listener of [...listeners]) listener()
}

/** `vscode://file/home/me/a.ts:12`; undefined for a path that is not absolute, or that no file has. */
export function editorAddress(scheme: string, path: string, line?: number): string | undefined {
  const slashed = /^[A-Za-z]:[\\/]/.test(path) ? `/${path.replaceAll('\\', '/')}` : path
  if (!slashed.startsWith('/') || slashed.startsWith('//') || /[\u0000-\u001f\u007f]/.test(slashed)) return undefined
  if (!editors.some(([one]) => one === scheme)) return undefined
  const parts = slashed.split('/').map(part => encodeURIComponent(part).replaceAll('%3A', ':'))
  return `${scheme}://file${parts.join('/')}${line === undefined ? '' : `:${line}`}`
}

export interface EditorLinkProps {
  path: string
  line?: number
}

/** The link, and which editor it is for. */
export function EditorLink({ path, line }: EditorLinkProps) {
  const scheme = useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => chosen,
  )
  const href = editorAddress(scheme, path, line)
  if (href === undefined) return null
  return (
    <span className="editor-link">
      <a href={href} rel="noreferrer noopener" title={visibleLine(path)}>
        Open in
      </a>{' '}
      <select aria-label="Editor" value={scheme} onChange={event => choose(event.target.value)}>
        {editors.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}
