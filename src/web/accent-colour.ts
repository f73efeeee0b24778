// Derives the colours of the style sheet from the operator's accent colour (`branding.colour`), and changes their brightness so that text
// stays readable (WCAG 1.4.3).

type Rgb = readonly [number, number, number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The backgrounds of the style sheet on which text is hardest to read, in the light and in the dark scheme. */
const LIGHT_GROUND: Rgb = [243, 246, 247];
const DARK_GROUND: Rgb = [34, 43, 48];
/** Minimum contrast of text. It is a little above the 4.5 that WCAG demands, because browsers round colours. */
const READABLE = 4.7;

/** Derives the custom properties of the style sheet from a colour `#rrggbb`. */
export function accentProperties(colour: string): { light: Record<string, string>; dark: Record<string, string> } {
  const accent = parse(colour);
  const fill = towards(accent, BLACK, (tone) => contrast(tone, WHITE) >= READABLE);
  const panel = towards(accent, BLACK, (tone) => contrast(tone, WHITE) >= 7.5);
  const inkOnLight = towards(accent, BLACK, (tone) => contrast(tone, LIGHT_GROUND) >= READABLE);
  const inkOnDark = brighter(accent, (tone) => contrast(tone, DARK_GROUND) >= 6.5);
  return {
    light: {
      '--accent': write(fill),
      '--accent-strong': write(mix(fill, BLACK, 0.2)),
      '--on-accent': '#ffffff',
      '--accent-ink': write(inkOnLight),
      '--accent-soft': write(mix(fill, WHITE, 0.9)),
      '--panel': write(panel),
      '--panel-deep': write(mix(panel, BLACK, 0.45)),
    },
    dark: {
      '--accent': write(inkOnDark),
      '--accent-strong': write(mix(inkOnDark, WHITE, 0.25)),
      '--on-accent': write(mix(panel, BLACK, 0.75)),
      '--accent-ink': write(inkOnDark),
      '--accent-soft': write(mix(panel, DARK_GROUND, 0.65)),
      '--panel': write(mix(panel, BLACK, 0.35)),
      '--panel-deep': write(mix(panel, BLACK, 0.7)),
    },
  };
}

/** Returns the background colour of the logo (`mark.svg`): the operator's colour, darkened until white shapes stand out on it. */
export function markColour(colour: string): string {
  return write(towards(parse(colour), BLACK, (tone) => contrast(tone, WHITE) >= READABLE));
}

/** Returns the contrast ratio of two colours by WCAG 2, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Converts `#rrggbb` to three numbers from 0 to 255. */
export function parse(colour: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) {
    throw new Error(`branding.colour: "${colour}" is no colour; write # and six hexadecimal digits, such as #0b5f6b`);
  }
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(colour: Rgb, other: Rgb, share: number): Rgb {
  return colour.map((part, index) => Math.round(part + ((other[index] ?? 0) - part) * share)) as unknown as Rgb;
}

/** Maximum saturation of a light tone. A tone with more saturation would glare on a dark background. */
const FULLEST = 0.65;

/**
 * Returns the first brighter tone of the same hue that satisfies `will`. The tone has the saturation of the colour, but at most FULLEST.
 * The colour is not mixed with white, because on a dark background a button in a mixed tone looks disabled.
 */
function brighter(colour: Rgb, will: (tone: Rgb) => boolean): Rgb {
  const parts = colour.map((part) => part / 255);
  const [high, low] = [Math.max(...parts), Math.min(...parts)];
  const spread = high - low;
  const begin = (high + low) / 2;
  const saturation = Math.min(FULLEST, spread === 0 ? 0 : spread / (1 - Math.abs(2 * begin - 1)));
  for (let lightness = begin; lightness < 1; lightness += 0.01) {
    const width = saturation * (1 - Math.abs(2 * lightness - 1));
    const tone = parts.map((part) =>
      Math.round(255 * (lightness + (spread === 0 ? 0 : ((part - begin) / spread) * width))),
    ) as unknown as Rgb;
    if (will(tone)) return tone;
  }
  return WHITE;
}

/** Returns the first tone between `colour` and `end` that satisfies `will`. */
function towards(colour: Rgb, end: Rgb, will: (tone: Rgb) => boolean): Rgb {
  for (let step = 0; step < 50; step += 1) {
    const tone = mix(colour, end, step / 50);
    if (will(tone)) return tone;
  }
  return end;
}

function write(colour: Rgb): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
