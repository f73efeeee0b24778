// operations.md, `accounts`: all that an operator reads of what ends: sign-ins, sessions, passwords and whole accounts.

import { describe, expect, it } from '@jest/globals';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { transcripts } from '#support/cli/transcript.ts';
import { newPasskey } from '#support/store/passkey.ts';

describe('accounts, word for word', () => {
  const { hygie, database, file, says, add, left } = transcripts();

  it('disable, enable, unlock, delete, withdraw and end-sessions', async () => {
    await add('zoe');
    const { stdout: id } = await add('max');
    file('again.csv', `id,email,name\n${id.trim()},max@n.example,Max\n`);
    await database()('accounts').where({ email: 'max@n.example' }).update({ deletion_requested_at: 1_700_000_000 });
    await says(`# accounts disable zoe@n.example
! zoe@n.example is disabled.
# accounts enable ZOE@n.example
! zoe@n.example is active.
# accounts unlock zoe@n.example
! zoe@n.example did not have to wait. If a network address has to (limits.addressFailures), only time lets it in again.
# accounts withdraw zoe@n.example --client app
! zoe@n.example has allowed app nothing: there is no consent to withdraw. See: hygie accounts show UUID
exit 1
# accounts withdraw zoe@n.example --client hygie-account
! hygie-account is the service itself, which needs no consent. See: hygie accounts show UUID
exit 1
# accounts end-sessions zoe@n.example
! zoe@n.example: 0 sessions ended with all tokens; the running service notifies applications that have a backchannelLogoutUrl.
# accounts end-sessions --all
! 2 accounts: 0 sessions ended with all tokens; the running service notifies applications that have a backchannelLogoutUrl.
# accounts end-sessions
! accounts end-sessions needs ACCOUNT or --all, and not both.
exit 2: accounts end-sessions --help
# accounts end-sessions zoe@n.example --all
! accounts end-sessions needs ACCOUNT or --all, and not both.
exit 2: accounts end-sessions --help
$ accounts list --deletion-requested
> ID                                    EMAIL          NAME        STATUS  DELETION REQUESTED
> UUID  max@n.example  Zoé Martin  active  TIME`);
    const { stdout: shown } = await hygie(['accounts', 'show', 'max@n.example']);
    expect(shown).toMatch(/^deletion +requested \S+Z; .*hygie -- accounts delete [\da-f-]{36}$/m);
    expect(shown).toMatch(/^signed out everywhere +\S+Z$/m);
    await says(`# accounts delete max@n.example
! max@n.example (Zoé Martin) would be deleted for good, with sessions, tokens, consents and all ways to sign in. The person asked for it on TIME.
! Nothing was changed. To do so: hygie accounts delete UUID --yes
exit 1
# accounts delete zoe@n.example
! zoe@n.example (Zoé Martin) would be deleted for good, with sessions, tokens, consents and all ways to sign in. The person has not asked for it.
! Nothing was changed. To do so: hygie accounts delete UUID --yes
exit 1
# accounts delete max@n.example --yes
! max@n.example is deleted; the running service notifies applications that have a backchannelLogoutUrl.
! The UUID UUID is never used again. Its audit records are kept for audit.keep.
# accounts delete max@n.example --yes
! There is no account "max@n.example". See: hygie accounts list
exit 1
# accounts import DIR/again.csv
! UUID was the UUID of an account that is deleted: it is never given again. Nothing was imported.
exit 1
$ accounts list --deletion-requested --json
> []`);
    expect(await left()).toEqual({
      events: [
        ['account.added', { email: 'zoe@n.example' }],
        ['account.added', { email: 'max@n.example' }],
        ['account.disabled', {}],
        ['account.enabled', {}],
        ['account.sessions-ended', { sessions: 0 }],
        ['account.sessions-ended', { accounts: 2, sessions: 0 }],
        ['account.deleted', { requested: true }],
      ],
      mails: [['notice', 'account.deleted', 'max@n.example', { byOperator: true }]],
    });
  });

  it('SEC-70 set-password, invite, remove-second-factor and remove-passkeys', async () => {
    await add('zoe');
    const { stdout } = await add('max', '--password-stdin');
    const { id } = await database()('accounts').where({ email: 'zoe@n.example' }).first('id');
    const passkeys = openPasskeys(database());
    await passkeys.add(id, newPasskey('one'), undefined);
    await passkeys.add(id, newPasskey('two', { name: 'Key', synced: false }), undefined);
    await passkeys.add(stdout.trim(), newPasskey('three', { name: 'Key' }), undefined);
    // The list is in the order of seconds.
    const later = { last_used_at: 1_700_000_000, created_at: database().raw('created_at + 1') };
    await database()('passkeys').where({ name: 'Key' }).update(later);
    const [phone] = await database()('passkeys').where({ name: 'Phone' }).pluck('id');
    expect((await hygie(['accounts', 'show', id])).stdout).toMatch(/^passkeys +2\b/m);
    await says(
      `$ accounts passkeys zoe@n.example
> ID                                    NAME   CREATED                   LAST USED                 SYNCED
> UUID  Phone  TIME  never                     yes
> UUID  Key    TIME  TIME  no
# accounts remove-passkeys zoe@n.example --passkey nope
! zoe@n.example has no passkey "nope". Nothing was changed. See: hygie accounts passkeys UUID
exit 1
# accounts remove-passkeys max@n.example --passkey {phone}
! max@n.example has no passkey "UUID". Nothing was changed. See: hygie accounts passkeys UUID
exit 1
# accounts remove-passkeys zoe@n.example --passkey {phone}
! zoe@n.example: 1 passkey removed; sessions and tokens in use have ended.
# accounts remove-passkeys zoe@n.example
! zoe@n.example: 1 passkey removed; sessions and tokens in use have ended.
! The account has no password and cannot sign in: hygie accounts set-password UUID
# accounts remove-passkeys zoe@n.example
! zoe@n.example has no passkey. Nothing was changed. See: hygie accounts passkeys UUID
exit 1
# accounts set-password max@n.example --keep-password <<< {PASSWORD}
! max@n.example has a new password; sessions and tokens in use have ended.
! 1 passkey stays and signs in without the password. If one may be somebody else's:
!   hygie accounts passkeys UUID
!   hygie accounts remove-passkeys UUID
# accounts remove-passkeys max@n.example
! max@n.example: 1 passkey removed; sessions and tokens in use have ended.
# accounts remove-second-factor max@n.example
! max@n.example has no second factor. Nothing was changed.
! Remedy: to end sessions and tokens, hygie accounts end-sessions UUID
exit 1
# accounts invite zoe@n.example
! An invitation to zoe@n.example is in the queue: the service sends it as soon as it runs.
# accounts invite max@n.example
! max@n.example has a password already. A person who has forgotten it can ask for a new one on the sign-in page.
exit 1
# accounts set-password zoe@n.example <<< {PASSWORD}
! zoe@n.example has a new password; sessions and tokens in use have ended.
! The person has to choose another password at the first sign-in. For accounts of tests and machines: --keep-password.
# accounts set-password zoe@n.example <<< court
! The password has fewer than 12 characters. Make it longer; several words are best.
exit 1
# accounts disable max@n.example
! max@n.example is disabled.
# accounts invite max@n.example
! max@n.example is disabled. See: hygie accounts enable UUID
exit 1`,
      { phone },
    );
    expect((await hygie(['accounts', 'show', id])).stdout).toMatch(
      /^password +set by an operator; another one is chosen at the next sign-in$/m,
    );
    expect(await left()).toEqual({
      events: [
        ['account.added', { email: 'zoe@n.example' }],
        ['account.added', { email: 'max@n.example' }],
        ['passkey.removed', { passkeys: 1, passkey: phone }],
        ['passkey.removed', { passkeys: 1 }],
        ['account.password-set', {}],
        ['passkey.removed', { passkeys: 1 }],
        ['account.invited', {}],
        ['account.password-set', {}],
        ['account.disabled', {}],
      ],
      mails: [
        ['notice', 'passkey.removed', 'zoe@n.example', { byOperator: true }],
        ['notice', 'passkey.removed', 'zoe@n.example', { byOperator: true }],
        ['notice', 'account.password-set', 'max@n.example', { byOperator: true }],
        ['notice', 'passkey.removed', 'max@n.example', { byOperator: true }],
        ['invitation', '', null, {}],
        ['notice', 'account.password-set', 'zoe@n.example', { byOperator: true }],
      ],
    });
  });
});
