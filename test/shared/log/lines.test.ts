// SEC-17: what the log keeps of every kind of value, and how its lines look to people.

import { describe, expect, it } from '@jest/globals';
import { createLog, type LogSettings, logAudit, logRequest, REQUEST_ID } from '#shared/log/log.ts';
import { redact, redactText } from '#shared/log/redaction.ts';
import { withinContext } from '#shared/request-context.ts';

const span = { traceId: 'trace', spanId: 'span', set: () => {}, rename: () => {}, end: () => {} };

function opened(settings: Partial<LogSettings> = {}) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json', ...settings }, { write: (line) => void lines.push(line) });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}

describe('SEC-17 a value in the log', () => {
  it('of a secret name is replaced, however it is written, and of no other name', () => {
    const names =
      `access_token apiKey assertion Authorization client-assertion client_secret codeVerifier cookie cookies csrf
      currentPassword device_code id_token idTokenHint login_token logout_token newPassword password passwordHash privateKey
      Proxy-Authorization refresh_token secret secretHashes secrets sessionId Set-Cookie state subject_token token user_code`.split(
        /\s+/,
      );
    const replaced = (value: unknown) => names.map((name) => [name, value]);
    expect(Object.entries(redact(Object.fromEntries(replaced('x'))) as object)).toEqual(replaced('[redacted]'));
    const others = { tokens: 'x', codes: 'x', sessions: 1, key: 'x', passwords: 'x', secret: null, token: undefined };
    expect(redact(others)).toEqual(others);
    for (const name of names) expect(redactText(`a ${name}=x1 b`)).toBe(`a ${name}=[redacted] b`);
  });

  it('is kept, copied or shortened by its kind', () => {
    const date = new Date(0);
    const cause = Object.assign(new TypeError('inner'), { code: 'EONE' });
    const error = Object.assign(new Error('outer', { cause }), { code: 7, password: 'x' });
    const values = [1, true, null, undefined, 'a', date, new URL('https://u:p@a.example/'), new Uint8Array(3)];
    expect(redact(values)).toEqual([1, true, null, undefined, 'a', date, 'https://[redacted]@a.example/', '[bytes]']);
    expect(redact([new Map([['a', 1]]), new Set([2]), { a: [{ b: 'c' }] }])).toEqual([
      [['a', 1]],
      [2],
      { a: [{ b: 'c' }] },
    ]);
    expect(redact(error)).toEqual({
      type: 'Error',
      message: 'outer',
      stack: expect.stringContaining('lines.test'),
      code: 7,
      password: '[redacted]',
      cause: { type: 'TypeError', message: 'inner', stack: expect.stringContaining('lines.test'), code: 'EONE' },
    });
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : { a: nested(levels - 1) });
    expect([redact(nested(8)), JSON.stringify(redact(nested(9)))]).toEqual([
      nested(8),
      JSON.stringify(nested(8)).replace('"x"', '"[deep]"'),
    ]);
  });

  it('named code is kept where it is the code of an error', () => {
    const kept = [7, 'ECONNREFUSED', 'invalid_grant', 'not-found', '57P01', '404', 'a'.repeat(40)];
    const hidden = ['a'.repeat(41), 'Xy7_9kQ-0', 'a b', '1234', '12', 'ABCDEF1', true, ['x']];
    const shown = (value: unknown) => (redact({ code: value }) as { code: unknown }).code;
    expect(kept.map(shown)).toEqual(kept);
    expect(hidden.map(shown)).toEqual(hidden.map(() => '[redacted]'));
    expect(redact({ user_code: 'ECONNREFUSED' })).toEqual({ user_code: '[redacted]' });
  });

  it('that PostgreSQL quotes in an error is left out, of its errors alone', () => {
    const quoted = { detail: 'row (x)', where: 'x', internalQuery: 'x', hint: 'kept' };
    const raise = (members: object) => {
      const made = Object.assign(new Error('bad value: "x" here'), members);
      const { stack, ...rest } = redact(made) as { stack: string };
      return [rest, stack.split('\n')[0]];
    };
    const hidden = { detail: '[redacted]', where: '[redacted]', internalQuery: '[redacted]', hint: 'kept' };
    const error = { type: 'Error', message: 'bad value: "x" here' };
    expect([
      raise({ severity: 'ERROR', code: '22P02', ...quoted }),
      raise({ severity: 'ERROR', code: '23505', ...quoted }),
      raise({ code: '22P02', ...quoted }),
      raise({ severity: 'ERROR', ...quoted }),
    ]).toEqual([
      [
        { ...error, ...hidden, message: 'bad value: [redacted] here', severity: 'ERROR', code: '22P02' },
        'Error: bad value: [redacted] here',
      ],
      [{ ...error, ...hidden, severity: 'ERROR', code: '23505' }, 'Error: bad value: "x" here'],
      [{ ...error, ...quoted, code: '22P02' }, 'Error: bad value: "x" here'],
      [{ ...error, ...quoted, severity: 'ERROR' }, 'Error: bad value: "x" here'],
    ]);
  });

  it.each([
    ['Bearer abcdef and Basic abc', 'Bearer [redacted] and Basic abc'],
    ['dpop ABCDEFG', 'dpop [redacted]'],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0. end', '[redacted] end'],
    ['scrypt$ln=1,r=1,p=1$salt$key end', '[redacted] end'],
    ['at postgres://user:pw@host/db', 'at postgres://[redacted]@host/db'],
    [
      '{"token": "a\\"b", "code":"ENOENT", "code": "Xy7 9"}',
      '{"token":"[redacted]", "code":"ENOENT", "code":"[redacted]"}',
    ],
    ['"{\\"password\\": \\"a\\", \\"name\\":\\"b\\"}"', '"{\\"password\\":\\"[redacted]\\", \\"name\\":\\"b\\"}"'],
    ['/to?u=%2Fcb%3Fcode%3Dabc%26lang%3Dfr', '/to?u=%2Fcb%3Fcode%3D[redacted]%26lang%3Dfr'],
    ['state=%26token=x1 name=y', 'state=[redacted] name=y'],
    ['password="a b" then', 'password=[redacted] then'],
    ['the state of a session, its code and cookie', 'the state of a session, its code and cookie'],
  ])('the text %s', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });
});

describe('the log', () => {
  const asked = { requestId: 'ref', method: 'GET', path: '/x', status: 200, ms: 1.5 };

  it('has lines for machines, with reference and trace, and of each level that is wanted', () => {
    const { log, parsed } = opened();
    withinContext({ requestId: 'ref', span }, () => {
      log.info({ rows: 2 }, 'done');
      log.debug('not wanted');
      logAudit(log, { time: 'then', event: 'key.created' });
      logRequest(log, 'info', { ...asked, span, entries: 2, aborted: true });
      logRequest(log, 'debug', asked);
    });
    log.warn('alone');
    const of = { pid: process.pid, time: expect.any(String) };
    const trace = { trace_id: 'trace', span_id: 'span' };
    expect(parsed()).toEqual([
      { level: 'info', ...of, requestId: 'ref', ...trace, rows: 2, msg: 'done' },
      { level: 'info', ...of, time: 'then', event: 'key.created', ...trace, msg: 'audit' },
      { level: 'info', ...of, ...asked, ...trace, entries: 2, aborted: true, msg: 'request' },
      { level: 'warn', ...of, msg: 'alone' },
    ]);
    const silent = opened({ level: 'warn' });
    logAudit(silent.log, { time: 'then', event: 'key.created' });
    expect(silent.lines).toEqual([]);
    expect(REQUEST_ID).toBe('X-Request-Id');
  });

  it('has one line for people, without colours where nobody watches', () => {
    const { log, lines } = opened({ format: 'pretty' });
    withinContext({ requestId: 'ref', span }, () => log.info({ rows: 2 }, 'done'));
    expect(lines).toEqual([expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: done \{"rows":2\}\n$/)]);
  });
});
