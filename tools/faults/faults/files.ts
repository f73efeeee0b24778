// Files that the service reads: gone, cut short, not readable any more.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#support/free-port.ts';
import { BOTH, type Fault, type Refused, SQLITE } from '#tools/faults/fault.ts';
import type { Site } from '#tools/faults/site/site.ts';
import { run } from '#tools/site/processes.ts';

const clients = ({ config }: Site) => join(config, 'clients.yaml');
const aside = (file: string) => `${file}.aside`;

function snapshotOf({ dataFolder }: Site): string {
  const folder = join(dataFolder, 'directory');
  const name = readdirSync(folder).find((one) => one.endsWith('.sqlite'));
  return join(folder, name ?? 'none');
}

let whole: { file: string; content: Buffer } | undefined;

export const files: Fault[] = [
  {
    name: 'clients.yaml is removed',
    how: 'renamed for 4 s while the service runs',
    on: BOTH,
    seconds: 4,
    unnoticed: true,
    ready: 200,
    log: /the last good version stays in force/,
    make: (site) => renameSync(clients(site), aside(clients(site))),
    mend: (site) => renameSync(aside(clients(site)), clients(site)),
  },
  {
    name: 'clients.yaml cannot be read',
    how: 'a folder in its place (root reads every file), for 4 s',
    on: BOTH,
    seconds: 4,
    unnoticed: true,
    ready: 200,
    log: /the last good version stays in force/,
    make: (site) => {
      renameSync(clients(site), aside(clients(site)));
      mkdirSync(clients(site));
    },
    mend: (site) => {
      rmSync(clients(site), { recursive: true });
      renameSync(aside(clients(site)), clients(site));
    },
  },
  {
    name: 'service.yaml is removed',
    how: 'renamed for 4 s while the service runs: it is read at the start alone',
    on: BOTH,
    seconds: 4,
    unnoticed: true,
    ready: 200,
    make: ({ config }) => renameSync(join(config, 'service.yaml'), join(config, 'service.aside')),
    mend: ({ config }) => renameSync(join(config, 'service.aside'), join(config, 'service.yaml')),
  },
  {
    name: 'the snapshot in force is removed',
    how: 'its file renamed for 4 s while searches run',
    on: BOTH,
    seconds: 4,
    unnoticed: true,
    make: (site) => {
      const file = snapshotOf(site);
      renameSync(file, aside(file));
      whole = { file, content: Buffer.alloc(0) };
    },
    mend: () => {
      if (whole && existsSync(aside(whole.file))) renameSync(aside(whole.file), whole.file);
    },
  },
  {
    name: 'the snapshot in force is cut short',
    how: 'its file truncated in place to half, for 4 s, then written whole again',
    on: BOTH,
    seconds: 4,
    may: /^(500|503) at \/directory/,
    make: (site) => {
      const file = snapshotOf(site);
      whole = { file, content: readFileSync(file) };
      truncateSync(file, Math.floor(whole.content.length / 2));
    },
    mend: () => {
      if (whole) writeFileSync(whole.file, whole.content, { flag: 'r+' });
    },
    check: async (site) => {
      const { code, stderr } = await site.hygie(['directory', 'verify']);
      return code === 0 ? [] : [`directory verify: ${stderr}`];
    },
  },
];

export const unreadable: Refused[] = [
  {
    name: 'data folder of another account',
    how: 'a start as another user (setpriv), who may not read it',
    on: SQLITE,
    code: 1,
    says: /EACCES|EPERM|permission|right to read/i,
    run: async ({ environment }) => {
      const as = ['--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath, 'src/launch.js', 'serve'];
      const env = { ...environment, HYGIE_PORT: String(await freePort()) };
      const { code, stdout, stderr } = await run('setpriv', as, { env, timeout: 60_000 }).ended;
      return { code, said: stdout + stderr };
    },
  },
  {
    name: 'service.yaml cannot be read at the start',
    how: 'a folder in its place',
    on: SQLITE,
    code: 1,
    says: /service\.yaml/,
    run: async ({ config, hygie }) => {
      const file = join(config, 'service.yaml');
      renameSync(file, aside(file));
      mkdirSync(file);
      try {
        const { code, stdout, stderr } = await hygie(['serve']);
        return { code, said: stdout + stderr };
      } finally {
        rmSync(file, { recursive: true });
        renameSync(aside(file), file);
      }
    },
  },
];
