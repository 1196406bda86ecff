// Keeps the place of the Keeping screen until it is there.

export default function KeepingScreen() {
  return <p className="empty">Keeping</p>
}
