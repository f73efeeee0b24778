// Stops and removes what global-setup.ts made.

import { rmSync } from 'node:fs';
import { ANSWERS } from './fhir/answers.ts';
import { stopPostgres } from './postgres.ts';
import { removeTemplate } from './service-template.ts';

export default async function teardown(): Promise<void> {
  rmSync(process.env[ANSWERS] ?? '', { recursive: true, force: true });
  await Promise.all([stopPostgres(), removeTemplate()]);
}
