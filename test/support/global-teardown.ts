// Stops and removes what global-setup.ts made.

import { stopPostgres } from './postgres.ts';
import { removeTemplate } from './service-template.ts';

export default async function teardown(): Promise<void> {
  await Promise.all([stopPostgres(), removeTemplate()]);
}
