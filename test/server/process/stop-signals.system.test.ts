// operations.md, "stop it: SIGTERM": npm hands a signal on, and terminals and supervisors signal a whole group, so that each
// process is signalled twice at once; that is no second wish, and requests in flight are still finished.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, halfRequest, launch, type Serving, serve, tellTwice } from '#support/cli/serving.ts';

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

// Of several processes: `serve.test.ts`.
describe('operations.md: serve', () => {
  it('signalled twice at once: a request in flight is answered, its open connection is not waited for, and the exit code is 0', async () => {
    const service = await serve(place, { LOG_FORMAT: 'json' });
    serving = service;
    const { port, child, outputMatching, output, ended } = service;
    await outputMatching(/answers at/);
    const request = await halfRequest(port);
    tellTwice([child.pid ?? 0]);
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
    tellTwice([watching.child.pid ?? 0]);
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
      expect(await inProcess(empty)(['directory', 'status'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/current/),
      });
    } finally {
      empty.remove();
    }
  });
});
