// Zod schemas for kinds of values that several keys of the configuration have.

import { z } from 'zod';
import type { Problem } from '#config/configuration-error.ts';
import { hasInvisible } from '#shared/names.ts';

/**
 * Option of a refinement that makes zod run it even if other parts of the value do not fit the schema. So every issue is reported at once.
 */
export const ALWAYS = { when: () => true };

/** Adds an issue for the problem. Does nothing if `problem` is undefined. The path is relative to the value that is checked. */
export type AddProblem = (path: (string | number)[], problem: Problem | undefined) => void;

export function addProblem({ addIssue }: Pick<z.RefinementCtx, 'addIssue'>): AddProblem {
  return (path, found) => {
    if (found) addIssue({ code: 'custom', path, message: found.problem, params: { remedy: found.remedy } });
  };
}

/** Makes a zod refinement from a function that returns the problem with a value. */
export function rule<Value>(problemOf: (value: Value) => Problem | undefined) {
  return (value: Value, context: z.RefinementCtx) => addProblem(context)([], problemOf(value));
}

/** A group of keys. The whole group may be left out, and so may each key without a default. */
export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).prefault({} as never);
}

/** A group in which exactly one of the keys must be set. */
export function oneKey<Shape extends z.ZodRawShape>(shape: Shape) {
  const exactlyOne = rule((value: object | null) => {
    const count = Object.keys(value ?? {}).length;
    const problem = `Has ${count} keys, but needs exactly one.`;
    return count === 1 ? undefined : { problem, remedy: `Keep one of: ${Object.keys(shape).join(', ')}.` };
  });
  return z.strictObject(shape).superRefine(exactlyOne).meta({ minProperties: 1, maxProperties: 1 });
}

export const url = (problemOf: (address: string) => Problem | undefined = () => undefined) =>
  z.string().meta({ format: 'uri' }).superRefine(rule(problemOf));

/** A text that is not empty. */
export const text = () => z.string().min(1);

/** A name that pages and mails show to people. */
export const shownName = (most: number) =>
  text()
    .max(most)
    .superRefine(
      rule((name) =>
        hasInvisible(name.trim())
          ? { problem: 'Holds a character that cannot be seen.', remedy: 'Write the name anew, by hand.' }
          : undefined,
      ),
    );

export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) => z.int().min(least).max(most);

/** A share, from 0 to 1. */
export const share = () => z.number().min(0).max(1);

/** A list without duplicates. */
export function uniqueList<Item extends z.ZodType>(item: Item, most = Number.MAX_SAFE_INTEGER) {
  const isUnique = rule<unknown[]>((items) => {
    const second = items.findIndex((one, index) => items.indexOf(one) < index);
    const problem = `Entries ${items.indexOf(items[second])} and ${second} (counted from 0) are the same.`;
    return second < 0 ? undefined : { problem, remedy: 'Remove one of them.' };
  });
  return z.array(item).max(most).meta({ uniqueItems: true }).superRefine(isUnique);
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Converts a number with a unit to seconds. A number without a unit is in seconds already. `never` becomes 0. */
export function secondsOf(value: string | number): number {
  if (typeof value === 'number') return value;
  return value === 'never' ? 0 : Number(value.slice(0, -1)) * (SECONDS[value.slice(-1)] ?? 1);
}

interface DurationRange {
  least?: string;
  most?: string;
  never?: boolean;
}

/**
 * A duration. The file holds whole seconds, or a number with s, m, h or d. The parsed value is in seconds. `never`, if the range allows it,
 * becomes 0.
 */
export function duration(byDefault: string, range: DurationRange = {}) {
  return durationIn(range).prefault(byDefault);
}

/** A duration without a default in the schema, because its default depends on other keys. */
export function optionalDuration(range: DurationRange = {}) {
  return durationIn(range).exactOptional();
}

function durationIn({ least = '1s', most = '', never = false }: DurationRange) {
  const number = least === '0s' ? '(0|[1-9][0-9]{0,9})[smhd]' : '[1-9][0-9]{0,9}[smhd]';
  return z
    .union([
      wholeNumber(Math.min(1, secondsOf(least))),
      z.string().regex(new RegExp(`^(?:${number}${never ? '|never' : ''})$`)),
    ])
    .transform(secondsOf)
    .superRefine(
      rule((seconds) => {
        if (most !== '' && seconds > secondsOf(most)) {
          return { problem: `Is longer than ${most}.`, remedy: `Write ${most} or less.` };
        }
        if (never || seconds >= secondsOf(least)) return undefined;
        return { problem: `Is shorter than ${least}.`, remedy: `Write ${least} or more.` };
      }),
    );
}

const BYTES: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** A size. The file holds whole bytes, or a number with kB, MB, GB or TB (powers of 1,000). The parsed value is in bytes. */
export function size(byDefault: string) {
  return z
    .union([wholeNumber(1), z.string().regex(/^[1-9][0-9]{0,5}(kB|MB|GB|TB)$/)])
    .transform((value) =>
      typeof value === 'number' ? value : Number(value.slice(0, -2)) * (BYTES[value.slice(-2)] ?? 1),
    )
    .prefault(byDefault);
}
