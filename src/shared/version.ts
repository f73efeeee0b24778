// Owns the version of the service, which stands in package.json alone.

import { readFileSync } from 'node:fs';

const file = new URL('../../package.json', import.meta.url);

/** Version of this release, as in package.json. */
export const VERSION = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
