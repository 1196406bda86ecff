// What one drawing of the map is given. Types only.

import type { Palette } from '../thread/palette.ts'
import type { MapShape } from './geometry.ts'
import type { MapScene } from './model.ts'
import type { View } from './view.ts'

export interface MapFrame {
  context: CanvasRenderingContext2D
  palette: Palette
  scene: MapScene
  shape: MapShape
  view: View
  /** How far lanes are scrolled. */
  scroll: number
}
