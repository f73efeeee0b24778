// What the whole test run shares: a real PostgreSQL, a data folder filled once, and the record of what directories answer.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANSWERS } from './fhir/answers.ts';
import { startPostgres } from './postgres.ts';
import { makeTemplate } from './service-template.ts';

export default async function setup(): Promise<void> {
  process.env[ANSWERS] = mkdtempSync(join(tmpdir(), 'hygie-answers-'));
  await Promise.all([startPostgres(), makeTemplate()]);
}
