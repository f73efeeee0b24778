// registering-a-client.md: what clients.yaml may not say is named with its remedy, for each type of client and each key: all of the sentences at
// once, as an operator reads them.

import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { CLIENT_KEYS } from '#config/clients/client-schema.ts';
import { issuesOf, load } from '#support/config/folder.ts';
import { schemaFile } from '#support/config/schema-file.ts';
import { shipped } from '#support/config/shipped.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';

const TYPES = ['server', 'browser', 'native', 'api'];
const ADDRESSES = [
  'http://app.example/a',
  'https://app.example/a#b',
  'https://app.example/a b',
  'app.example',
  'https://u:p@app.example/',
  'https://10.0.0.1/a',
  'http://127.0.0.1:8080/a',
  'app.example:/a',
  'javascript:alert(1)',
];
/** Values of each key, one of them in each entry. */
const VALUES: Record<string, unknown[]> = {
  consent: ['trusted', 'never'],
  scopes: [[], ['openid'], ['offline_access'], ['PRACTITIONER_READ'], ['nonsense']],
  secrets: [[], ['x']],
  jwks: [{ keys: [] }],
  jwksUrl: ADDRESSES,
  callbackUrls: [[], ...ADDRESSES.map((address) => [address])],
  logoutUrls: ADDRESSES.map((address) => [address]),
  homeUrl: ADDRESSES,
  backchannelLogoutUrl: ADDRESSES,
  pkce: ['optional'],
  par: ['required'],
  secondFactor: ['required'],
  signedRequests: ['required'],
  signedResponses: ['required'],
  refreshTokens: ['always', 'consent', 'never'],
  directoryAccess: [true],
  serviceAccount: [true, false],
  tokensOf: [['app'], []],
  profile: ['fapi2', 'other'],
  idTokenAlgorithm: ['none', 'RS256'],
  logoutTokenType: ['jwt', 'logout+jwt'],
  backchannelLogoutSession: [true],
  assertionAudience: ['any', 'issuer'],
  rate: [{ perSecond: 0, burst: 1 }],
  dpop: ['required'],
  authenticationClaims: [true],
};

it('keys of clients.yaml are those of the schema beside it (npm run schemas)', () => {
  expect(JSON.parse(shipped('clients.schema.json'))).toEqual(schemaFile(CLIENT_KEYS));
});

describe('registering-a-client.md: clients that are refused', () => {
  withOwnSnapshots(import.meta.filename);
  it('are told what is wrong and what to do', async () => {
    const entries = TYPES.flatMap((type) =>
      Object.entries(VALUES).flatMap(([key, values]) =>
        values.map((value, index) => ({ id: `${type}-${key}-${index}`, name: 'A', type, [key]: value })),
      ),
    );
    /** Each sentence with the number of clients that it is said of. */
    const told = async (NODE_ENV: string, HYGIE_ISSUER: string) => {
      const issues = await issuesOf(load({ clients: stringify({ clients: entries }) }, { NODE_ENV, HYGIE_ISSUER }));
      const clients = Map.groupBy(issues, ({ path, problem, remedy }) => {
        const key = path.replace(/^.*?\]\.?|^clients\.\d+\.?/, '');
        return `${key}: ${problem} ${remedy}`;
      });
      return [...clients].map(([sentence, found]) => `${found.length} x ${sentence}`);
    };
    const inDevelopment = await told('development', 'http://localhost:3000');
    const inProduction = await told('production', 'https://connect.example');
    expect(inDevelopment).toMatchSnapshot();
    // Addresses of this machine.
    expect(inProduction.filter((line) => !inDevelopment.includes(line))).toEqual([
      '8 x jwksUrl: Is not https. Use https.',
      '2 x callbackUrls[0]: Production refuses http addresses of this machine. Use the https address.',
      '2 x logoutUrls[0]: Production refuses http addresses of this machine. Use the https address.',
      '12 x homeUrl: Is not https. Begin it with https://, as in https://app.example/',
      '12 x backchannelLogoutUrl: Is not https. Use https.',
    ]);
    expect(inProduction).toHaveLength(98);
  });
});
