// The events of the audit trail and their shape (SEC-48, OWASP ASVS 5 section 16.3), and the reasons why a session ended.

/** Outcome and meaning of each event, as operators read them. Reads that succeed (userinfo, introspection, searches) are no events. */
export const AUDIT_EVENTS = {
  'sign-in.succeeded': [
    'success',
    'a person signed in; methods: what was shown for it, password, second-factor (a code) or passkey',
  ],
  'sign-in.failed': [
    'failure',
    'refused; reason: no-account, no-password, password (wrong), disabled (it was right), code (wrong), code-used (again), passkey (not theirs, or not verified), passkey-used (again), passkey-counter (it went back: perhaps a copy)',
  ],
  'sign-in.throttled': ['failure', 'too many failures before: the password or code was not checked'],
  'sign-in.new-device': [
    'success',
    'the one before it was from a browser that is not known to the account, of a kind (device: browser and system) that was not used for it in 90 days',
  ],
  'second-factor.added': ['success', 'a person set up a second factor, in place of any before'],
  'second-factor.removed': ['success', 'a second factor was removed, by the person or an operator'],
  'passkey.added': ['success', 'a person added a passkey; passkey: its id, name: what it is called'],
  'passkey.renamed': ['success', 'a person gave a passkey another name'],
  'passkey.removed': ['success', 'a passkey was removed, by the person or an operator'],
  'recovery-codes.renewed': ['success', 'a person had new recovery codes made: those before count no longer'],
  'recovery-code.used': ['success', 'a recovery code stood in for the app, at a sign-in or in the space of a person'],
  'consent.given': ['success', 'a person allowed an application what it asks for'],
  'consent.refused': ['failure', 'a person refused it'],
  'consent.withdrawn': ['success', 'what was allowed was taken back, with all that the application held'],
  'authorization.refused': ['failure', 'a request for a sign-in was refused'],
  'offline-access.left-out': [
    'failure',
    'an application asked for offline_access and gets no refresh token; remedy; once an hour and application at most',
  ],
  'client.refused': ['failure', 'a client that asked about a token, or took one back, could not authenticate'],
  'token.issued': ['success', 'tokens were issued for a code, or to a client itself'],
  'token.refreshed': ['success', 'tokens were issued for a refresh token'],
  'token.refused': ['failure', 'a request for tokens was refused: client, secret, code, proof ...'],
  'token.reused': ['failure', 'a code or refresh token came a second time: all that it gave is revoked'],
  'token.revoked': ['success', 'a client took a token back'],
  'directory.used': [
    'success',
    'a client with directoryAccess asked the directory with tokens of its own: so many requests, in an hour or since its first one',
  ],
  'session.ended': [
    'success',
    'a sign-in session ended with all it gave: sign-out, another person, or too many of the same (limits.sessionsPerAccount)',
  ],
  'session.left': ['success', 'a person left one application and stayed signed in'],
  'logout-token.delivered': ['success', 'an application was notified that a session ended'],
  'logout-token.failed': ['failure', 'it could not be notified; it is tried again'],
  'logout-token.given-up': [
    'failure',
    'it could not be notified within a day, or lost its backchannelLogoutUrl meanwhile',
  ],
  'account.added': ['success', 'an operator added an account'],
  'account.invited': ['success', 'an operator had an invitation sent: a link by which the person chooses a password'],
  'account.imported': ['success', 'an operator added accounts from a file'],
  'account.renamed': ['success', 'an operator changed names, picture or profile of a person; fields: which'],
  'account.profile-changed': ['success', 'a person changed what is known of them; fields: which'],
  'account.data-exported': ['success', 'a person downloaded all that is known of them'],
  'account.deletion-requested': ['success', 'a person asked for the deletion of their account; an operator does it'],
  'account.deletion-withdrawn': ['success', 'a person took that back'],
  'account.deleted': [
    'success',
    'an operator deleted an account, with everything but these records; requested: whether the person had asked for it',
  ],
  'account.disabled': ['success', 'an operator disabled an account: its sessions and tokens ended'],
  'account.enabled': ['success', 'an operator enabled an account'],
  'account.unlocked': ['success', 'an operator ended the pause after failed sign-ins'],
  'account.password-set': ['success', 'an operator set a password'],
  'account.password-changed': ['success', 'a person changed their password: their other sessions and tokens ended'],
  'account.password-reset-requested': [
    'success',
    'somebody asked for a mail to choose a new password; that nobody of this address is known is not recorded',
  ],
  'account.password-reset': [
    'success',
    'a person chose another password by the link of a mail: all sessions and tokens ended',
  ],
  'account.invitation-accepted': ['success', 'a person chose a password by the link of an invitation'],
  'account.email-verified': ['success', 'a person opened the link of a mail to the address of the account'],
  'account.email-change-requested': ['success', 'a person asked for another e-mail address: it gets a link'],
  'account.email-changed': [
    'success',
    'a person changed the e-mail address, by a link that the new one got; before: the one that it was, which is told of it',
  ],
  'account.sessions-ended': [
    'success',
    'sessions of an account ended, with all they gave: by an operator, or by the person (all but their own)',
  ],
  'account.workspace-chosen': ['success', 'a person chose the place of work they are in; workspace: its id'],
  'account.linked': ['success', 'an operator changed or confirmed what an account is linked to'],
  'account.link-suspended': [
    'success',
    'applications are not told of a record any more that an account is linked to, from this edition of the directory on; change: it left the directory, or belongs to an other person or structure',
  ],
  'account.link-restored': ['success', 'they are again: the record is back, or the same person’s'],
  'mail.sent': ['success', 'the mail server took a mail to a person; kind: which; about: of a notice, the event'],
  'mail.failed': ['failure', 'it did not; it is tried again'],
  'mail.given-up': ['failure', 'it was not sent in time, or the address is refused, or the account has changed since'],
  'service.started': [
    'success',
    'the service answers; settings and clients: digests of its configuration, other ones after a change',
  ],
  'clients.changed': ['success', 'an edit of clients.yaml is in force; one record for each client'],
  'clients.refused': ['failure', 'a faulty edit of clients.yaml was refused'],
  'key.created': ['success', 'a key was made'],
  'key.activated': ['success', 'a key that waited is used at once'],
  'key.removed': ['success', 'a key was removed'],
  'key.encrypted': ['success', 'a key was encrypted with the present secret'],
  'directory.imported': ['success', 'another edition of the directory is current'],
  'directory.refused': ['failure', 'an import was refused, or failed'],
  'directory.kept': ['success', 'after a refusal, the edition in force was imported again: it is kept'],
  'directory.rolled-back': ['success', 'an edition before is current again'],
  'directory.corrected': [
    'success',
    'an operator hid a record, or a mailbox, telephone or address of one; correction: its number, record, what and reason',
  ],
  'directory.correction-ended': ['success', 'an operator ended that, or its last day is over'],
  'backup.made': ['success', 'an operator made a backup; head: the last record of the audit trail in it'],
  'backup.verified': ['success', 'an operator read a backup, which is sound'],
  'restore.done': [
    'success',
    'an operator restored the backup that was made at that time: what was recorded after its head is gone from here',
  ],
  'audit.counted': [
    'failure',
    'records that were only counted (of: their event), because there were too many to keep each: refusals of a network or of all others, or events that the person of an account brought about',
  ],
  'audit.dropped': [
    'failure',
    'records (of: their event) that are in the log only: the database was away for so long that they found no room',
  ],
  'audit.cut': [
    'failure',
    'the last records of the audit trail were gone, or others, when the service went on with it: it expected and found these',
  ],
} as const satisfies Record<string, readonly [outcome: 'success' | 'failure', meaning: string]>;

export type AuditEventName = keyof typeof AUDIT_EVENTS;

/** The actor of an event. `unknown` is somebody without proof of an identity. */
export type AuditActor = 'service' | 'unknown' | `account:${string}` | `client:${string}` | `operator:${string}`;

export interface AuditEvent {
  event: AuditEventName;
  /** By default, the actor of the trail. */
  actor?: AuditActor;
  /** UUID of the account that it is about. */
  account?: string | undefined;
  /** The client application that it is about. */
  client?: string | undefined;
  /** Network address that the request came from. */
  address?: string | undefined;
  /**
   * Language of the page on which the event happened. A notice to a person without a chosen language is written in it. It is not recorded.
   */
  language?: string | undefined;
  /** Details never hold a token, code, secret or password. Anything that looks like one is still masked. */
  details?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
}

/** Takes events. Neither function ever rejects or throws. */
export interface AuditTrail {
  /** Records an event and resolves once it is stored. Used for refusals, and for every change of rights. */
  record(event: AuditEvent): Promise<void>;
  /** Records an event within a quarter of a second, without waiting. Used for events of every sign-on. */
  note(event: AuditEvent): void;
}

export const SESSION_ENDINGS = {
  byApplication: 'the application showed an ID token of the session',
  elsewhere: 'the person ended it from another session',
  otherAccount: 'another account was requested',
  otherPerson: 'another person signed in',
  tooMany: 'more than limits.sessionsPerAccount',
} as const;

export type SessionEnding = keyof typeof SESSION_ENDINGS;
