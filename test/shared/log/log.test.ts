// SEC-17: no secret in the log, and nothing that drives a terminal.

import { describe, expect, it } from '@jest/globals';
import { createLog, logRequest } from '#shared/log/log.ts';
import { withinContext } from '#shared/request-context.ts';

describe('SEC-17 no secret in the log', () => {
  const SECRETS = ['s3cr3t-one', 's3cr3t-two', 's3cr3t-three'];
  const [a, b, c] = SECRETS as [string, string, string];

  function logged(format: 'json' | 'pretty', write: (log: ReturnType<typeof createLog>) => void): string {
    let text = '';
    const destination = {
      write: (line: string) => {
        text += line;
      },
    };
    write(createLog({ level: 'trace', format }, destination));
    return text;
  }

  const jwt = `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(a).toString('base64url')}.c2ln`;
  const cases: [name: string, write: (log: ReturnType<typeof createLog>) => void][] = [
    [
      'headers',
      (log) =>
        log.info({
          req: { headers: { authorization: `Bearer ${a}`, Cookie: `sid=${b}`, 'set-cookie': [`sid=${c}`] } },
        }),
    ],
    ['form fields', (log) => log.info({ body: { client_secret: a, code: `${b}_0123456789`, password: c } })],
    ['tokens, deep', (log) => log.info({ x: [{ y: { access_token: a, refreshToken: b, 'id-token-hint': c } }] })],
    ['an address', (log) => log.info({ url: `/callback?code=${a}&state=${b}#id_token=${c}` })],
    [
      'an address within an address',
      (log) => log.info(`/login?to=${encodeURIComponent(`/cb?code=${a}&state=${b}`)}&token=${c}`),
    ],
    [
      'a message',
      (log) => log.warn(`POST /oauth/token client_secret=${a} Authorization: Basic ${b}c3RhdGU= password="${c}"`),
    ],
    ['a message with values', (log) => log.info('redirect to %s', `https://a.example/cb?code=${a}`)],
    [
      'an error and its cause',
      (log) =>
        log.error(
          new Error(`connect postgres://u:${a}@db/x`, {
            cause: Object.assign(new Error(`token=${b}`), { password: c }),
          }),
        ),
    ],
    ['a child logger', (log) => log.child({ client: 'a', token: a, url: `/x?code=${b}` }).info('x')],
    ['a JWT', (log) => log.info({ note: `got ${jwt}` }, `got ${jwt}`)],
    ['hashes', (log) => log.info({ client: { id: 'x', secretHashes: [a] }, account: { passwordHash: b } })],
    [
      'a row, a key and a value that PostgreSQL quotes',
      (log) => {
        const message = `insert into "x" ($1) - invalid input syntax for type uuid: "${a} ": "x\n"`;
        const where = `unnamed portal parameter $1 = '${c}'`;
        const quoting = { severity: 'ERROR', code: '22P02', detail: `Failing row contains (1, ${b}).`, where };
        log.error({ err: Object.assign(new Error(message), quoting) }, 'a request failed');
      },
    ],
    ['a map', (log) => log.info({ params: new Map([['x', { code_verifier: a }]]) })],
    ['JSON within a text', (log) => log.info(`body was {"client_secret":"${a}", "password" : "${b} ${c}"}`)],
  ];
  it.each(cases)('%s', (_name, write) => {
    for (const format of ['json', 'pretty'] as const) {
      const text = logged(format, write);
      expect(text.length).toBeGreaterThan(10);
      for (const secret of [...SECRETS, jwt]) expect(text).not.toContain(secret);
    }
  });

  it('keeps what is no secret: codes of issues, statuses, ids, addresses', () => {
    const entry = {
      code: 'ECONNREFUSED',
      status: 503,
      id: 'abc',
      url: '/directory/v2/Practitioner?name=du&_count=2',
      path: '/oauth/token',
    };
    const line = logged('json', (log) => log.info(entry, 'no answer'));
    expect(JSON.parse(line)).toMatchObject({ ...entry, level: 'info', msg: 'no answer' });
    const failure = JSON.parse(
      logged('json', (log) => log.error(Object.assign(new Error('gone'), { code: '57P01' }), 'lost')),
    );
    // Of a process that a signal has ended.
    expect(logged('json', (log) => log.error({ code: null, signal: 'SIGKILL' }))).toContain('"code":null');
    expect(failure).toMatchObject({ msg: 'lost', err: { type: 'Error', message: 'gone', code: '57P01' } });
    expect(failure.err.stack).toContain('log.test');
  });

  it('the line of a request is the one that the log itself would write, without secrets in the path', () => {
    const asked = { requestId: 'ref-1', method: 'GET', path: `/x/"a"/token=${a};y=1`, status: 404, ms: 1.5 };
    const own = logged('json', (log) => logRequest(log, 'info', asked));
    const usual = logged('json', (log) => log.info(asked, 'request'));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(JSON.parse(own)).toEqual({ ...JSON.parse(usual), time });
    expect(JSON.parse(own)).toMatchObject({ level: 'info', pid: process.pid, requestId: 'ref-1', msg: 'request' });
    expect(own).not.toContain(a);
    expect(logged('pretty', (log) => logRequest(log, 'error', asked))).toMatch(/ERROR.*request.*404/);
    expect(logged('json', (log) => logRequest(Object.assign(log, { level: 'warn' }), 'info', asked))).toBe('');
  });

  it('leaves what it is given unchanged', () => {
    const entry = { headers: { cookie: a } };
    logged('json', (log) => log.info(entry));
    expect(entry).toEqual({ headers: { cookie: a } });
  });

  it('every line within a request carries its reference', async () => {
    let text = '';
    const destination = {
      write: (line: string) => {
        text += line;
      },
    };
    const log = createLog({ level: 'info', format: 'json' }, destination);
    const inside = withinContext({ requestId: 'ref-1' }, async () => {
      await new Promise((later) => setTimeout(later, 1));
      log.info('inside');
    });
    log.info('outside');
    await inside;
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      expect.not.objectContaining({ requestId: expect.anything() }),
      expect.objectContaining({ msg: 'inside', requestId: 'ref-1' }),
    ]);
  });
});

it('no text from outside drives the terminal of who reads the log, or ends a line', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'pretty' }, { write: (line: string) => void lines.push(line) });
  const hostile = '\u001b[2J\u009b2J\u0085\u007f\r\n\u0000';
  log.info({ scopes: [hostile], description: hostile }, hostile);
  log.error({ err: new Error(hostile) }, 'failed');
  const text = lines.join('');
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(text).toContain('\\x9b2J');
});
