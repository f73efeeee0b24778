// The lines of code for each step of a sign-in, and for the check of a logout token. They are read from the source files, so that the page
// shows the code that really runs.

import { readFileSync } from 'node:fs';

/** Some lines of a file, without their common indentation. */
export interface Excerpt {
  /** Path of the file in the repository. */
  file: string;
  /** Number of the first of these lines. The first line of a file is 1. */
  first: number;
  text: string;
}

/** The places of the lines that the page shows: the file, a part of the first line, and a part of the last line. */
const PLACES: readonly (readonly [file: string, first: string, last: string])[] = [
  ['relying-party.ts', 'const state = client.randomState()', 'return { authorizationUrl'],
  ['sign-in.ts', '// Step 2:', 'const underway ='],
  ['sign-in.ts', '// Step 3:', 'delete request.session.demoSignIn'],
  ['relying-party.ts', 'const tokens = await client.authorizationCodeGrant', '});'],
  ['relying-party.ts', 'const claims = tokens.claims()', 'client.fetchUserInfo'],
  ['sign-in.ts', '// Step 6:', 'await renewSession'],
  ['logout-token.ts', 'const { payload, protectedHeader } = await jwtVerify', 'received.set('],
];

/**
 * Returns the code of the six steps in their order, followed by the check of a logout token. Throws if a file does not have the lines that
 * `PLACES` names.
 */
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
