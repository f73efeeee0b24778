// `npm run bench:directory`: the directory at scale, part by part, and one table in Markdown at the end.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { createCleanup } from '#tools/site/cleanup.ts';
import { succeed } from '#tools/site/processes.ts';
import { writeConfig } from '#tools/site/service.ts';
import { measureCold } from './directory/cold.ts';
import { chooseEdition, type Edition } from './directory/edition.ts';
import { checkExactness } from './directory/exactness.ts';
import { measureHttp } from './directory/http.ts';
import { type Load, loadEdition, loadRows } from './directory/load-edition.ts';
import { type Options, type Part, readOptions } from './directory/options.ts';
import type { Sources } from './directory/query-classes.ts';
import { measureRenewal } from './directory/renewal.ts';
import { drawSources, withCurrentSnapshot } from './directory/site.ts';
import { measureStore } from './directory/store.ts';
import { markdown, megabytes, type Row } from './directory/table.ts';

const tell = (text: string) => {
  process.stderr.write(`[${new Date().toISOString().slice(11, 19)}, load ${load()}] ${text}\n`);
};
const load = () => (loadavg()[0] ?? 0).toFixed(1);

await bench(readOptions());

async function bench(options: Options): Promise<void> {
  const cleanup = createCleanup();
  const rows: Row[] = [];
  const wants = (part: Part) => !options.skip.has(part);
  try {
    const temporary = await mkdtemp(join(tmpdir(), 'hygie-bench-directory-'));
    cleanup.later(() => rm(temporary, { recursive: true, force: true }));
    const kept = options.keep === '' ? undefined : resolve(options.keep);
    const site = kept ?? join(temporary, 'site');
    await mkdir(site, { recursive: true });
    tell('choosing the edition');
    const edition = await chooseEdition(options, { temporary, renewed: wants('renewal'), cleanup });
    const env = await writeConfig(site);
    rows.push(machineRow(edition));

    const record = join(site, 'import.json');
    const reused = existsSync(record);
    if (!reused) {
      if (!wants('import') && kept === undefined) throw new Error('--skip import needs --keep with imported data.');
      tell('import');
      await succeed(['migrate'], { env, cleanup });
      const loaded = await loadEdition(edition.folder, env, cleanup);
      await writeFile(record, JSON.stringify(loaded));
    } else tell(`import: ${site} holds one already`);
    const first = JSON.parse(await readFile(record, 'utf8')) as Load;
    if (wants('import')) rows.push(...loadRows(reused ? 'import (of an earlier run)' : 'import', first));

    const { sources, file } = await throughTheStore(options, edition, env, rows);
    const { seconds, rounds, pageRate } = options;
    if (wants('http')) rows.push(...(await measureHttp({ env, sources, seconds, rounds, pageRate }, cleanup, tell)));
    if (wants('cold')) rows.push(...(await measureCold({ env, sources, file, seconds: seconds * 3 }, cleanup, tell)));
    if (wants('renewal') && edition.next !== undefined) {
      const { renewalRate: rate } = options;
      rows.push(...(await measureRenewal({ env, sources, next: edition.next, first, seconds, rate }, cleanup, tell)));
      // The kept data is to hold the same edition when it is measured again.
      if (kept !== undefined) await succeed(['directory', 'rollback'], { env, cleanup });
    } else if (wants('renewal')) rows.push({ what: 'renewal', note: 'not measured: no --next, no generator' });
    rows.push({ what: 'load average of the machine at the end', note: load() });
    process.stdout.write(`${markdown(rows)}\n`);
  } finally {
    await cleanup.all();
  }
}

/** Measures and checks the current snapshot where wanted, and draws from it what the other parts ask for. */
async function throughTheStore(
  { queries, skip }: Options,
  { folder }: Edition,
  env: Record<string, string>,
  rows: Row[],
): Promise<{ sources: Sources; file: string }> {
  return withCurrentSnapshot(env, async ({ snapshot, file, bytes }) => {
    const sources = await drawSources(snapshot);
    if (skip.has('store')) return { sources, file };
    rows.push({ what: 'snapshot on disk', note: megabytes(bytes / 2 ** 20) });
    rows.push(...(await measureStore({ snapshot, file, sources, queries }, tell)));
    tell('store: comparing with the truth of the data');
    rows.push(...(await checkExactness(snapshot, folder)));
    return { sources, file };
  });
}

function machineRow({ label }: Edition): Row {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${memory}, Node ${process.version}`;
  return { what: `data: ${label}`, note: `${machine}; load average ${load()} at the start` };
}
