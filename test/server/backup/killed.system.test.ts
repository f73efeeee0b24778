// "never half done": a backup and a restore that are killed at a random moment leave nothing that looks whole, and the same command
// again does all of it.

import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, launch } from '#support/cli/serving.ts';
import { ENGINES, newDatabase } from '#support/databases.ts';

/** Milliseconds after its first file appears; the whole work takes some hundred. */
const LATEST = 150;

const folder = mkdtempSync(join(tmpdir(), 'hygie-killed-'));
const place = filledInstallation();
const hygie = inProcess(place);
const backup = join(folder, 'backup');

beforeAll(async () => {
  expect((await hygie(['backup', backup, '--with-directory'])).code).toBe(0);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  place.remove();
});

it('a killed backup has no name; the next one of that name is whole', async () => {
  const target = join(folder, 'killed');
  await killed(['backup', target, '--with-directory'], {}, folder);
  // Unless it was done before it was killed.
  if (!existsSync(target)) expect((await hygie(['backup', target])).code).toBe(0);
  expect((await hygie(['backup', '--verify', target])).code).toBe(0);
});

describe.each(ENGINES)('a killed restore on %s', (engine) => {
  it('is done by the same command again', async () => {
    const { settings, remove } = await newDatabase(engine);
    const data = join(folder, `data-${engine}`);
    const env = { HYGIE_DATA: data, ...(settings.engine === 'postgresql' && { DATABASE_URL: settings.url }) };
    await killed(['restore', backup], env, folder);
    const unfinished = existsSync(join(data, 'restore-unfinished'));
    const again = await hygie(['restore', backup], { env });
    // Killed before it wrote anything, in between, or when all was done.
    expect([again.code, unfinished && again.code === 1]).toEqual([expect.any(Number), false]);
    const { stdout } = await hygie(['directory', 'verify', '--json'], { env });
    expect([JSON.parse(stdout).sound, (await hygie(['audit', 'verify'], { env })).code]).toEqual([true, 0]);
    expect(readdirSync(data)).not.toContain('restore-unfinished');
    await remove();
  });
});

/** Runs a command and kills it some time after something appears in the folder, or below it. */
async function killed(args: readonly string[], env: Record<string, string>, below: string): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const watching = watch(below, { recursive: true }, () => begun.resolve());
  const { child, ended } = launch(place, args, env);
  void ended.then(() => begun.resolve());
  await begun.promise;
  watching.close();
  await pause(randomInt(LATEST));
  child.kill('SIGKILL');
  await ended;
}
