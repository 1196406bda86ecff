// Keeps the place of the Map screen until it is there.

export default function MapScreen() {
  return <p className="empty">Map</p>
}
