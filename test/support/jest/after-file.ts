// Runs in every test file: sets back what the file has changed of its process, which Jest uses for the next one.

import { getPriority, setPriority } from 'node:os';
import { afterAll, jest } from '@jest/globals';

const folder = process.cwd();
const umask = process.umask();
const priority = getPriority();

afterAll(() => {
  jest.restoreAllMocks();
  process.chdir(folder);
  process.umask(umask);
  // Only root may raise it. Others run what follows at the lower one.
  if (getPriority() > priority && process.getuid?.() === 0) setPriority(priority);
});
