// The version of the service, from package.json.

import { readFileSync } from 'node:fs';

const file = new URL('../../package.json', import.meta.url);

export const VERSION = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
