// What the service of the pauses has to do beside its requests: two editions of the directory to switch between, expired records to
// remove, and a client that is told of sign-outs.

import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ROOT } from '#tools/site/processes.ts';

const EDITION = join(ROOT, 'seeds', 'edition');

export type Command = (...args: readonly string[]) => Promise<unknown>;

/** Runs a command of the service beside it, in a process of its own. */
export function commandsOf(site: Record<string, string>): Command {
  return (...args) =>
    promisify(execFile)(process.execPath, ['src/launch.js', ...args], { cwd: ROOT, env: { ...process.env, ...site } });
}

/** Imports the demonstration's edition without its last diploma: the one before is then the previous one. */
export async function importAnother(folder: string, command: Command): Promise<void> {
  const edition = join(folder, 'edition');
  await mkdir(edition);
  for (const name of await readdir(EDITION)) {
    if (!name.includes('_Dipl_')) {
      await copyFile(join(EDITION, name), join(edition, name));
      continue;
    }
    const lines = gunzipSync(await readFile(join(EDITION, name)))
      .toString()
      .trimEnd()
      .split('\n');
    await writeFile(join(edition, name), gzipSync(`${lines.slice(0, -1).join('\n')}\n`));
  }
  await command('directory', 'import', edition);
}

/** A client's receiver of logout tokens. */
export async function startReceiver() {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`,
    received: () => received,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
