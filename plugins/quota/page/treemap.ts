/** A part of a treemap; all in percent of its width and height. */
export interface Tile {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Lays out areas in a rectangle of this ratio of width to height, in tiles that are as square as can be: the largest first, in rows
 * along the shorter side of what is left (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000). Values are positive, the largest first.
 */
export function squarified(values: readonly number[], ratio: number): Tile[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  const areas = values.map((value) => (value / total) * ratio);
  const left = { x: 0, y: 0, width: ratio, height: 1 };
  const tiles: Tile[] = [];
  for (let next = 0; next < areas.length;) {
    const side = Math.min(left.width, left.height);
    let count = 1;
    while (
      next + count < areas.length &&
      worst(areas.slice(next, next + count + 1), side) <= worst(areas.slice(next, next + count), side)
    )
      count += 1;
    const row = areas.slice(next, next + count);
    const depth = row.reduce((sum, area) => sum + area, 0) / side;
    const isColumn = left.width >= left.height;
    let along = 0;
    for (const area of row) {
      const length = area / depth;
      const [x, y, width, height] = isColumn
        ? [left.x, left.y + along, depth, length]
        : [left.x + along, left.y, length, depth];
      tiles.push({ left: (x / ratio) * 100, top: y * 100, width: (width / ratio) * 100, height: height * 100 });
      along += length;
    }
    if (isColumn) Object.assign(left, { x: left.x + depth, width: left.width - depth });
    else Object.assign(left, { y: left.y + depth, height: left.height - depth });
    next += count;
  }
  return tiles;
}

/** Returns how far the least square tile of a row is from a square: the longer side by the shorter one. */
function worst(row: readonly number[], side: number): number {
  const depth = row.reduce((sum, area) => sum + area, 0) / side;
  return Math.max(...row.map((area) => Math.max((depth * depth) / area, area / (depth * depth))));
}
