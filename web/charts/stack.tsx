// One bar in parts: what a whole is made of. The table beside it says the same in words.

export interface StackPart {
  key: string
  name: string
  value: number
  /** Class that gives the colour. */
  look: string
}

/** `whole`: what the bar's length stands for; the rest of it stays empty. */
export function Stack({ parts, whole, label }: { parts: readonly StackPart[]; whole: number; label: string }) {
  const all = Math.max(
    whole,
    parts.reduce((sum, { value }) => sum + value, 0),
    1,
  )
  return (
    <div className="stack" role="img" aria-label={label}>
      {parts.map(({ key, name, value, look }) => (
        <span key={key} className={look} style={{ width: `${(value / all) * 100}%` }} title={name} />
      ))}
    </div>
  )
}
