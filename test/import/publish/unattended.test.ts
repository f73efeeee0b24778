// Directory data, renewal: what an import without a person at hand refuses: mixed editions, and a directory that goes back
// by itself.

import { appendFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { listInputs } from '#import/sources/inputs.ts';
import { rollBack } from '#store/snapshots/registry.ts';
import { benchForEach } from '#support/import/bench.ts';
import { activity, registerText } from '#support/import/register-files.ts';

const PA = 'PS_LibreAcces_Personne_activite';

describe('renewal: files that nobody chose', () => {
  const bench = benchForEach();

  const edition = (name: string, given: string) =>
    bench.file(name, registerText('activities', [activity({ 8: given }), activity({ 1: '19000000026' })]));
  const run = (...paths: string[]) => bench.run(paths, { foundIn: bench.folder });
  const refusal = async (...paths: string[]) => {
    const { outcome, guards } = await run(...paths);
    return `${outcome}: ${guards.flatMap(({ name, passed, figures }) => (passed ? [] : [`${name}: ${figures}`])).join('\n')}`;
  };

  it('a file that is no register is left out, as one of a folder is', async () => {
    const readme = bench.file('README.md', 'Downloaded every night.');
    const report = await run(edition(`${PA}_202610080830.txt`, 'Zoé'), readme);
    expect(report.outcome).toBe('imported');
    expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'not-a-register', count: 1 }));
  });

  it('two files of a register without dates', async () => {
    const files = [edition('monday.txt', 'Zoé'), edition('tuesday.txt', 'Léa')];
    await expect(run(...files)).rejects.toThrow(/monday\.txt: is of the same register as .*tuesday\.txt.*no date/);
    await expect(bench.run(files)).rejects.toThrow(/unclear/);
  });

  it('an edition older than the directory, and one that a rollback left', async () => {
    const [eighth, ninth] = [edition(`${PA}_202610080830.txt`, 'Zoé'), edition(`${PA}_202610090830.txt`, 'Léa')];
    expect((await run(eighth)).outcome).toBe('imported');
    expect((await run(ninth)).outcome).toBe('imported');
    expect((await run(ninth)).outcome).toBe('unchanged');
    const older = edition(`${PA}_202610070830.txt`, 'Ida');
    const named = await bench.run([older]);
    expect(named.judgement).toMatchObject({ verdict: 'refused', acceptedBy: '--accept older-edition:activities' });
    expect(await refusal(older)).toMatch(
      /^refused: older-edition: of 2026-10-07T08:30, and .* that of 2026-10-09T08:30/,
    );
    await rollBack(bench.database);
    expect(await refusal(ninth)).toMatch(/^refused: left-edition: snapshot \S+ holds this edition and was left/);
    // By hand what was left is loaded, and what is older where that is accepted.
    expect((await bench.run([ninth])).outcome).toBe('imported');
    expect((await bench.run([older], { accept: [{ name: 'older-edition' }] })).outcome).toBe('imported');
  });

  it('a file that is written on while it is read', async () => {
    const path = edition(`${PA}_202610080830.txt`, 'Zoé');
    const [input] = await listInputs([path]);
    const reading = async () => {
      for await (const chunk of (await input?.open(() => {})) ?? []) appendFileSync(path, chunk.subarray(0, 100));
    };
    await expect(reading()).rejects.toThrow(/202610080830\.txt: was changed while it was read\. Wait until/);
  });
});
