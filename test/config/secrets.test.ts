// SEC-16 (secrets hashed), SEC-17 (no secret in logs), SEC-40 (passwords).

import { describe, expect, it } from '@jest/globals';
import { passwordFaults } from '../../src/shared/crypto/password-rules.ts';
import {
  CLIENT_SECRET_COST,
  hashSecret,
  isSecretHash,
  needsRehash,
  newSecret,
  TooManyHashes,
  verifyClientSecret,
  verifySecret,
} from '../../src/shared/crypto/secret-hash.ts';
import { createLog, logRequest, redactUrl, withinRequest } from '../../src/shared/log/log.ts';

const CHEAP = { log2N: 4, r: 1, p: 1 };

describe('SEC-16 hashes of secrets', () => {
  it('name their own cost, are salted, and hold nothing of the secret', async () => {
    const [one, two] = await Promise.all([hashSecret('correct horse', CHEAP), hashSecret('correct horse', CHEAP)]);
    expect(one).toMatch(/^scrypt\$ln=4,r=1,p=1\$/);
    expect(one).not.toBe(two);
    expect(one).not.toContain('horse');
  });

  it('SEC-40 passwords cost 32 MiB and three passes unless told otherwise', async () => {
    const hash = await hashSecret('tortue violette 87');
    expect(hash).toMatch(/^scrypt\$ln=15,r=8,p=3\$/);
    expect(await verifySecret('tortue violette 87', [hash])).toBe(true);
    expect(needsRehash(hash)).toBe(false);
    expect(needsRehash(await hashSecret('x', CHEAP))).toBe(true);
  });

  it('verify the right secret against any of several, and no other', async () => {
    const hashes = [await hashSecret('old', CHEAP), await hashSecret('new', CHEAP)];
    expect(await verifySecret('old', hashes)).toBe(true);
    expect(await verifySecret('new', hashes)).toBe(true);
    for (const wrong of ['', 'ol', 'old ', 'OLD', 'neww']) expect(await verifySecret(wrong, hashes)).toBe(false);
  });

  it('no hash, or a malformed one, belongs to no secret', async () => {
    const malformed = [
      '',
      'scrypt$',
      'x',
      'scrypt$ln=4,r=1,p=1$$',
      'scrypt$ln=31,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$'.padEnd(99, 'A'),
    ];
    for (const hash of malformed) expect(isSecretHash(hash)).toBe(false);
    expect(await verifySecret('', malformed)).toBe(false);
    expect(await verifySecret('x', [])).toBe(false);
  });

  it('the same password typed on another system (other Unicode form) is the same', async () => {
    const hash = await hashSecret('caf\u00e9 noisette', CHEAP);
    expect(await verifySecret('cafe\u0301 noisette', [hash])).toBe(true);
  });

  it('many at once all come to an end, with the event loop free in between', async () => {
    const hash = await hashSecret('right', { log2N: 12, r: 8, p: 1 });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => verifySecret(n % 2 ? 'right' : 'wrong', [hash])),
    );
    clearInterval(timer);
    expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n % 2 === 1));
    expect(turns).toBeGreaterThan(2);
  });
});

describe('SEC-15, SEC-39 a flood of secrets', () => {
  const outcomes = (results: PromiseSettledResult<boolean>[]) => {
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown);
    for (const reason of refused) expect(reason).toBeInstanceOf(TooManyHashes);
    return { checked: results.length - refused.length, refused: refused.length };
  };

  it('of clients: one is checked and twenty wait; passwords and secrets known already pass it by', async () => {
    const password = await hashSecret('right', CHEAP);
    const known = newSecret();
    const secret = await hashSecret(known, CLIENT_SECRET_COST);
    expect(await verifyClientSecret(known, [secret])).toBe(true);
    let ended = 0;
    const flood = Array.from({ length: 300 }, async (_, guess) => {
      const matches = await verifyClientSecret(`guess-${guess}`, [secret]);
      ended += 1;
      return matches;
    });
    const all = Promise.allSettled(flood);
    expect(await verifySecret('right', [password])).toBe(true);
    expect(await verifyClientSecret(known, [secret])).toBe(true);
    expect(ended).toBeLessThan(21);
    expect(outcomes(await all)).toEqual({ checked: 21, refused: 279 });
    expect(await verifyClientSecret('guess', [secret])).toBe(false);
  });

  it('of passwords: two are checked and a hundred wait; whoever sets a password is never turned away', async () => {
    const password = await hashSecret('right', CHEAP);
    const flood = Array.from({ length: 150 }, (_, guess) => verifySecret(`guess-${guess}`, [password]));
    const all = Promise.allSettled(flood);
    expect(await hashSecret('new', CHEAP)).toMatch(/^scrypt/);
    expect(outcomes(await all)).toEqual({ checked: 102, refused: 48 });
    expect(await verifySecret('right', [password])).toBe(true);
  });
});

describe('SEC-16 client secrets that were verified before', () => {
  it('are known again, wrong ones never, and a hash that is gone takes its secret with it', async () => {
    const [first, second] = [newSecret(), newSecret()];
    const [one, two] = [await hashSecret(first, CLIENT_SECRET_COST), await hashSecret(second, CLIENT_SECRET_COST)];
    for (let time = 0; time < 2; time += 1) {
      expect(await verifyClientSecret(first, [one, two])).toBe(true);
      expect(await verifyClientSecret(second, [one, two])).toBe(true);
      expect(await verifyClientSecret(`${first}x`, [one, two])).toBe(false);
    }
    expect(await verifyClientSecret(first, [two])).toBe(false);
    expect(await verifyClientSecret(second, [one])).toBe(false);
    expect(await verifyClientSecret(first, [])).toBe(false);
  });

  it('new secrets are 256 random bits', () => {
    const secrets = new Set(Array.from({ length: 100 }, newSecret));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });
});

describe('SEC-40 passwords', () => {
  const owner = { email: 'marie.dupont@clinique.example', name: 'Marie Dupont' };
  const good = [
    'tortue violette 87',
    'xK9#mP2$vL5@',
    'jardin sous la pluie',
    'пароль для доступа',
    'x9'.padEnd(128, 'abcdefghijk'),
    '日本語のパスワードです長い',
  ];
  it.each(good)('%s is taken', (password) => expect(passwordFaults(password, owner)).toEqual([]));

  const bad: [password: string, fault: string][] = [
    ['elevenchars', 'too-short'],
    ['😀'.repeat(11), 'too-short'],
    ['ab'.repeat(200), 'too-long'],
    ['aaaaaaaaaaaa', 'common'],
    ['abcabcabcabcabc', 'common'],
    ['123456789012', 'common'],
    ['abcdefghijkl', 'common'],
    ['azertyuiop123', 'common'],
    ['qwerty123456', 'common'],
    ['1q2w3e4r5t6y', 'common'],
    ['Password1234!', 'common'],
    ['P4ssw0rd2026', 'common'],
    ['Mot-de-passe-2026', 'common'],
    ['bonjourbonjour', 'common'],
    ['Marie.Dupont2026', 'personal'],
    ['dupontclinique', 'personal'],
  ];
  it.each(bad)('%s is refused: %s', (password, issue) => expect(passwordFaults(password, owner)).toContain(issue));
});

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
    expect(failure).toMatchObject({ msg: 'lost', err: { type: 'Error', message: 'gone', code: '57P01' } });
    expect(failure.err.stack).toContain('secrets.test');
  });

  it('the line of a request is the one that the log itself would write, without secrets in the path', () => {
    const asked = { requestId: 'ref-1', method: 'GET', path: `/x/"a"/token=${a};y=1`, status: 404, ms: 1.5 };
    const own = logged('json', (log) => logRequest(log, 'info', asked));
    const usual = logged('json', (log) => log.info(asked, 'request'));
    const timeless = (line: string) => line.replace(/"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/, '"time":""');
    expect(timeless(own)).toBe(timeless(usual));
    expect(own).toContain('"time":"');
    expect(timeless(own)).toContain('"time":""');
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
    const inside = withinRequest('ref-1', async () => {
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

  it('redactUrl masks secret parameters and passwords, and nothing else', () => {
    expect(redactUrl('https://u:pw@a.example/cb?code=abc&lang=fr&id_token_hint=x.y')).toBe(
      'https://[redacted]@a.example/cb?code=[redacted]&lang=fr&id_token_hint=[redacted]',
    );
    expect(redactUrl('/Practitioner?name=du&address=rue')).toBe('/Practitioner?name=du&address=rue');
  });
});
