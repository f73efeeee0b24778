// Jest's configuration of `npm run test:system`: that of `npm test` (`package.json`), for the files that start many processes or
// browsers, or need what a machine may not have, such as root, namespaces and packages of Debian.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const { jest } = createRequire(import.meta.url)('../package.json');

export default {
  ...jest,
  rootDir: join(import.meta.dirname, '..'),
  testMatch: ['<rootDir>/test/**/*.system.test.ts'],
  testPathIgnorePatterns: [],
};
