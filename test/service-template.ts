// Fills one data folder with the demonstration (schema, people, directory) for the whole test run; each service that a
// test starts gets a copy of it. Its path is in HYGIE_TEST_TEMPLATE.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareStart } from '../src/commands/first-start.ts';
import { loadSettings } from '../src/shared/config/index.ts';
import { createLog } from '../src/shared/log.ts';

export async function makeTemplate(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-template-'));
  process.env['HYGIE_TEST_TEMPLATE'] = folder;
  const settings = await loadSettings({ HYGIE_DATA: folder, LOG_LEVEL: 'warn' });
  await prepareStart(settings, createLog(settings.log));
}

export async function removeTemplate(): Promise<void> {
  const folder = process.env['HYGIE_TEST_TEMPLATE'];
  if (folder) await rm(folder, { recursive: true, force: true });
}
