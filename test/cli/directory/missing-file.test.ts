// Operations: an edition without its file, as a restore without the directory leaves it, or with a damaged one: `directory rollback` does not
// switch to it, and `directory status` shows it as such.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { ENGINES, newDatabase } from '#support/databases.ts';
import { activity, registerText } from '#support/import/register-files.ts';

let place: Installation;
let remove: () => Promise<void> = async () => {};
afterAll(async () => {
  place?.remove();
  await remove();
});

it.each(ENGINES)('an edition whose file is missing or damaged is refused by rollback, on %s', async (engine) => {
  const made = await newDatabase(engine);
  ({ remove } = made);
  place = installation(made.settings.engine === 'postgresql' ? { DATABASE_URL: made.settings.url } : {});
  const hygie = inProcess(place);
  for (const given of ['Zoé', 'Ana']) {
    const file = join(place.folder, `${given}.txt`);
    writeFileSync(file, registerText('activities', [activity({ 8: given })]));
    const args = ['directory', 'import', '--accept', given === 'Ana' ? 'other-people,partial' : 'partial', file];
    expect(await hygie(args)).toMatchObject({ code: 0 });
  }
  const status = async () => JSON.parse((await hygie(['directory', 'status', '--json'])).stdout);
  const before = await status();
  const previous = before.snapshots.find(({ state }: { state: string }) => state === 'previous');
  const path = join(place.folder, 'data', 'directory', previous.file);
  const whole = readFileSync(path);
  rmSync(path);
  const gone = await hygie(['directory', 'rollback']);
  expect(gone.code).toBe(1);
  expect(gone.stderr).toMatch(
    /The file of the snapshot before.*was not restored.*\nRemedy: put .*sqlite back.*import/s,
  );
  expect((await hygie(['directory', 'status'])).stdout).toMatch(
    /^previous \S+ {2}loaded .*\n(?: .*\n)* {9}WITHOUT ITS FILE/m,
  );
  const missing = (await status()).snapshots.filter((one: { fileMissing?: boolean }) => one.fileMissing);
  expect(missing).toEqual([expect.objectContaining({ id: previous.id })]);
  writeFileSync(path, Buffer.concat([whole.subarray(0, -1), Buffer.from([(whole.at(-1) ?? 0) ^ 1])]));
  const damaged = await hygie(['directory', 'rollback']);
  expect(damaged).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/The snapshot before, .* was found damaged: import/),
  });
  writeFileSync(path, whole);
  expect(await status()).toMatchObject({ current: before.current, previous: before.previous });
  expect(await hygie(['directory', 'rollback'])).toMatchObject({ code: 0 });
  expect(await status()).toMatchObject({ current: before.previous, previous: before.current });
  place.remove();
  await remove();
  remove = async () => {};
});
