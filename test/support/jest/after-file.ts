// Runs in every test file: sets back what the file has changed of its process, which Jest uses for the next one.

import { afterAll, jest } from '@jest/globals';
import { removeFoldersOfWorker } from '#support/new-folder.ts';
import { keptPriority } from './priority.ts';

const folder = process.cwd();
const umask = process.umask();
const setPriorityBack = keptPriority();

removeFoldersOfWorker();

afterAll(() => {
  jest.restoreAllMocks();
  process.chdir(folder);
  process.umask(umask);
  setPriorityBack();
});
