// Small maps as vector graphics, drawn without tiles or other services: a map of France, and a map of the surroundings of a structure.

import { type Html, html } from '#demo/html.ts';
import type { Position } from '#demo/search/records.ts';

/** The outlines of the mainland and of Corsica. Longitude and latitude alternate, in hundredths of a degree. */
const OUTLINE: readonly (readonly number[])[] = [
  [
    237, 5103, 185, 5095, 158, 5072, 156, 5040, 137, 5006, 108, 4992, 20, 4971, 10, 4949, -25, 4928, -110, 4936, -126,
    4970, -194, 4972, -180, 4937, -160, 4884, -150, 4864, -185, 4868, -235, 4865, -270, 4853, -305, 4882, -398, 4872,
    -477, 4836, -460, 4820, -473, 4804, -437, 4780, -335, 4770, -310, 4750, -255, 4730, -220, 4712, -210, 4690, -180,
    4650, -120, 4615, -105, 4563, -125, 4462, -145, 4365, -178, 4337, -140, 4305, -75, 4295, -30, 4272, 70, 4280, 67,
    4269, 145, 4260, 173, 4250, 200, 4240, 250, 4234, 317, 4243, 304, 4275, 305, 4315, 350, 4328, 405, 4355, 460, 4340,
    505, 4335, 535, 4320, 595, 4305, 660, 4317, 700, 4353, 750, 4378, 765, 4397, 700, 4420, 685, 4455, 705, 4483, 663,
    4510, 710, 4545, 685, 4583, 704, 4592, 680, 4615, 680, 4640, 625, 4630, 597, 4615, 610, 4640, 610, 4658, 645, 4690,
    700, 4730, 758, 4758, 757, 4803, 780, 4855, 820, 4897, 740, 4917, 670, 4917, 636, 4946, 580, 4955, 545, 4950, 485,
    4980, 483, 5015, 420, 4996, 410, 5030, 370, 5032, 320, 5075, 260, 5082,
  ],
  [940, 4300, 955, 4220, 920, 4137, 880, 4155, 855, 4235, 870, 4258, 900, 4265, 935, 4275],
];
const SIZE = 200;
/** Kilometres in a degree of latitude. */
const DEGREE = 111.2;

interface Point {
  label: string;
  position: Position;
}

/** A map of France with the points. Points outside the mainland and Corsica are left out. Returns false if no point is left. */
export function mapOfFrance(points: readonly Point[], label: string): Html | false {
  const shown = points.filter(({ position: { latitude, longitude } }) => {
    return latitude > 41 && latitude < 51.5 && longitude > -5.5 && longitude < 10;
  });
  if (shown.length === 0) return false;
  const path = OUTLINE.map((line) => {
    const corners = line.flatMap((value, at) => {
      return at % 2 === 0 ? [onFrance({ longitude: value / 100, latitude: (line[at + 1] ?? 0) / 100 }).join(' ')] : [];
    });
    return `M${corners.join('L')}Z`;
  }).join('');
  return html`<svg class="map" viewBox="0 0 ${SIZE} ${SIZE}" role="img" aria-label="${label}"><path class="land" d="${path}"/>${shown.map(
    ({ position, label: name }) => {
      const [x, y] = onFrance(position);
      return html`<circle class="dot" cx="${x}" cy="${y}" r="5"><title>${name}</title></circle>`;
    },
  )}</svg>`;
}

function onFrance({ latitude, longitude }: Position): number[] {
  return [6 + (longitude + 4.8) * 13.2, 4 + (51.1 - latitude) * 19.2].map(rounded);
}

/**
 * A map around `centre` that shows each neighbour in its direction and distance. The numbers of the markers follow the order of the list.
 * The outer ring marks `distance` kilometres, and the inner ring half of that.
 */
export function mapAround(centre: Position, neighbours: readonly Point[], distance: number, label: string): Html {
  const scale = (SIZE / 2 - 12) / distance;
  const narrower = Math.cos((centre.latitude * Math.PI) / 180);
  const onMap = ({ latitude, longitude }: Position) =>
    [
      SIZE / 2 + (longitude - centre.longitude) * DEGREE * narrower * scale,
      SIZE / 2 - (latitude - centre.latitude) * DEGREE * scale,
    ].map(rounded);
  // If the markers of some neighbours would overlap, these neighbours share one marker with all their numbers.
  const markers: { x: number; y: number; names: string[]; numbers: number[] }[] = [];
  for (const [at, { position, label: name }] of neighbours.entries()) {
    const [x = 0, place = 0] = onMap(position);
    // The centre has a dot of its own. So a neighbour at the same place gets its marker above the dot.
    const y = Math.hypot(x - SIZE / 2, place - SIZE / 2) < 11 ? SIZE / 2 - 14 : place;
    const close = markers.find((one) => Math.abs(one.x - x) < 8 + 4 * one.numbers.length && Math.abs(one.y - y) < 12);
    if (close) {
      close.names.push(name);
      close.numbers.push(at + 1);
    } else markers.push({ x, y, names: [name], numbers: [at + 1] });
  }
  return html`<svg class="map" viewBox="0 0 ${SIZE} ${SIZE}" role="img" aria-label="${label}">${[1, 0.5].map(
    (part) => html`<circle class="ring" cx="100" cy="100" r="${rounded(part * distance * scale)}"/>`,
  )}${markers.map(({ x, y, names, numbers }) => {
    const text = numbers.join('·');
    const width = 10 + 6 * text.length;
    return html`<rect class="near" x="${rounded(x - width / 2)}" y="${rounded(y - 7)}" width="${width}" height="14" rx="7"><title>${names.join(', ')}</title></rect><text x="${x}" y="${rounded(y + 3.5)}">${text}</text>`;
  })}<circle class="dot" cx="100" cy="100" r="5"/></svg>`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
