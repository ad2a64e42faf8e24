import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PlaceSymbol } from './place-symbol.ts';

type Arguments = Parameters<PlaceSymbol['place']>;
type Bounds = { minX: number; minY: number; maxX: number; maxY: number };

class Point {
  readonly x: number;
  readonly y: number;
  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
  clone(): Point {
    return new Point(this.x, this.y);
  }
  mult(k: number): Point {
    return new Point(this.x * k, this.y * k);
  }
}

/** Places a name of 40 × 10 at 100,100 on a map where `taken` says what is already written. */
function place(taken: (bounds: Bounds) => boolean): { bounds: Bounds; moved: number[] } | undefined {
  const moved: number[] = [];
  const fixed = (box: Bounds): ConstructorParameters<typeof PlaceSymbol>[0]['dot'] => ({
    place: (_layout, geometry) => [{ anchor: geometry[0]?.[0] as never, bboxes: [box], draw: () => undefined }],
  });
  const symbol = new PlaceSymbol({
    gap: 6,
    dot: fixed({ minX: 98, minY: 98, maxX: 102, maxY: 102 }),
    text: fixed({ minX: 0, minY: -8, maxX: 40, maxY: 2 }),
  });
  const layout = { order: 1, index: { bboxCollides: taken } } as unknown as Arguments[0];
  const [label] = symbol.place(layout, [[new Point(100, 100)]] as unknown as Arguments[1], {} as Arguments[2]) ?? [];
  const bounds = label?.bboxes[0];
  if (!label || !bounds) return undefined;
  label.draw({ translate: (x: number, y: number) => moved.push(x, y) } as unknown as CanvasRenderingContext2D);
  return { bounds, moved };
}

test('a name is to the right of its dot, in the middle of its height', () => {
  assert.deepEqual(
    place(() => false),
    { bounds: { minX: 92, minY: 92, maxX: 148, maxY: 108 }, moved: [6, 3] },
  );
});

test('a name whose right side is taken goes to the left', () => {
  assert.deepEqual(
    place((b) => b.maxX > 120),
    { bounds: { minX: 52, minY: 92, maxX: 108, maxY: 108 }, moved: [-46, 3] },
  );
});

test('then above, then below', () => {
  const above = place((b) => b.maxX > 140 || b.minX < 60);
  assert.ok(above && above.bounds.minY < 90 && above.bounds.maxY <= 108);
  const below = place((b) => b.maxX > 140 || b.minX < 60 || b.minY < 90);
  assert.ok(below && below.bounds.maxY > 110 && below.bounds.minY >= 92);
});

test('a name without room is left out', () => {
  assert.equal(
    place(() => true),
    undefined,
  );
});
