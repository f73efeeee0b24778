// operations.md, "stop it: SIGTERM": npm hands a signal on, and terminals and supervisors signal a whole group, so that each
// process is signalled twice at once; that is no second wish, and requests in flight are still finished.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, installation } from '../../support/cli/hygie.ts';
import { filledInstallation, halfRequest, launch, type Serving, serve } from '../../support/cli/serving.ts';

/** Stopped meanwhile, so that both are there when a process goes on: however slow the machine is, they come at once. */
const TOLD_TWICE = ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const;

let place: Installation;
let serving: Pick<Serving, 'child' | 'ended'> | undefined;
beforeAll(() => {
  place = filledInstallation();
});
afterAll(() => place.remove());
afterEach(async () => {
  serving?.child.kill('SIGKILL');
  await serving?.ended;
});

describe.each(['1', '2'])('operations.md: serve with HYGIE_PROCESSES=%s', (processes) => {
  it('every process is signalled twice at once, and by its leader: a request in flight is answered, its open connection is not waited for, and the exit code is 0', async () => {
    const service = await serve(place, { HYGIE_PROCESSES: processes, LOG_FORMAT: 'json' });
    serving = service;
    const { port, child, outputMatching, output, ended } = service;
    await outputMatching(processes === '2' ? /(a worker process listens[\s\S]*){2}/ : /answers at/);
    const request = await halfRequest(port);
    const workers = [...output().matchAll(/"worker":(\d+),"msg":"a worker process listens"/g)].map(([, pid]) =>
      Number(pid),
    );
    for (const pid of [child.pid ?? 0, ...workers]) for (const signal of TOLD_TWICE) process.kill(pid, signal);
    await outputMatching(/stopping: requests in flight/);
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 401 .*"invalid_client"/s);
    expect(await ended).toBe(0);
    expect(output()).not.toMatch(/cut off|killed|replaced/);
    request.socket.destroy();
  });
});

describe('operations.md: directory import --watch', () => {
  it('SIGINT twice at once, as by Ctrl-C under npm: the watch ends by itself', async () => {
    const editions = join(place.folder, 'editions');
    mkdirSync(editions);
    const watching = launch(place, ['directory', 'import', '--watch', editions], { LOG_FORMAT: 'json' });
    serving = watching;
    await watching.outputMatching(/"msg":"[^"]*watch/);
    for (const signal of TOLD_TWICE) watching.child.kill(signal);
    expect(await watching.ended).toBe(0);
    expect(watching.output()).toContain('the watch has ended');
  });
});

describe('operations.md: serve on its first start', () => {
  it('SIGTERM while the database is filled: that is brought to its end, and nothing is left locked', async () => {
    const empty = installation();
    try {
      const first = await serve(empty, { LOG_FORMAT: 'json' });
      serving = first;
      await first.outputMatching(/the database has the newest schema/);
      first.child.kill('SIGTERM');
      expect(await first.ended).toBe(0);
      expect(first.output()).not.toContain('answers at');
      expect(await empty.hygie(['directory', 'status'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/current/),
      });
    } finally {
      empty.remove();
    }
  });
});
