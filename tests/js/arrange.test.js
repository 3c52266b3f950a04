// Where the maps of the atlas stand: each once, inside, none upon another, and as large as the room lets them be.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LEAST, arrange, inOrder } from "../../vizapp/ui/viewer/drawing/arrange.js";

const NETWORKS = {
  toy: Array(6).fill(5),
  "DeiT-Ti": Array(12).fill(3),
  "ViT-S": Array(12).fill(6),
  "ViT-B": Array(12).fill(12),
  "Swin-T": [3, 3, 6, 6, 12, 12, 12, 12, 12, 12, 24, 24],
  "one head": [1],
  "ViT-L": Array(24).fill(16),
};
const ROOMS = [
  { width: 560, height: 364 }, // a page of 1280 x 800
  { width: 350, height: 380 }, // a phone
  { width: 1000, height: 700 },
];

function boxes({ spots, step }, aspect) {
  return spots.flatMap((row) => row.filter(Boolean).map(({ x, y }) => ({ x, y, right: x + step, below: y + step * aspect })));
}

for (const [name, heads] of Object.entries(NETWORKS)) {
  for (const room of ROOMS) {
    for (const [fused, aspect] of [
      [2, 1],
      [1, 0.75],
      [2, 1.5],
    ]) {
      test(`every map of ${name} has its own place in ${room.width} x ${room.height}, ${fused} fused, ${aspect} high`, () => {
        const all = arrange({ heads, fused, ...room, aspect });
        heads.forEach((count, row) => {
          const columns = [...Array(count).keys(), ...Array.from({ length: fused }, (_, i) => Math.max(...heads) + i)];
          assert.deepEqual(Object.keys(all.spots[row]).map(Number), columns);
        });
        const found = boxes(all, aspect);
        for (const one of found) {
          assert.ok(one.x >= 0 && one.y >= 0 && one.right <= room.width + 1e-6 && one.below <= all.height + 1e-6);
        }
        for (const [i, a] of found.entries()) {
          for (const b of found.slice(i + 1)) {
            const apart = a.right <= b.x + 1e-6 || b.right <= a.x + 1e-6 || a.below <= b.y + 1e-6 || b.below <= a.y + 1e-6;
            assert.ok(apart, `${JSON.stringify(a)} lies on ${JSON.stringify(b)}`);
          }
        }
      });
    }
  }
}

test("on a page of 1280 x 800 maps of the networks that people try are large enough", () => {
  for (const name of ["toy", "DeiT-Ti", "ViT-S", "ViT-B", "Swin-T"]) {
    const { step } = arrange({ heads: NETWORKS[name], fused: 2, width: 600, height: 364, aspect: 1 });
    assert.ok(step >= LEAST - 1e-9, `${name}: ${step}`);
  }
});

test("layers stand in blocks side by side where that makes their maps larger, and keep their order", () => {
  const { spots, labels } = arrange({ heads: NETWORKS["DeiT-Ti"], fused: 2, width: 600, height: 364, aspect: 1 });
  assert.equal(labels.filter(({ of }) => of.fused === 0).length, 2);
  assert.ok(spots[5][0].y > spots[0][0].y && spots[6][0].y === spots[0][0].y && spots[6][0].x > spots[5][4].x);
});

test("a layer of many heads takes several lines, and each tells its first head", () => {
  const { spots, labels } = arrange({ heads: NETWORKS["Swin-T"], fused: 2, width: 600, height: 364, aspect: 1 });
  assert.ok(spots[11][12].y > spots[11][0].y && spots[11][12].x === spots[11][0].x);
  assert.deepEqual(
    labels.filter(({ of }) => of.layer === 11).map(({ of }) => of),
    [{ layer: 11 }, { layer: 11, head: 12 }],
  );
});

test("sorted heads stand in the order that is given, row by row", () => {
  const order = [
    [1, 0],
    [0, 1],
    [1, 1],
    [0, 0],
  ];
  const all = inOrder({ order, rows: 2, width: 100, height: 100, aspect: 1 });
  const places = order.map(([row, column]) => all.spots[row][column]);
  for (const [i, { x, y }] of places.slice(1).entries()) assert.ok(y > places[i].y || (y === places[i].y && x > places[i].x));
  assert.equal(all.step, 50);
});
