// Runs in every test file: sets back what the file has changed of its process, which Jest uses for the next one.

import { getPriority, setPriority } from 'node:os';
import { afterAll, jest } from '@jest/globals';
import { removeFoldersOfWorker } from '#support/new-folder.ts';

const folder = process.cwd();
const umask = process.umask();
const priority = getPriority();

removeFoldersOfWorker();

afterAll(() => {
  jest.restoreAllMocks();
  process.chdir(folder);
  process.umask(umask);
  // Only root may raise it. Others run what follows at the lower one.
  if (getPriority() > priority && process.getuid?.() === 0) setPriority(priority);
});
