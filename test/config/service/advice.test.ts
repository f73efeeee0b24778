// config/README.md: what is advised about settings that work, word for word: at the start, and by `check` alone.

import { describe, expect, it } from '@jest/globals';
import { adviceOn, adviceOnPkce, adviceOnRefreshTokens } from '#config/service/advice.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { type Environment, load } from '#support/config/folder.ts';

const PRODUCTION = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.clinic.example' };
const SECRET = { HYGIE_KEY_SECRET: 'a-secret-of-the-tests-that-opens-nothing' };
const OWN = 'namespace: https://clinic.example\nproxies: 1\n';
const MAIL = 'mail: { host: smtp.clinic.example, from: connect@clinic.example }\n';

const NO_MAIL =
  'no mail server is set: forgotten passwords, invitations and notices of critical changes are not sent. Set mail in service.yaml';
const WHOM = ', or say whom people may ask in branding.helpText or branding.supportUrl.';
const NO_PROXY =
  'issuer is https and proxies is 0: set proxies in service.yaml to the number of reverse proxies that end TLS, or set listen.tls.';

describe('advice on settings', () => {
  it.each<[what: string, service: string, env: Environment, advice: string[]]>([
    ['development has none', '', {}, []],
    [
      'a demonstration in several processes',
      'processes: 2',
      {},
      ['the demo application keeps its sessions in one process: set processes to 1 to sign in to it.'],
    ],
    ['several processes without it', 'processes: 2\ndemo: false', {}, []],
    [
      'shrinkage beyond what may be removed',
      'directory: { guards: { shrinkage: 0.4 } }',
      {},
      [
        'directory.guards.shrinkage is 0.4 and removed 0.1: an edition that shrinks by more than 0.1 is still refused, by removed. Set both.',
      ],
    ],
    ['shrinkage as far as it', 'directory: { guards: { shrinkage: 0.1 } }', {}, []],
    [
      'metrics that others reach',
      'metrics: { port: 9464, host: 0.0.0.0 }',
      {},
      [
        'metrics.host is 0.0.0.0 without metrics.token: whoever reaches port 9464 reads the metrics. Let only an inner network reach it, as deploy/compose.yaml and deploy/kubernetes.yaml do, or set the token.',
      ],
    ],
    ['production that has all', OWN + MAIL, { ...PRODUCTION, ...SECRET }, []],
    ['no mail', OWN, { ...PRODUCTION, ...SECRET }, [NO_MAIL + WHOM]],
    [
      'no mail, but a help text',
      `${OWN}branding: { helpText: { fr: Aide, en: Help } }`,
      { ...PRODUCTION, ...SECRET },
      [`${NO_MAIL}.`],
    ],
    ['no proxy', `${OWN.replace('1', '0')}${MAIL}`, { ...PRODUCTION, ...SECRET }, [NO_PROXY]],
    [
      'a sandbox',
      OWN,
      { ...PRODUCTION, ...SECRET, HYGIE_SANDBOX: '1' },
      [
        'this is a sandbox (HYGIE_SANDBOX=1): its people are fictional, and everybody may sign in. No real data belongs in it.',
      ],
    ],
    [
      'the example namespace',
      `proxies: 1\n${MAIL}`,
      { ...PRODUCTION, ...SECRET },
      [
        'namespace is still the example https://hygie.example: set it in service.yaml before relying parties depend on it.',
      ],
    ],
    [
      'no secret',
      OWN + MAIL,
      { ...PRODUCTION, HYGIE_DATA: '/srv/hygie' },
      [
        'no HYGIE_KEY_SECRET is set: the first start makes one in /srv/hygie/key-secret. Every instance needs that file. Keep a copy of it, apart from the backup of the database.',
      ],
    ],
  ])('%s', async (_what, service, env, advice) => {
    expect(adviceOn((await load({ service }, env)).settings)).toEqual(advice);
  });

  it('TLS of its own needs no proxy, nor does an http address', async () => {
    const { settings } = await load({ service: OWN.replace('1', '0') + MAIL }, { ...PRODUCTION, ...SECRET });
    const tls = { certificate: 'c', key: 'k' };
    const others: Settings[] = [
      { ...settings, listen: { ...settings.listen, tls } },
      { ...settings, issuer: 'http://connect.clinic.example' },
      { ...settings, proxies: 1 },
    ];
    expect([settings, ...others].map(adviceOn)).toEqual([[NO_PROXY], [], [], []]);
  });
});

describe('advice on clients, for `check`', () => {
  const client = (id: string, more: Partial<ClientSettings> = {}): ClientSettings => ({
    id,
    name: id,
    type: 'server',
    secretHashes: [],
    callbackUrls: ['https://a.example/'],
    logoutUrls: [],
    scopes: ['openid', 'offline_access'],
    consent: 'trusted',
    serviceAccount: false,
    ...more,
  });

  it('names the servers without PKCE, five at most', () => {
    const others = [
      client('p', { pkce: 'required' }),
      client('b', { type: 'browser' }),
      client('n', { callbackUrls: [] }),
    ];
    const six = ['1', '2', '3', '4', '5', '6'].map((id) => client(id));
    const said = (names: string) =>
      `PKCE is optional for ${names}: once they send code_challenge, write pkce: required there, or in service.yaml for all.`;
    const advice = (clients: ClientSettings[], pkce: Settings['pkce'] = 'optional') => adviceOnPkce({ pkce }, clients);
    expect([advice(others), advice(six, 'required'), advice([...others, ...six.slice(1)]), advice(six)]).toEqual([
      [],
      [],
      [said('2, 3, 4, 5, 6')],
      [said('1, 2, 3, 4, 5 and 1 more')],
    ]);
  });

  it('names the trusted clients that get no refresh token', () => {
    const others = [
      client('a', { consent: 'ask' }),
      client('b', { scopes: ['openid'] }),
      client('c', { refreshTokens: 'consent' }),
    ];
    expect([adviceOnRefreshTokens(others), adviceOnRefreshTokens([...others, client('d'), client('e')])]).toEqual([
      [],
      [
        'd, e: offline_access is left out unless the application sends prompt=consent. If it does not, write refreshTokens: always, else refreshTokens: consent.',
      ],
    ]);
  });
});
