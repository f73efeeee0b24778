// registering-a-client.md: what clients.yaml may not say is named with its remedy, for each type of client and each key: all of the sentences at
// once, as an operator reads them.

import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { issuesOf, load } from '#support/config/folder.ts';
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
  refreshTokens: ['always'],
  directoryAccess: [true],
  serviceAccount: [true, false],
  tokensOf: [['app']],
  profile: ['fapi2', 'other'],
  idTokenAlgorithm: ['none', 'RS256'],
  logoutTokenType: ['jwt', 'logout+jwt'],
  backchannelLogoutSession: [true],
  assertionAudience: ['any'],
  rate: [{ perSecond: 0, burst: 1 }],
  dpop: ['required'],
};

describe('registering-a-client.md: clients that are refused', () => {
  withOwnSnapshots(import.meta.filename);
  it.each(['development', 'production'])('in %s are told what is wrong and what to do', async (mode) => {
    const entries = TYPES.flatMap((type) =>
      Object.entries(VALUES).flatMap(([key, values]) =>
        values.map((value, index) => ({ id: `${type}-${key}-${index}`, name: 'A', type, [key]: value })),
      ),
    );
    const issuer = mode === 'production' ? 'https://connect.example' : 'http://localhost:3000';
    const env = { NODE_ENV: mode, HYGIE_ISSUER: issuer };
    const issues = await issuesOf(load({ clients: stringify({ clients: entries }) }, env));
    const told = Map.groupBy(issues, ({ path, problem, remedy }) => {
      const key = path.replace(/^.*?\]\.?|^clients\.\d+\.?/, '');
      return `${key}: ${problem} ${remedy}`;
    });
    expect(issues.length).toBeGreaterThan(200);
    expect([...told].map(([sentence, found]) => `${found.length} x ${sentence}`)).toMatchSnapshot();
  });
});
