// Kinds of values that several keys of the configuration share, as zod schemas.

import { z } from 'zod';

/** A group of keys; each of its keys has a default or may be left out, and so may the group. */
export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).prefault({} as never);
}

/** Any text here: `url-rules.ts` has the rules, which depend on the mode. The format is for editors. */
export const url = () => z.string().meta({ format: 'uri' });

export const wholeNumber = (least: number, most?: number) =>
  z
    .int()
    .min(least)
    .max(most ?? Number.MAX_SAFE_INTEGER);

/** A share of a whole. */
export const share = () => z.number().min(0).max(1);

/** A list in which nothing stands twice. */
export function uniqueList<Item extends z.ZodType>(item: Item, most?: number) {
  const list = z.array(item).max(most ?? Number.MAX_SAFE_INTEGER);
  return list.meta({ uniqueItems: true }).superRefine((items, { addIssue }) => {
    const second = items.findIndex((one, index) => items.indexOf(one) < index);
    if (second < 0) return;
    const message = `Entries ${items.indexOf(items[second] as never)} and ${second} (counted from 0) are the same.`;
    addIssue({ code: 'custom', message, params: { remedy: 'Remove one of them.' } });
  });
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** A duration, in the file whole seconds or a number with s, m, h or d; seconds once it is parsed. */
export const duration = (byDefault: string) => durationOf(1, /^[1-9][0-9]{0,9}[smhd]$/, byDefault);

/** As `duration`, but 0 is one too. */
export const durationOrNone = (byDefault: string) => durationOf(0, /^(0|[1-9][0-9]{0,9})[smhd]$/, byDefault);

/** As `duration`; `never` becomes 0. */
export const durationOrNever = (byDefault: string) => durationOf(1, /^(?:[1-9][0-9]{0,9}[smhd]|never)$/, byDefault);

function durationOf(least: number, pattern: RegExp, byDefault: string) {
  return z
    .union([wholeNumber(least), z.string().regex(pattern)])
    .transform((value) => {
      if (typeof value === 'number') return value;
      return value === 'never' ? 0 : Number(value.slice(0, -1)) * SECONDS[value.slice(-1) as keyof typeof SECONDS];
    })
    .prefault(byDefault);
}
