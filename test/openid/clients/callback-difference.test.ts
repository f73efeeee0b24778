// The difference of a refused callback from those that are registered, by its parts, which names none of these.

import { describe, expect, it } from '@jest/globals';
import { differenceOf, inWords } from '#openid/clients/callback-check.ts';

const REGISTERED = 'https://app.example/Callback?a=1';
const LOOPBACK = 'http://127.0.0.1:8080/cb';

describe('SEC-03 a callback that is not registered', () => {
  it.each([
    'http://app.example/Callback?a=1',
    'https://me@app.example/Callback?a=1',
    'https://other.example/Callback?a=1',
    'https://app.example:8443/Callback?a=1',
    'https://app.example/other?a=1',
    'https://app.example/Callback/?a=1',
    'https://app.example/callback?a=1',
    'https://app.example/Callback?a=2',
    'https://app.example/Callback',
    'https://app.example/Callback?a=1#x',
    'https://APP.example/Callback?a=1',
    'https://app.example:443/Callback?a=1',
    'https://other.example:8443/x',
    'http://127.0.0.1:9090/cb',
    'http://127.0.0.1:9090/cb2',
    'http://localhost:8080/cb',
    'no address',
  ])('%s', (sent) => {
    const differences = [
      differenceOf(sent, [REGISTERED, LOOPBACK], false),
      differenceOf(sent, [REGISTERED, LOOPBACK], true),
      differenceOf(sent, ['no address', REGISTERED], false),
      differenceOf(sent, [], false),
    ];
    expect(differences.map((one) => [one, inWords('redirect_uri', one)])).toMatchSnapshot();
  });
});
