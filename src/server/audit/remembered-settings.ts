// Owns what is remembered of the settings from one start to the next, and how what differs is worded for the audit trail.
// Does not own where it is kept (`src/store/audit/known-configuration.ts`) nor when they are compared (`configuration-memory.ts`).

import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../../config/settings.ts';
import { listChange } from './client-changes.ts';
import { contentOf } from './remembered-content.ts';

type Leaf = string | number | boolean | readonly string[];

/** Characters of one value: of all details a record keeps some 2000. */
const LONGEST_VALUE = 700;
const LONGEST_RECORD = 1700;

/**
 * The settings by their names in `service.yaml`, or those of their variables. Left out is what each instance has for itself
 * (port, host, processes, folders, form of the log) and which database it is; of the secret of the keys, only whether there
 * is one is kept.
 */
export function rememberedSettings(settings: Settings): string {
  const { listen, processes, configFolder, dataFolder, database, mode, keys, log, issuer, directory, ...rest } =
    settings;
  const { secrets, ...otherKeys } = keys;
  // Unless they were set, they follow from the port, and one from the other.
  const ownPort = issuer === `http://localhost:${listen.port}`;
  const below = directory.url === `${issuer}/directory/v2`;
  const remembered = {
    ...rest,
    issuer: ownPort ? 'http://localhost:<port>' : issuer,
    directory: { ...directory, url: below ? '<issuer>/directory/v2' : directory.url },
    keys: otherKeys,
    log: { level: log.level },
    NODE_ENV: mode,
    HYGIE_KEY_SECRET: ['not set', 'set', 'set, with the one before'][secrets.length],
  };
  return contentOf(Object.fromEntries(leavesOf(remembered)));
}

/** What differs, name by name, with the values before and after; in as many parts as records are needed. */
export function settingChanges(before: string, after: string): string[][] {
  const [old, now] = [before, after].map((content) => JSON.parse(content) as Record<string, Leaf>);
  if (!isRecord(old) || !isRecord(now)) throw new TypeError('settings are an object');
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  const lines = names.filter((name) => !isDeepStrictEqual(old[name], now[name])).map((name) => line(name, old, now));
  const parts: string[][] = [];
  let length = LONGEST_RECORD;
  for (const text of lines) {
    length += text.length;
    if (length > LONGEST_RECORD) {
      parts.push([]);
      length = text.length;
    }
    parts.at(-1)?.push(text);
  }
  return parts;
}

function line(name: string, before: Record<string, Leaf>, after: Record<string, Leaf>): string {
  const [old, now] = [before[name], after[name]];
  if (Array.isArray(old) || Array.isArray(now)) {
    return short(`${name} ${listChange(listOf(old), listOf(now))}`, 2 * LONGEST_VALUE);
  }
  return `${name} ${shown(old)} -> ${shown(now)}`;
}

function shown(value: Leaf | undefined): string {
  return value === undefined ? 'none' : short(String(value), LONGEST_VALUE);
}

function short(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function listOf(value: Leaf | undefined): readonly string[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [String(value)];
}

function* leavesOf(value: object, path = ''): Generator<[name: string, leaf: unknown]> {
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === 'object' && part !== null && !Array.isArray(part)) yield* leavesOf(part, `${path}${name}.`);
    else yield [path + name, part];
  }
}

function isRecord(value: unknown): value is Record<string, Leaf> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
