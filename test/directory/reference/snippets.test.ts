// SEC-83: the code to copy for a request that somebody's link brought, which people run with their own token.

import { describe, expect, it } from '@jest/globals';
import { snippetsOf } from '#directory/reference/browser/snippets.js';

const BASE = 'https://connect.example.org/directory/v2';

describe('SEC-83 the code to copy', () => {
  it.each(['https://evil.example/x', 'HTTP://evil.example/x', 'https:evil.example?name=x'])(
    'sends the token below the directory alone (%s)',
    (request) => {
      for (const code of Object.values(snippetsOf(BASE, request))) {
        for (const place of code.split('evil.example').slice(0, -1))
          expect(place).toMatch(/directory\/v2\/https?:(\/\/)?$/i);
      }
    },
  );

  it('asks one thing where curl would see many', () => {
    expect(snippetsOf(BASE, 'Practitioner/[1-9999]').curl).toContain(
      `curl -s --globoff '${BASE}/Practitioner/[1-9999]'`,
    );
    expect(snippetsOf(BASE, 'Practitioner/{a,b}?_pretty=true').curl).toContain('curl -sG --globoff ');
    expect(snippetsOf(BASE, 'Practitioner/$export').curl).toContain(`curl -s '${BASE}/Practitioner/$export'`);
  });

  it('has the parameters of the request and no others', () => {
    const { curl } = snippetsOf(BASE, 'Practitioner?name%26_count=a%26b&name:exact=c');
    expect(curl).toContain("--data-urlencode 'name%26_count=a&b'");
    expect(curl).toContain("--data-urlencode 'name:exact=c'");
  });

  it('is the same for an address in full', () => {
    const request = 'Practitioner?name=martin';
    expect(snippetsOf(BASE, `${BASE}/${request}`)).toEqual(snippetsOf(BASE, request));
  });
});
