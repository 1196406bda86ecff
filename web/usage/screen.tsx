// Keeps the place of the Usage screen until it is there.

export default function UsageScreen() {
  return <p className="empty">Usage</p>
}
