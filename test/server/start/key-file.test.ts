// SEC-62 the file with the service's own key secret: whatever else starts in the same folder, its keys are encrypted with what it holds.

import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { takeKeyFile } from '#server/start/key-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hygie-key-file-'));
  file = join(folder, 'key-secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

const stored = () => readFileSync(file, 'utf8').trim();
const refusing = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

it('SEC-62 of processes with the same number, as in containers, all take what one has made', async () => {
  // Threads of a process have its number, and run at the same time.
  const program = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(({ takeKeyFile }) => {
      parentPort.once('message', () => parentPort.postMessage(takeKeyFile(workerData.file)));
      parentPort.postMessage('ready');
    });`;
  const module = new URL('../../../src/server/start/key-file.ts', import.meta.url).href;
  const workers = Array.from({ length: 4 }, () => new Worker(program, { eval: true, workerData: { module, file } }));
  const answerOf = (worker: Worker) =>
    new Promise<{ secret: string; made: boolean }>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
  try {
    await Promise.all(workers.map(answerOf));
    const answers = workers.map(answerOf);
    for (const worker of workers) worker.postMessage('take');
    const taken = await Promise.all(answers);
    expect(taken.filter(({ made }) => made)).toHaveLength(1);
    for (const { secret } of taken) expect(secret).toBe(stored());
    expect(readdirSync(folder)).toEqual(['key-secret']);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
});

it('SEC-62 what another process of the same number is writing is left alone', () => {
  const other = `${file}.${process.pid}`;
  writeFileSync(other, 'of another one');
  takeKeyFile(file);
  expect(readFileSync(other, 'utf8')).toBe('of another one');
});

it.each(['EPERM', 'ENOTSUP'])('a file system without second names (%s) has a key file all the same', (code) => {
  const { secret, made } = takeKeyFile(file, refusing(code));
  expect(made).toBe(true);
  expect(stored()).toBe(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(takeKeyFile(file, refusing(code))).toEqual({ secret, made: false });
  expect(readdirSync(folder)).toEqual(['key-secret']);
});

it('half a file is refused, not taken for a secret; other faults are not hidden', () => {
  writeFileSync(file, 'half');
  expect(() => takeKeyFile(file, linkSync)).toThrow(/no whole secret/);
  expect(() => takeKeyFile(file, refusing('ENOSPC'))).toThrow('ENOSPC');
  expect(readdirSync(folder)).toEqual(['key-secret']);
});
