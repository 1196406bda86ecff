// Copying: the text goes to the clipboard, and the button, or a line for those who used the keyboard, says that it did.

import { useEffect, useState, useSyncExternalStore } from 'react'
import { Icon, type IconName } from './icon.tsx'

let said = ''
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** Says a few words for a moment. */
export function say(words: string): void {
  said = words
  clearTimeout(timer)
  if (words !== '') timer = setTimeout(() => say(''), 1600)
  for (const listener of [...listeners]) listener()
}

/** `what`: named in the message that it was copied. */
export async function copyText(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    say(`Copied ${what}`)
    return true
  } catch {
    say('The browser did not allow copying')
    return false
  }
}

/** Where `say` speaks; one for a screen. */
export function Said() {
  const words = useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => said,
  )
  return (
    <div className="said" role="status" data-shown={words !== ''}>
      {words}
    </div>
  )
}

export interface CopyButtonProps {
  /** Made when it is asked for. */
  text(): string
  /** `prompt`, `command`, `patch`: the button is called "Copy …". */
  what: string
  icon?: IconName
  /** Words next to the icon. */
  label?: string
}

export function CopyButton({ text, what, icon = 'copy', label }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const back = setTimeout(() => setCopied(false), 1400)
    return () => clearTimeout(back)
  }, [isCopied])
  const copy = () => {
    copyText(text(), what).then(setCopied, () => undefined)
  }
  const name = `Copy ${what}`
  return (
    <button
      type="button"
      className="tool-button"
      title={name}
      {...(label ? {} : { 'aria-label': name })}
      onClick={copy}
    >
      <Icon name={isCopied ? 'done' : icon} />
      {label ? <span>{label}</span> : null}
    </button>
  )
}
