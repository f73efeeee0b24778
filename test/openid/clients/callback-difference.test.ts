// The difference of a refused callback from those that are registered, by its parts, which names none of these.

import { describe, expect, it } from '@jest/globals';
import { differenceOf, inWords } from '#openid/clients/callback-difference.ts';

const REGISTERED = 'https://app.example/Callback?a=1';
const LOOPBACK = 'http://127.0.0.1:8080/cb';

describe('SEC-03 a callback that is not registered', () => {
  it.each([
    ['http://app.example/Callback?a=1', ['scheme']],
    ['https://me@app.example/Callback?a=1', ['user']],
    ['https://:secret@app.example/Callback?a=1', ['user']],
    ['https://other.example/Callback?a=1', ['host']],
    ['https://app.example:8443/Callback?a=1', ['port']],
    ['https://app.example/other?a=1', ['path']],
    ['https://app.example/Callback/?a=1', ['slash']],
    ['https://app.example/callback?a=1', ['case']],
    ['https://app.example/callback/?a=1', ['path']],
    ['https://app.example/Callback?a=2', ['query']],
    ['https://app.example/Callback', ['query']],
    ['https://app.example/Callback?a=1#x', ['fragment']],
    ['https://APP.example/Callback?a=1', ['case']],
    ['https://app.example:443/Callback?a=1', ['spelling']],
    ['https://app.example/%43allback?a=1', ['path']],
    ['https://app.example/x/../Callback?a=1', ['spelling']],
    ['http://other.example:8443/x', ['scheme', 'host', 'port', 'path', 'query']],
  ])('%s differs in %j', (sent, parts) => {
    expect(differenceOf(sent, [REGISTERED], false)).toEqual({ parts, registered: 1, unreadable: false });
    expect(differenceOf(sent, ['no address', REGISTERED], false)).toEqual({ parts, registered: 2, unreadable: false });
  });

  it.each([
    ['http://127.0.0.1:9090/cb', LOOPBACK, ['port'], ['spelling']],
    ['http://127.0.0.1:9090/cb2', LOOPBACK, ['port', 'path'], ['path']],
    ['http://localhost:9090/cb', 'http://localhost/cb', ['port'], ['spelling']],
    ['http://[::1]:9090/cb', 'http://[::1]/cb', ['port'], ['spelling']],
    ['http://127.0.0.2:9090/cb', 'http://127.0.0.2/cb', ['port'], ['port']],
    ['https://127.0.0.1:9090/cb', 'https://127.0.0.1/cb', ['port'], ['port']],
    ['http://app.example:9090/cb', 'http://app.example/cb', ['port'], ['port']],
  ])('%s differs from %s in %j, and with any port of this device in %j', (sent, registered, parts, withPorts) => {
    expect(differenceOf(sent, [registered], false).parts).toEqual(parts);
    expect(differenceOf(sent, [registered], true).parts).toEqual(withPorts);
  });

  it.each([
    // The host weighs more than any other part, then the path, the port, the rest.
    ['https://a.example/x/', ['https://b.example/x/', 'https://a.example:1/y?q'], ['port', 'path', 'query']],
    ['https://a.example/x', ['https://a.example/y', 'https://a.example:1/x?q'], ['port', 'query']],
    ['https://a.example/x', ['https://a.example:1/x', 'http://a.example/x/'], ['scheme', 'slash']],
    ['https://a.example/x', ['https://a.example/x?q', 'https://a.example/x/'], ['slash']],
    ['https://a.example/x', ['https://a.example/x/', 'https://a.example/x?q'], ['slash']],
  ])('%s is compared with the nearest of %j', (sent, registered, parts) => {
    expect(differenceOf(sent, registered, false).parts).toEqual(parts);
  });

  it('is said in words, which repeat no address', () => {
    const said = (sent: string, registered: string[]) => inWords('redirect_uri', differenceOf(sent, registered, false));
    const end = ': addresses are compared character by character';
    expect(said('no address', [REGISTERED])).toBe('redirect_uri is no absolute address');
    expect(said(REGISTERED, [])).toBe('redirect_uri cannot be used: the client has no such address registered');
    expect(said('https://app.example/callback?a=1', [REGISTERED])).toBe(
      `redirect_uri differs from the registered one in upper and lower case${end}`,
    );
    expect(said('http://me@app.example:1/Callback/?a=2#x', [REGISTERED, LOOPBACK])).toBe(
      'redirect_uri differs from the nearest of the 2 registered ones in its scheme, a user name before the host, its port, ' +
        `the slash at its end, its query and its fragment${end}`,
    );
    expect(said('https://other.example/x?a=1', [REGISTERED])).toBe(
      `redirect_uri differs from the registered one in its host and its path${end}`,
    );
    expect(said('https://app.example:443/Callback?a=1', [REGISTERED])).toContain('in the way it is written:');
  });
});
