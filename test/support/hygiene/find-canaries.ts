// Looks for all canaries in a text or in bytes in one pass: a test has thousands of forms to look for, in megabytes.

import { type Canaries, type Canary, formsOf, SHORTEST } from './canaries.ts';

interface Form {
  bytes: Buffer;
  canary: Canary;
}

const TABLE = 0x10000;

export type FindCanaries = (content: string | Buffer) => Canary[];

/** Looks for the canaries that are known now. Each is reported once. */
export function canaryFinder(canaries: Pick<Canaries, 'all'>): FindCanaries {
  const byBeginning = new Map<number, Form[]>();
  const isBeginning = new Uint8Array(TABLE);
  for (const canary of canaries.all()) {
    // A short one is looked for as it is.
    const forms = canary.value.length < SHORTEST ? [canary.value] : formsOf(canary);
    for (const form of forms) {
      const bytes = Buffer.from(form);
      if (bytes.length < 4) throw new Error(`${canary.kind}: too short to be found`);
      const beginning = bytes.readInt32LE(0);
      byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), { bytes, canary }]);
      isBeginning[placeOf(beginning)] = 1;
    }
  }
  return (content) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const found = new Set<Canary>();
    let word = 0;
    for (let end = 0; end < bytes.length; end += 1) {
      word = (word >>> 8) | ((bytes[end] ?? 0) << 24);
      if (isBeginning[placeOf(word)] === 0) continue;
      for (const form of byBeginning.get(word) ?? []) {
        const start = end - 3;
        if (!found.has(form.canary) && stands(bytes, start, form)) found.add(form.canary);
      }
    }
    return [...found];
  };
}

function placeOf(word: number): number {
  return (word ^ (word >>> 16)) & (TABLE - 1);
}

function stands(content: Buffer, start: number, { bytes, canary }: Form): boolean {
  const end = start + bytes.length;
  if (start < 0 || end > content.length || content.compare(bytes, 0, bytes.length, start, end) !== 0) return false;
  return canary.value.length >= SHORTEST || !(isWord(content[start - 1]) || isWord(content[end]));
}

function isWord(byte: number | undefined): boolean {
  return byte !== undefined && /[\w.]/.test(String.fromCharCode(byte));
}
