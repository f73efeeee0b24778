// Puts what a page shows of a YAML file into that file of the place, as its reader does by hand.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { type Answer, type Call, rootOf } from './call.ts';
import { afterEdit } from './programs/systemctl.ts';

type Entries = Record<string, unknown>;

/** `args`: the file, what the page shows, and the hash that was printed last. */
export async function applyYaml(call: Call): Promise<Answer> {
  const [file = '', shownIn = '', hash = ''] = call.args;
  const shown = parse(readFileSync(shownIn, 'utf8').replace(/sha256\$…/g, () => hash)) as Entries;
  const present = ((existsSync(file) && parse(readFileSync(file, 'utf8'))) || {}) as Entries;
  const text = stringify(merged(present, shown));
  const write = () => {
    // The file is put in place whole, so that the service never reads half of it.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  if (file.endsWith('clients.yaml')) await afterEdit(rootOf(call), write);
  else write();
  return {};
}

/** Groups are merged, entries of lists with the same `id` replaced; all else is as shown. */
function merged(present: Entries, shown: Entries): Entries {
  const result = { ...present };
  for (const [key, value] of Object.entries(shown)) {
    const before = result[key];
    if (hasIds(value) && Array.isArray(before)) {
      const ids = value.map(({ id }) => id);
      result[key] = [...before.filter(({ id }) => !ids.includes(id)), ...value];
    } else result[key] = isGroup(value) && isGroup(before) ? merged(before, value) : value;
  }
  return result;
}

const isGroup = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasIds = (value: unknown): value is { id: unknown }[] =>
  Array.isArray(value) && value.every((entry) => isGroup(entry) && 'id' in entry);
