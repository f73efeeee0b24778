// The command `health`, which health checks of containers and units call: what it asks, and what it says when all is not well.

import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { freePort } from '#support/free-port.ts';

const place = installation();
const hygie = inProcess(place);
let server: Server;
let port: number;
let asked: string[] = [];
let answer: { status: number; body: string } | undefined;
beforeAll(async () => {
  server = createServer((req, res) => {
    asked.push(req.url ?? '');
    if (answer) res.writeHead(answer.status).end(answer.body);
    else res.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
});

const health = (args: string[] = [], env: Record<string, string> = { HYGIE_PORT: String(port) }) => {
  asked = [];
  return hygie(['health', ...args], { env });
};

describe('operations.md: health', () => {
  it('asks whether the service runs, or with --ready whether it can serve, and prints what it says', async () => {
    answer = { status: 200, body: '{"status":"ok"}' };
    expect(await health()).toMatchObject({ code: 0, stdout: '{"status":"ok"}\n' });
    expect(asked).toEqual(['/health/live']);
    answer = { status: 503, body: '{"status":"unavailable","directory":"unavailable"}' };
    const unready = await health(['--ready']);
    expect(unready).toMatchObject({ code: 1, stdout: '' });
    expect(unready.stderr).toContain(`:${port}/health/ready: 503 {"status":"unavailable","directory":"unavailable"}`);
    answer = undefined;
    expect(await health()).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNRESET') });
  });

  it.each([
    ['listen: { host: 127.0.0.1, port: PORT }', {}],
    ['listen: { host: 0.0.0.0, port: PORT }', {}],
    ['listen: { port: 1 }', { HYGIE_PORT: 'PORT', HYGIE_HOST: '0.0.0.0' }],
    ['listen: { port: PORT }\nan-edit: that is faulty', {}],
    ['listen: { port: PORT, maxConnections: none }', { NODE_ENV: 'production' }],
    ['listen: [', { HYGIE_PORT: 'PORT' }],
  ])('finds the service by its settings, whether they are good or not: %s %j', async (yaml, env) => {
    answer = { status: 200, body: '{}' };
    place.configure('service.yaml', yaml.replace('PORT', String(port)));
    const variables = Object.entries(env).map(([name, value]) => [name, value.replace('PORT', String(port))]);
    expect(await health([], Object.fromEntries(variables))).toMatchObject({ code: 0 });
    place.configure('service.yaml', '');
  });

  it('--wait asks again until a service that starts is there', async () => {
    const later = await freePort();
    const waiting = health(['--wait', '10'], { HYGIE_PORT: String(later) });
    const second = createServer((_req, res) => res.end('{}'));
    await new Promise<void>((done) => second.listen(later, '127.0.0.1', done));
    expect(await waiting).toMatchObject({ code: 0 });
    second.close();
    const gone = await health([], { HYGIE_PORT: String(later) });
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringMatching(/ECONNREFUSED.*HYGIE_PORT/) });
    expect(await health(['--wait', 'long'])).toMatchObject({ code: 2 });
  });

  it('--pid ends the wait once the process that starts has ended, also where another service answers', async () => {
    const ended = String(spawnSync(process.execPath, ['--version']).pid);
    const none = { HYGIE_PORT: String(await freePort()) };
    const waited = await health(['--wait', '9999', '--pid', ended], none);
    expect(waited).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${ended} has ended`) });
    answer = { status: 200, body: '{}' };
    expect(await health(['--wait', '10', '--pid', ended])).toMatchObject({ code: 1, stdout: '' });
    expect(await health(['--wait', '10', '--pid', String(process.pid)])).toMatchObject({ code: 0 });
    // As systemd hands it on where it knows none.
    expect(await health(['--wait', '10', '--pid', ''])).toMatchObject({ code: 0 });
    expect(await health(['--pid', 'x'])).toMatchObject({ code: 2 });
  });
});
