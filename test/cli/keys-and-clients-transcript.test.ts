// operations.md: all that an operator reads of `keys` and `clients`.

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { transcript } from '#support/cli/transcript.ts';

const SECRET = 'a-secret-of-the-tests-that-opens-nothing';
const OTHER = 'another-secret-that-does-not-open-anything';

describe('commands, word for word', () => {
  let place: Installation;
  let hygie: Installation['hygie'];
  const begin = (installed: Installation) => {
    place = installed;
    hygie = inProcess(place);
  };
  beforeEach(async () => begin(await migratedInstallation()));
  const said = async (...steps: Parameters<typeof transcript>[1]) =>
    (await transcript({ ...place, hygie }, steps))
      .replaceAll(/(?<=^.*(?:RS256|ES256|EdDSA|cookies):? +)[\w-]{16}(?= )/gm, 'KEY')
      .replaceAll(/(fingerprint )[\w-]{16}|(secret: |before: )[\w-]{16}$/gm, '$1$2PRINT')
      .replaceAll(/\b(\d+:)[\w-]{43}/g, '$1DIGEST')
      .replaceAll(/(settings|clients) [0-9a-f]{12}\b/g, '$1 DIGEST')
      .replaceAll(/ +$/gm, '');

  it('keys', async () => {
    const env = { HYGIE_KEY_SECRET: SECRET };
    expect(
      await said(
        'keys list',
        ['keys rotate rs256 cookies', { env }],
        'keys rotate RS256',
        ['keys rotate HS256', { env }],
        ['keys rotate RS265', { env }],
        ['keys list', { env }],
        ['keys prune nothing', { env }],
        'keys encrypt',
        ['keys encrypt', { env }],
        ['keys encrypt', { env: { HYGIE_KEY_SECRET: OTHER, HYGIE_KEY_SECRET_OLD: SECRET } }],
        'keys',
        'keys remove',
      ),
    ).toBe(`$ keys list
> KIND  ID  STATE  CREATED  USED FROM  NEEDED UNTIL  STORED
! There is no key yet: the first start makes them.
! Warning: an application that keeps a copy of the key set (LemonLDAP::NG unless told otherwise) refuses sign-ins after a rotation. Remedy: docs/relying-parties.md, "A stored key set"
$ keys rotate rs256 cookies
! database: DIR/data/hygie.sqlite (development)
! RS256: KEY is published, and used from TIME
! cookies: KEY is published, and used from TIME
$ keys rotate RS256
! database: DIR/data/hygie.sqlite (development)
! The keys in the database are encrypted, and no secret is set.
!   Remedy: set HYGIE_KEY_SECRET (or HYGIE_KEY_SECRET_FILE) to the secret that they were encrypted with; or, if that is in the
!   file key-secret that the first start of an instance made, put that file into HYGIE_DATA here: all instances need it.
exit 1
$ keys rotate HS256
! database: DIR/data/hygie.sqlite (development)
! Unknown kind of key "HS256". Did you mean "RS256"?
! See: hygie keys rotate --help
exit 2
$ keys rotate RS265
! database: DIR/data/hygie.sqlite (development)
! Unknown kind of key "RS265". Did you mean "RS256"?
! See: hygie keys rotate --help
exit 2
$ keys list
> KIND     ID                STATE   CREATED                   USED FROM                 NEEDED UNTIL  STORED
> RS256    KEY  active  TIME  TIME                encrypted
> cookies  KEY  active  TIME  TIME                encrypted
! Fingerprint of the secret: PRINT
! Next rotation by schedule (keys.rotateAfter): TIME
! Warning: an application that keeps a copy of the key set (LemonLDAP::NG unless told otherwise) refuses sign-ins after a rotation. Remedy: docs/relying-parties.md, "A stored key set"
$ keys prune nothing
! database: DIR/data/hygie.sqlite (development)
! There is no key "nothing". See: hygie keys list
exit 1
$ keys encrypt
! database: DIR/data/hygie.sqlite (development)
! No secret is set to encrypt the keys with.
! Remedy: set HYGIE_KEY_SECRET (or HYGIE_KEY_SECRET_FILE); a good one: openssl rand -base64 32
exit 1
$ keys encrypt
! database: DIR/data/hygie.sqlite (development)
! Every key is encrypted with this secret.
$ keys encrypt
! database: DIR/data/hygie.sqlite (development)
! Encrypted: 2.
$ keys
! Say what to do: list, rotate, prune, encrypt.
! See: hygie keys --help
exit 2
$ keys remove
! Unknown action "remove". Known: list, rotate, prune, encrypt.
! See: hygie keys --help
exit 2`);
    place.configure('service.yaml', 'keys: { rotateAfter: never }\n');
    expect(await said(['keys list', { env: { HYGIE_KEY_SECRET: OTHER } }])).toBe(`$ keys list
> KIND     ID                STATE   CREATED                   USED FROM                 NEEDED UNTIL  STORED
> RS256    KEY  active  TIME  TIME                encrypted
> cookies  KEY  active  TIME  TIME                encrypted
! Fingerprint of the secret: PRINT
! No rotation by schedule: keys.rotateAfter is never.`);
  });

  it('clients', async () => {
    place.configure(
      'clients.yaml',
      JSON.stringify({
        clients: [
          {
            id: 'app',
            name: 'App',
            type: 'server',
            secrets: [{ env: 'S' }],
            callbackUrls: ['https://a.example/cb', 'https://a.example/cc'],
          },
          { id: 'api', name: 'Api', type: 'api', jwksUrl: 'https://api.example/jwks', scopes: ['profile'] },
          { id: 'page', name: 'Page', type: 'browser', callbackUrls: ['https://p.example/'] },
        ],
      }),
    );
    const env = { S: 'a-secret-of-the-client-that-opens-nothing' };
    expect(
      await said(
        ['clients list', { env }],
        'clients secret page',
        'clients secret api',
        'clients secret ap',
        'clients secret zzzzz',
      ),
    ).toBe(`$ clients list
> ID    NAME  TYPE     SECRETS  SCOPES                CALLBACKS
> app   App   server   1        openid email profile  https://a.example/cb https://a.example/cc
> api   Api   api      key      profile
> page  Page  browser  0        openid email profile  https://p.example/
$ clients secret page
! "page" is of type browser: it cannot keep a secret and uses PKCE. Only servers and apis have secrets.
exit 1
$ clients secret api
! "api" signs with a key of its own: it needs no secret. For one, remove its jwks or jwksUrl first.
exit 1
$ clients secret ap
! clients.yaml has no client "ap". Did you mean "app"?
exit 1
$ clients secret zzzzz
! clients.yaml has no client "zzzzz". Run \`hygie clients secret\` without an ID for a new client.
exit 1`);
    const { stdout, stderr } = await hygie(['clients', 'secret', 'app']);
    const [, hash = ''] = /^secret: [\w-]{43}\nhash: (sha256\$[\w-]{43})\n$/.exec(stdout) ?? [];
    expect(stderr).toBe(
      `The secret is shown this once: give it to the client by a safe way. The hash belongs in clients.yaml:\n    secrets:\n      - hash: "${hash}"\n`,
    );
    const made = JSON.parse((await hygie(['clients', 'secret', 'app', '--json'])).stdout);
    expect([made.id, Object.keys(JSON.parse((await hygie(['clients', 'secret', '--json'])).stdout))]).toEqual([
      'app',
      ['secret', 'hash'],
    ]);
  });
});
