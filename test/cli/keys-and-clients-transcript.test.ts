// operations.md: all that an operator reads of `keys` and `clients`.

import { describe, expect, it } from '@jest/globals';
import { isGeneratedSecret } from '#shared/crypto/client-secret.ts';
import { transcripts } from '#support/cli/transcript.ts';

const SECRET = 'a-secret-of-the-tests-that-opens-nothing';
const OTHER = 'another-secret-that-does-not-open-anything';

describe('commands, word for word', () => {
  const { hygie, configure, says } = transcripts();

  it('keys', async () => {
    await says(
      `$ keys list
> KIND  ID  STATE  CREATED  USED FROM  NEEDED UNTIL  STORED
! There is no key yet: the first start makes them.
! Warning: an application that keeps a copy of the key set (LemonLDAP::NG by default) refuses sign-ins after a rotation. Remedy: docs/relying-parties.md, "A stored key set"
# HYGIE_KEY_SECRET={SECRET} keys rotate rs256 cookies
! RS256: KEY is published, and used from TIME
! cookies: KEY is published, and used from TIME
# keys rotate RS256
! The keys in the database are encrypted, and no secret is set.
!   Remedy: set HYGIE_KEY_SECRET (or HYGIE_KEY_SECRET_FILE) to the secret that they were encrypted with; or, if that is in the
!   file key-secret that the first start of an instance made, put that file into HYGIE_DATA here: all instances need it.
exit 1
# HYGIE_KEY_SECRET={SECRET} keys rotate HS256
! Unknown kind of key "HS256". Did you mean "RS256"?
exit 2: keys rotate --help
# HYGIE_KEY_SECRET={SECRET} keys rotate RS265
! Unknown kind of key "RS265". Did you mean "RS256"?
exit 2: keys rotate --help
$ HYGIE_KEY_SECRET={SECRET} keys list
> KIND     ID                STATE   CREATED                   USED FROM                 NEEDED UNTIL  STORED
> RS256    KEY  active  TIME  TIME                encrypted
> cookies  KEY  active  TIME  TIME                encrypted
! Fingerprint of the secret: PRINT
! Next rotation by schedule (keys.rotateAfter): TIME
! Warning: an application that keeps a copy of the key set (LemonLDAP::NG by default) refuses sign-ins after a rotation. Remedy: docs/relying-parties.md, "A stored key set"
# HYGIE_KEY_SECRET={SECRET} keys prune nothing
! There is no key "nothing". See: hygie keys list
exit 1
# keys encrypt
! No secret is set to encrypt the keys with.
! Remedy: set HYGIE_KEY_SECRET (or HYGIE_KEY_SECRET_FILE); a good one: openssl rand -base64 32
exit 1
# HYGIE_KEY_SECRET={SECRET} keys encrypt
! Every key is encrypted with this secret.
# HYGIE_KEY_SECRET={OTHER} HYGIE_KEY_SECRET_OLD={SECRET} keys encrypt
! Encrypted: 2.
$ keys
! Say what to do: list, rotate, prune, encrypt.
exit 2: keys --help
$ keys remove
! Unknown action "remove". Known: list, rotate, prune, encrypt.
exit 2: keys --help`,
      { OTHER, SECRET },
    );
    configure('service.yaml', 'keys: { rotateAfter: never }\n');
    await says(
      `$ HYGIE_KEY_SECRET={OTHER} keys list
> KIND     ID                STATE   CREATED                   USED FROM                 NEEDED UNTIL  STORED
> RS256    KEY  active  TIME  TIME                encrypted
> cookies  KEY  active  TIME  TIME                encrypted
! Fingerprint of the secret: PRINT
! No rotation by schedule: keys.rotateAfter is never.`,
      { OTHER },
    );
  });

  it('clients', async () => {
    configure(
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
    await says(`$ S=a-secret-of-the-client-that-opens-nothing clients list
> ID    NAME  TYPE     SECRETS  SCOPES                CALLBACKS
> app   App   server   1        openid email profile  https://a.example/cb https://a.example/cc
> api   Api   api      key      profile
> page  Page  browser  0        openid email profile  https://p.example/
$ clients secret page
! "page" is of type browser: it cannot keep a secret and uses PKCE. Only servers and apis have secrets.
exit 1
$ clients secret api
! "api" signs with a key of its own: it needs no secret. To give it one, remove its jwks or jwksUrl first.
exit 1
$ clients secret ap
! clients.yaml has no client "ap". Did you mean "app"?
exit 1
$ clients secret zzzzz
! clients.yaml has no client "zzzzz". Run \`hygie clients secret\` without an ID for a new client.
exit 1`);
    const env = { S: 'a-secret-of-the-client-that-opens-nothing' };
    const { stdout: list } = await hygie(['clients', 'list', '--json'], { env });
    expect(JSON.parse(list)).toMatchObject([
      { id: 'app', secrets: 1 },
      { id: 'api', secrets: 0 },
      { id: 'page', secrets: 0 },
    ]);
    expect(list).not.toContain(env.S);
    const { stdout, stderr } = await hygie(['clients', 'secret', 'app']);
    const [, secret = '', hash = ''] = /^secret: (\S{43})\nhash: (sha256\$\S{43})\n$/.exec(stdout) ?? [];
    expect(isGeneratedSecret(secret, [hash])).toBe(true);
    expect(stderr).toBe(
      `The secret is shown only once: give it to the client in a safe way. The hash belongs in clients.yaml:\n    secrets:\n      - hash: "${hash}"\n`,
    );
    const made = JSON.parse((await hygie(['clients', 'secret', 'app', '--json'])).stdout);
    expect(made.secret).not.toBe(secret);
    expect([made.id, Object.keys(JSON.parse((await hygie(['clients', 'secret', '--json'])).stdout))]).toEqual([
      'app',
      ['secret', 'hash'],
    ]);
  });
});
