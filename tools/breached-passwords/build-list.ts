// Builds the list from plain ones, one password a line, the most common first: node tools/breached-passwords/build-list.ts
// FILE[:LINES]... writes `list.bin` and prints how many passwords it holds. LINES: no more than the first ones of a file.

import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { LEAST_LISTED, LIST, listDigest, listed } from '#shared/breached-passwords/breached-passwords.ts';

/** Nobody types more; what is longer in such lists are addresses and pieces of pages. */
const LONGEST = 64;

const digests = new Map<string, Buffer>();
for (const argument of process.argv.slice(2)) {
  const [file = '', most = 'Infinity'] = argument.split(':');
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file, 'utf8') })) {
    line += 1;
    if (line > Number(most)) break;
    const length = [...listed(text)].length;
    // Bytes that are no UTF-8 have become U+FFFD.
    if (length < LEAST_LISTED || length > LONGEST || text.includes('\uFFFD')) continue;
    const digest = listDigest(text);
    digests.set(digest.toString('hex'), digest);
  }
}
await writeFile(LIST, Buffer.concat([...digests.values()].sort(Buffer.compare)));
process.stdout.write(`${digests.size} passwords\n`);
