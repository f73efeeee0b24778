// Jest's configuration of `npm run test:system`: that of `npm test` (`package.json`), for the files that start many processes or
// browsers, need what a machine may not have, such as root, namespaces and packages of Debian, or race and draw at length; and for the races of
// `npm test`, on PostgreSQL.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { racesOfBoth } from './support/both-engines.ts';

const { jest } = createRequire(import.meta.url)('../package.json');

process.env.HYGIE_TEST_RACES = 'postgresql';

export default {
  ...jest,
  rootDir: join(import.meta.dirname, '..'),
  testMatch: [
    '<rootDir>/test/**/*.system.test.ts',
    ...[...racesOfBoth].map((name) => `<rootDir>/test/${name}.test.ts`),
  ],
  testPathIgnorePatterns: [],
};
