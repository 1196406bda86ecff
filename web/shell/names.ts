// Short names for long things in lists: projects and models.

/** The last part of a working directory. */
export function projectName(project: string): string {
  const parts = project.split(/[/\\]/).filter(part => part !== '')
  return parts.at(-1) ?? project
}

/** `claude-opus-4-1-20250805` → `opus-4-1`. */
export function modelName(model: string): string {
  return model.replace(/^claude-/, '').replace(/-\d{8}$/, '')
}

/** `980`, `14k`, `1.2M`: tokens where the exact number would only be noise. */
export function tokensText(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`
  if (tokens < 999_500_000) return `${(tokens / 1e6).toFixed(tokens < 9_950_000 ? 1 : 0)}M`
  return `${(tokens / 1e9).toFixed(1)}B`
}

/** `$0.04`, `$12.30`, `$1,204`. */
export function costText(dollars: number): string {
  if (dollars > 0 && dollars < 0.005) return '< $0.01'
  if (dollars < 1000) return `$${dollars.toFixed(2)}`
  return `$${Math.round(dollars).toLocaleString('en-US')}`
}
