// Keeps the place of the Context screen until it is there.

export default function ContextScreen() {
  return <p className="empty">Context</p>
}
