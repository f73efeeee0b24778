// The directory's commands in this process, on an installation that is empty before each test.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { directoryCommand } from '#cli/directory/directory.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { writeMigrated } from '#support/databases.ts';
import { newFolder } from '../new-folder.ts';
import { keepOutput, run } from './in-process.ts';

/** Call it once in a file of tests. The environment of the process is that of the installation until the tests have ended. */
export function directoryCommands() {
  const folder = newFolder();
  const environment = { ...process.env };
  /** Writes a file into the installation's folder. */
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const connect = (): Database => openDatabase({ engine: 'sqlite', file: join(folder, 'data', 'hygie.sqlite') });
  /** Runs a command; resolves with its exit code. */
  const hygie = (...args: string[]): Promise<number> => run({ directory: async () => directoryCommand }, args);

  beforeAll(() => {
    mkdirSync(join(folder, 'config'));
    file('config/service.yaml', 'namespace: https://hygie.example\n');
    Object.assign(process.env, { HYGIE_CONFIG: join(folder, 'config'), HYGIE_DATA: join(folder, 'data') });
  });
  beforeEach(async () => {
    rmSync(join(folder, 'data'), { recursive: true, force: true });
    await writeMigrated(join(folder, 'data', 'hygie.sqlite'));
  });
  afterAll(() => {
    process.env = environment;
  });
  keepOutput();
  return { folder, environment, file, connect, hygie };
}
