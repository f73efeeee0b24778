// How processes of the service end: signalled twice at once, under npm, with work under way, and with an error that nothing handles (SEC-17).

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { inherited, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, halfRequest, launch, type Serving, serve, tellTwice } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

// operations.md, "stop it: SIGTERM": npm hands a signal on, and terminals and supervisors signal a whole group, so that each process is
// signalled twice at once; that is no second wish, and requests in flight are still finished.
describe('a stop signal', () => {
  let serving: Pick<Serving, 'child' | 'ended'> | undefined;
  const place = openedForAll(filledInstallation);
  afterEach(async () => {
    serving?.child.kill('SIGKILL');
    await serving?.ended;
  });

  // Of several processes: `serve.system.test.ts`.
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
    });
  });
});

// operations.md, "Two commands": what npm starts ends with npm, gracefully where that is possible, and its port is free again.
describe('npm', () => {
  const ROOT = join(import.meta.dirname, '..', '..', '..');
  /** npm and the service start, one after the other. */
  const SLOW = 60_000;

  let npm: ChildProcess;
  let written = '';
  const place = openedForAll(filledInstallation);
  afterEach(() => {
    const service = serviceIn(written);
    if (service !== undefined) kill(service);
  });

  const serviceIn = (text: string) => {
    const pid = /"pid":(\d+)/.exec(text)?.[1];
    return pid === undefined ? undefined : Number(pid);
  };
  const kill = (pid: number) => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  };

  /** Starts the service by npm; resolves with its port when it listens. */
  async function start(args: readonly string[]): Promise<number> {
    const port = await freePort();
    written = '';
    npm = spawn('npm', args, {
      cwd: ROOT,
      env: {
        ...inherited(),
        ...place.environment,
        HYGIE_HOST: '127.0.0.1',
        HYGIE_PORT: String(port),
        LOG_FORMAT: 'json',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [npm.stdout, npm.stderr])
      stream?.on('data', (text) => {
        written += text;
      });
    await until(() => /answers at/.test(written), 'the service answers');
    return port;
  }

  const isFree = async (port: number) =>
    fetch(`http://127.0.0.1:${port}/health/live`).then(
      () => false,
      () => true,
    );

  const TWO_COMMANDS = [
    ['npm start', 'SIGTERM', ['start']],
    ['npm run -s hygie -- serve', 'SIGINT', ['run', '-s', 'hygie', '--', 'serve']],
  ] as const;

  it.each(TWO_COMMANDS)(
    '%s, %s to npm alone: the service ends gracefully before npm does, with exit code 0',
    async (_command, signal, args) => {
      const port = await start(args);
      const ended = once(npm, 'exit');
      npm.kill(signal);
      expect(await ended).toEqual([0, null]);
      expect(written).toContain(`"signal":"${signal}"`);
      expect(written).toMatch(/"msg":"stopped"/);
      expect(await isFree(port)).toBe(true);
    },
    SLOW,
  );

  it(
    'SIGKILL to npm, which hands nothing on, nor does it after SIGHUP: the service ends all the same, gracefully',
    async () => {
      const port = await start(['start']);
      npm.kill('SIGKILL');
      await until(() => /"signal":"end of npm".*"msg":"stopped"/s.test(written), 'the service has stopped');
      await until(() => isFree(port), 'the port is free');
    },
    SLOW,
  );
});

// The end of a process is bounded once its requests were cut off, whatever still keeps it busy.
describe('the end of a process is bounded', () => {
  it('a process that has closed ends, though work of requests that were cut off is under way', async () => {
    const file = new URL('../../../src/server/process/process-end.ts', import.meta.url).href;
    const busy = `setInterval(() => {}, 1000); (await import('${file}')).exitSoon(7, 1);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', busy], { stdio: 'ignore' });
    try {
      expect(await once(child, 'exit')).toEqual([7, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

// SEC-17: what Node itself says of a process is in the log, masked, and nowhere else.
describe('SEC-17 what Node itself says of a process', () => {
  const from = (file: string) => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url).href);
  const START = `
  const { createLog } = await import(${from('shared/log/log.ts')});
  const { logProcessMessages } = await import(${from('server/process/process-end.ts')});
  logProcessMessages(createLog({ level: 'info', format: 'json' }));`;

  /** What a process of this code writes to its two outputs, and its exit code. */
  function run(code: string, env: Record<string, string> = {}) {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', START + code], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    });
    return {
      lines: stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      stdout,
      stderr,
      status,
    };
  }

  it('SEC-17 a promise that nobody awaited is one masked line, and ends the process with 1', () => {
    const secret = randomBytes(12).toString('hex');
    const { lines, stdout, stderr, status } = run(
      `process.emitWarning('token=${secret}');
     setImmediate(() => Promise.reject(Object.assign(new Error('postgres://u:${secret}@db/x\\nnext'), { password: '${secret}' })));`,
      { NODE_DEBUG: 'none-of-them' },
    );
    expect([status, stderr]).toEqual([1, '']);
    expect(stdout).not.toContain(secret);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['warn', expect.stringMatching(/^NODE_DEBUG is set/)],
      ['warn', 'Node warns'],
      ['fatal', 'an error that nothing handles: the process ends'],
    ]);
    expect(lines[2]).toMatchObject({ origin: 'unhandledRejection', err: { type: 'Error', stack: expect.any(String) } });
  });

  it('SEC-17 DEBUG makes no library print statements with their values', async () => {
    const place = installation();
    const { code, stderr } = await place.hygie(['migrate'], { env: { DEBUG: '*' } });
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/knex:|express:/);
  });
});
