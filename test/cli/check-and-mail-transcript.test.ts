// operations.md: all that an operator reads of `check` and `mail`, and of wrong usage.

import { chmodSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '#cli/commands.ts';
import { transcripts } from '#support/cli/transcript.ts';

describe('commands, word for word', () => {
  const { hygie, configure, at, says } = transcripts();

  it('check', async () => {
    configure('service.yaml', 'namespace: https://hygie.example\nlisten: { port: 4000 }\n');
    configure(
      'clients.yaml',
      'clients: [{ id: a, name: A, type: browser, callbackUrls: ["https://a.example/"] }, { id: b, name: B, type: native, callbackUrls: ["b.example:/"] }, { id: c, name: C, type: native, callbackUrls: ["c.example:/"] }]\n',
    );
    await says(`$ check
> Configuration is valid: 3 clients, 0 warnings
>
>   mode         development
>   issuer       http://localhost:4000
>   directory    http://localhost:4000/directory/v2
>   listens on   127.0.0.1:4000; processes: 1; proxies: 0
>   database     DIR/data/hygie.sqlite
>   data folder  DIR/data
>   files        DIR/config/service.yaml, DIR/config/clients.yaml
>   clients      1 browser, 2 native
>
> Every setting: hygie check --all
$ HYGIE_SANDBOX=1 NODE_ENV=production HYGIE_ISSUER=https://c.example DATABASE_URL=postgres://u:p@h/d check
> Configuration is valid: 3 clients, 4 warnings
>   Warning: this is a sandbox (HYGIE_SANDBOX=1): its people are fictional, and everybody may sign in. No real data belongs in it.
>   Warning: namespace is still the example https://hygie.example: set it in service.yaml before relying parties depend on it.
>   Warning: no HYGIE_KEY_SECRET is set: the first start makes one in DIR/data/key-secret. Every instance needs that file. Keep a copy of it, apart from the backup of the database.
>   Warning: issuer is https and proxies is 0: set proxies in service.yaml to the number of reverse proxies that end TLS, or set listen.tls.
>
>   mode         production
>   issuer       https://c.example
>   directory    https://c.example/directory/v2
>   listens on   0.0.0.0:4000; processes: 1; proxies: 0
>   database     postgres://u:(hidden)@h/d
>   data folder  DIR/data
>   files        DIR/config/service.yaml, DIR/config/clients.yaml
>   clients      1 browser, 2 native
>
> Every setting: hygie check --all
$ check --instances
> No instance serves.
>   here: settings DIGEST, clients DIGEST
exit 1
$ check all
! check does not take "all".
exit 2: check --help`);
    configure('clients.yaml', '');
    configure(
      'service.yaml',
      'directory: { watch: absent }\nlisten: { tls: { certificate: none.pem, key: none.key } }\nproxies: 0\n',
    );
    chmodSync(at(''), 0o755);
    await says(`$ check
! Configuration is not valid: 3 faults
!   DIR/config/none.pem
!     There is no such file.
!     Remedy: Put it there, or mend listen.tls (HYGIE_TLS_CERTIFICATE, HYGIE_TLS_KEY).
!   DIR/config/none.key
!     There is no such file.
!     Remedy: Put it there, or mend listen.tls (HYGIE_TLS_CERTIFICATE, HYGIE_TLS_KEY).
!   DIR/config/service.yaml directory.watch
!     DIR/config/absent: There is no such folder.
!     Remedy: Make it, or mend the path.
exit 1`);
    const { code, stdout: json } = await hygie(['check', '--json']);
    expect([code, JSON.parse(json)]).toMatchObject([
      1,
      {
        ok: false,
        faults: [
          { file: at('config/none.pem'), path: '', problem: 'There is no such file.' },
          { file: at('config/none.key') },
          { path: 'directory.watch', remedy: 'Make it, or mend the path.' },
        ],
      },
    ]);
    const { stdout } = await hygie(['check', '--keys']);
    expect(stdout.match(/^## .*/gm)).toEqual(['## service.yaml', '## clients.yaml', '## environment']);
  });

  it('mail', async () => {
    await says(`$ mail test
! mail test needs --to.
exit 2: mail test --help
$ mail test --to nobody
! --to is no mail address. Write it as you@clinic.example.
exit 1
$ mail test --to you@n.example
! service.yaml names no mail server. Set mail there: host, from, and what the server asks for.
exit 1
$ mail queue
> 0 mails wait
$ mail
! Say what to do: test, queue.
exit 2: mail --help`);
    configure('service.yaml', 'mail: { host: 127.0.0.1, port: 1, security: none, from: hygie@n.example }\n');
    await says(`$ mail test --to you@n.example
! The mail was not sent: 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1.
exit 1`);
  });

  it('wrong usage and help', async () => {
    const none = (name: string) => `! There is no command "${name}". Commands: ${Object.keys(COMMANDS).join(', ')}.
exit 2: --help`;
    await says(`$ chek
${none('chek')}
$ help nope
${none('nope')}
$ --nope
${none('--nope')}
$ keys list x
! keys list does not take "x".
exit 2: keys list --help
$ accounts add --email
! Option '--email <value>' argument missing
exit 2: accounts add --help
$ accounts link
! accounts link needs ACCOUNT.
exit 2: accounts link --help
$ accounts nope
! Unknown action "nope". Known: add, list, show, set-name, set-picture, set-email, disable, enable, delete, unlock, set-password, sessions, invite, end-sessions, remove-second-factor, passkeys, remove-passkeys, link, unlink, withdraw, import.
exit 2: accounts --help
$ health --wait soon
! --wait is a number of seconds, not "soon".
exit 2: health --help
$ sandbox --practitioners 50 --out x
! --practitioners is a whole number from 100 to 2 000 000, not "50".
exit 2: sandbox --help
$ serve --port 1
! Unknown option '--port'
exit 2: serve --help
$ migrate --help
> Usage: hygie migrate [--status] [--json]
>
> Brings the database to the newest schema.
>
>   --status  Prints applied and pending migrations, and whether this release has to rebuild the index
>             of the directory. Changes nothing.
>   --json    Prints one JSON object: { "applied": [...], "pending": [...] }; with --status also
>             "directory".
>
> Applies the migrations that the database lacks, and prints their names. \`serve\` does the same when
> it starts.
> Database: DATABASE_URL, else the SQLite file in HYGIE_DATA (./data).
>
> Examples:
>   # what a new release would do
>   hygie migrate --status
$ help mail test
> Usage: hygie mail test --to ADDRESS
>
> Sends one mail at once, without the queue, and prints the answer of the mail server.
>
>   --to  Recipient of the mail.`);
  });
});
