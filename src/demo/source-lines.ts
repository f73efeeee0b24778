// The lines of code that do each step, read from the files themselves, so that what the page shows is what runs.

import { readFileSync } from 'node:fs';

/** Lines of a file, without the indentation that all of them have. */
export interface Excerpt {
  /** Path in the repository. */
  file: string;
  /** Number of the first line, from 1. */
  first: number;
  text: string;
}

/** For each step the file, and what its first and its last line contain. */
const PLACES: readonly (readonly [file: string, first: string, last: string])[] = [
  ['relying-party.ts', 'const state = client.randomState()', 'return { authorizationUrl'],
  ['sign-in.ts', '// Step 2:', 'const underway ='],
  ['sign-in.ts', '// Step 3:', 'delete request.session.demoSignIn'],
  ['relying-party.ts', 'const tokens = await client.authorizationCodeGrant', '});'],
  ['relying-party.ts', 'const claims = tokens.claims()', 'client.fetchUserInfo'],
  ['sign-in.ts', '// Step 6:', 'await renewSession'],
  ['logout-token.ts', 'const { payload, protectedHeader } = await jwtVerify', 'received.set('],
];

/** The code of the seven steps, the first step first. Throws if a file does not have the lines any more. */
export function codeOfSteps(): Excerpt[] {
  return PLACES.map(([file, first, last]) => {
    const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
    const from = lines.findIndex((line) => line.includes(first));
    const to = lines.findIndex((line, at) => at >= from && line.includes(last));
    if (from < 0 || to < 0) throw new Error(`src/demo/${file} has no lines from "${first}" to "${last}".`);
    const shown = lines.slice(from, to + 1);
    const indent = Math.min(...shown.filter((line) => line.trim()).map((line) => line.search(/\S/)));
    return { file: `src/demo/${file}`, first: from + 1, text: shown.map((line) => line.slice(indent)).join('\n') };
  });
}
