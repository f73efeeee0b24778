// operations.md, `serve`: one process from the start to the stop signal: what it says, where it answers, and how it ends.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openDatabase } from '#store/database/connection.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { until } from '#support/until.ts';

describe('serve', () => {
  const EVENTS = ['uncaughtException', 'warning', 'exit', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  let listeners: (readonly [string, unknown[]])[];
  let exits: unknown[];

  beforeEach(() => {
    listeners = EVENTS.map((event) => [event, process.rawListeners(event)] as const);
    exits = [];
    jest.spyOn(process, 'exit').mockImplementation(((code: unknown) => void exits.push(code)) as never);
  });
  afterEach(() => {
    for (const [event, before] of listeners) {
      process.removeAllListeners(event);
      for (const one of before) process.on(event, one as () => void);
    }
    jest.restoreAllMocks();
  });

  it('serves until a stop signal, drains, and ends', async () => {
    const place = filledInstallation();
    const hygie = inProcess(place);
    const [port, metrics] = [await freePort(), await freePort()];
    place.configure('service.yaml', `listen: { drain: 2s, finish: 1s }\nmetrics: { port: ${metrics} }\n`);
    const env = {
      HYGIE_HOST: '127.0.0.1',
      HYGIE_PORT: String(port),
      HYGIE_ISSUER: `http://127.0.0.1:${port}`,
      LOG_LEVEL: 'silent',
    };
    const ended = hygie(['serve'], { env });
    const status = (at: number, path: string) =>
      fetch(`http://127.0.0.1:${at}${path}`).then(
        (answer) => answer.status,
        () => undefined,
      );
    await until(async () => (await status(port, '/health/ready')) === 200, 'it serves');
    expect([await status(metrics, '/metrics'), await status(port, '/demo')]).toEqual([200, 200]);
    process.emit('SIGTERM', 'SIGTERM');
    await until(async () => (await status(port, '/health/ready')) === 503, 'it drains');
    expect(await status(port, '/.well-known/openid-configuration')).toBe(200);
    const { code, stdout, stderr } = await ended;
    expect([code, stdout, await status(port, '/health/live'), await status(metrics, '/metrics')]).toEqual([
      0,
      '',
      undefined,
      undefined,
    ]);
    expect(stderr).toContain(`Hygie answers at http://127.0.0.1:${port}\n`);
    await until(() => exits.length > 0, 'its end is asked for');
    expect(exits).toEqual([0]);
    const database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
    const [event] = await openAuditEvents(database).search({ events: ['service.started'], limit: 1 });
    await database.destroy();
    expect(event).toMatchObject({ event: 'service.started', actor: 'service' });
  });

  it('is refused with what is wrong before anything listens', async () => {
    const place = filledInstallation();
    const hygie = inProcess(place);
    place.configure('service.yaml', 'directory: { tryClient: nobody }\n');
    expect(await hygie(['serve'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('directory.tryClient'),
    });
    place.configure('service.yaml', 'listen: { tls: { certificate: none.pem, key: none.key } }\n');
    expect(await hygie(['serve'], { env: { LOG_LEVEL: 'silent' } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('listen.tls'),
    });
    expect(exits).toEqual([]);
  });
});
