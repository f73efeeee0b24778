// Processes that are killed while they work.

import { setTimeout } from 'node:timers/promises';
import { BOTH, type Fault, GONE, POSTGRESQL } from '#tools/faults/fault.ts';
import type { Site } from '#tools/faults/site/site.ts';
import { childrenOf } from '#tools/site/proc.ts';

const restartWith = (env: Record<string, string>) => async (site: Site) => {
  await site.service.kill('SIGTERM');
  await site.service.start(env);
};

export const processes: Fault[] = [
  {
    name: 'kill -9 of the service',
    how: 'SIGKILL of the one process, started again',
    on: BOTH,
    seconds: 1,
    may: GONE,
    kills: true,
    make: ({ service }) => service.kill('SIGKILL'),
    mend: ({ service }) => service.start(),
  },
  {
    name: 'kill -9 during a key rotation',
    how: '`hygie keys rotate` and the service, both killed within the second',
    on: BOTH,
    seconds: 1,
    may: GONE,
    kills: true,
    make: async (site) => {
      const rotation = site.hygie(['keys', 'rotate']);
      await setTimeout(700);
      await site.service.kill('SIGKILL');
      await rotation;
    },
    mend: ({ service }) => service.start(),
    check: async (site) => {
      const { code, stderr } = await site.hygie(['keys', 'list']);
      return code === 0 ? [] : [`keys list: ${stderr}`];
    },
  },
  {
    name: 'kill -9 of one worker of two',
    how: '`HYGIE_PROCESSES=2`, SIGKILL of one of them',
    on: BOTH,
    seconds: 3,
    may: GONE,
    kills: true,
    log: /a worker process ended and is replaced/,
    make: async (site) => {
      await restartWith({ HYGIE_PROCESSES: '2' })(site);
      const [worker] = childrenOf(site.service.pid);
      if (worker !== undefined) process.kill(worker, 'SIGKILL');
    },
    mend: () => {},
  },
  {
    name: 'kill -9 of the primary process of two workers',
    how: '`HYGIE_PROCESSES=2`, SIGKILL of the process that started them; started again',
    on: BOTH,
    seconds: 2,
    may: GONE,
    kills: true,
    make: ({ service }) => service.kill('SIGKILL'),
    mend: ({ service }) => service.start(),
  },
  {
    name: 'kill -9 of PostgreSQL',
    how: 'SIGKILL of the postmaster; started again after 4 s',
    on: POSTGRESQL,
    seconds: 4,
    ready: 503,
    make: (site) => site.postgres?.kill(),
    mend: (site) => site.postgres?.start(),
  },
];
