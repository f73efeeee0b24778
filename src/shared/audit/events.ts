// The events of the audit trail and their shape (SEC-48, OWASP ASVS 5 section 16.3), and the reasons why a session ended.

/** Outcome and meaning of each event, as operators read them. Reads that succeed (userinfo, introspection, searches) are no events. */
export const AUDIT_EVENTS = {
  'sign-in.succeeded': ['success', 'a person signed in; methods: password, second-factor (a code), passkey'],
  'sign-in.failed': [
    'failure',
    'a password, code or passkey was refused, at a sign-in or when a signed-in person changes a factor; reason: no-account, no-password, password (wrong), disabled (right password, disabled account), code (wrong), code-used (a second time), passkey (of somebody else, or not verified), passkey-used (a second time), passkey-counter (did not rise: the passkey may have been copied), passkey-disabled (right passkey, disabled account)',
  ],
  'sign-in.throttled': ['failure', 'after too many failures, the password, code or passkey was not checked'],
  'sign-in.new-device': [
    'success',
    'a person signed in with a new kind of device: the account does not know the browser, and this browser and system (device) were not used for it in 90 days',
  ],
  'second-factor.added': ['success', 'a person set up a second factor; it replaces an earlier one'],
  'second-factor.removed': ['success', 'the person or an operator removed a second factor'],
  'passkey.added': ['success', 'a person added a passkey; passkey: its id; name: its name'],
  'passkey.renamed': ['success', 'a person renamed a passkey'],
  'passkey.removed': ['success', 'the person or an operator removed a passkey'],
  'recovery-codes.renewed': ['success', 'a person got new recovery codes; the earlier ones are no longer valid'],
  'recovery-code.used': [
    'success',
    'a person used a recovery code instead of the app, at a sign-in or in the account space',
  ],
  'consent.given': ['success', 'a person gave an application the access that it asked for'],
  'consent.refused': ['failure', 'a person refused an application the access that it asked for'],
  'consent.withdrawn': ['success', 'a consent was withdrawn; the tokens of the application are revoked'],
  'authorization.refused': [
    'failure',
    'an application was refused a sign-in because of its request; not for a question that prompt=none forbids, nor for a refusal by the person',
  ],
  'offline-access.left-out': [
    'failure',
    'an application asked for offline_access and gets no refresh token; remedy: what to change; at most one record an hour for each application',
  ],
  'client.refused': ['failure', 'a client could not authenticate when it introspected or revoked a token'],
  'token.issued': ['success', 'tokens were issued for a code, or to a client for itself'],
  'token.refreshed': ['success', 'tokens were issued for a refresh token'],
  'token.refused': ['failure', 'a request for tokens was refused: client, secret, code, proof ...'],
  'token.reused': ['failure', 'a code or refresh token was used a second time; all tokens issued for it are revoked'],
  'token.revoked': ['success', 'a client revoked a token'],
  'directory.used': [
    'success',
    'a client with directoryAccess used the directory with its own tokens; requests: their number since the first one, in an hour at most',
  ],
  'session.ended': [
    'success',
    'a sign-in session ended, and its tokens with it: by a sign-out, because another person signed in, or because the account had too many sessions (limits.sessionsPerAccount)',
  ],
  'session.left': ['success', 'a person left one application and stayed signed in'],
  'logout-token.delivered': ['success', 'an application was notified that a session ended'],
  'logout-token.failed': [
    'failure',
    'an application could not be notified that a session ended; the service tries again',
  ],
  'logout-token.given-up': [
    'failure',
    'an application could not be notified within a day that a session ended, or has no backchannelLogoutUrl any more',
  ],
  'account.added': ['success', 'an operator added an account'],
  'account.invited': ['success', 'an operator sent an invitation, whose link lets the person choose a password'],
  'account.imported': ['success', 'an operator added accounts from a file'],
  'account.renamed': ['success', 'an operator changed names, picture or profile of a person; fields: the changed ones'],
  'account.profile-changed': ['success', 'a person changed their profile; fields: the changed ones'],
  'account.data-exported': ['success', 'a person downloaded all their data'],
  'account.deletion-requested': ['success', 'a person asked an operator to delete their account'],
  'account.deletion-withdrawn': ['success', 'a person withdrew the request to delete their account'],
  'account.deleted': [
    'success',
    'an operator deleted an account; only its audit records remain; requested: whether the person had asked for it',
  ],
  'account.disabled': ['success', 'an operator disabled an account; its sessions and tokens ended'],
  'account.enabled': ['success', 'an operator enabled an account'],
  'account.unlocked': ['success', 'an operator ended the pause after failed sign-ins'],
  'account.password-set': ['success', 'an operator set a password'],
  'account.password-changed': ['success', 'a person changed their password; their other sessions and tokens ended'],
  'account.password-reset-requested': [
    'success',
    'somebody asked for a mail with a link to a new password; a request for an unknown address is not recorded',
  ],
  'account.password-reset': [
    'success',
    'a person chose a new password through the link in a mail; all sessions and tokens ended',
  ],
  'account.invitation-accepted': ['success', 'a person chose a password through the link in an invitation'],
  'account.email-verified': [
    'success',
    'a person opened the link in a mail that was sent to the e-mail address of the account, or an operator marked this address as verified',
  ],
  'account.email-change-requested': [
    'success',
    'a person asked to change the e-mail address; the new address gets a link',
  ],
  'account.email-changed': [
    'success',
    'a person confirmed the new e-mail address through the link that it got, or an operator set it; before: the old address, which is informed',
  ],
  'account.sessions-ended': [
    'success',
    'an operator ended the sessions of an account and their tokens, or the person ended all sessions but the current one',
  ],
  'account.workspace-chosen': ['success', 'a person chose the current place of work; workspace: its id'],
  'account.linked': ['success', 'an operator changed or confirmed the directory records that an account is linked to'],
  'account.link-suspended': [
    'success',
    'from this edition of the directory on, applications no longer get a record that an account is linked to; change: it left the directory, or belongs to another person or structure',
  ],
  'account.link-restored': [
    'success',
    'applications get the linked record again: it is back, or belongs to the same person again',
  ],
  'mail.sent': [
    'success',
    'the mail server accepted a mail to a person; kind: the kind of mail; about: the event that a notice is about',
  ],
  'mail.failed': ['failure', 'the mail server did not accept a mail; the service tries again'],
  'mail.given-up': [
    'failure',
    'a mail was given up: it could not be sent in time, the address was refused, or the account has changed since',
  ],
  'service.started': [
    'success',
    'the service has started; settings and clients: digests of its configuration, which differ after a change',
  ],
  'clients.changed': ['success', 'an edit of clients.yaml came into force; one record for each client'],
  'clients.refused': ['failure', 'a faulty edit of clients.yaml was refused'],
  'key.created': ['success', 'a key was created'],
  'key.activated': ['success', 'a waiting key was put into use'],
  'key.removed': ['success', 'a key was removed'],
  'key.encrypted': ['success', 'a key was encrypted with the current secret'],
  'directory.imported': ['success', 'another edition of the directory came into force'],
  'directory.refused': ['failure', 'an import was refused or failed'],
  'directory.kept': ['success', 'after a refusal, the edition in force was imported again and stays in force'],
  'directory.rolled-back': ['success', 'an earlier edition of the directory is in force again'],
  'directory.corrected': [
    'success',
    'an operator hid a record of the directory, or its mailbox, telephone or address; correction: its number; record, what and reason',
  ],
  'directory.correction-ended': ['success', 'an operator ended a correction, or its last day is over'],
  'backup.made': ['success', 'an operator made a backup; head: the last record of the audit trail in it'],
  'backup.verified': ['success', 'an operator verified a backup, and it is sound'],
  'restore.done': [
    'success',
    'an operator restored a backup; records that were written after its head are no longer in this trail',
  ],
  'audit.counted': [
    'failure',
    'number of records (of: their event) that were not stored, because there were too many: refusals of one network or of all together, or events that one person caused',
  ],
  'audit.dropped': [
    'failure',
    'number of records (of: their event) that are only in the log, because the database was away for too long',
  ],
  'audit.cut': [
    'failure',
    'the last records of the audit trail were removed or changed behind the service; expected: the record that it should end with; found: the record that it ends with',
  ],
} as const satisfies Record<string, readonly [outcome: 'success' | 'failure', meaning: string]>;

export type AuditEventName = keyof typeof AUDIT_EVENTS;

/** The actor of an event. `unknown` is somebody without proof of an identity. */
export type AuditActor = 'service' | 'unknown' | `account:${string}` | `client:${string}` | `operator:${string}`;

export interface AuditEvent {
  event: AuditEventName;
  /** If it is absent, the actor is the one that the audit trail was opened with. */
  actor?: AuditActor;
  /** UUID of the account that the event is about. */
  account?: string | undefined;
  /** The client application that the event is about. */
  client?: string | undefined;
  /** Network address that the request came from. */
  address?: string | undefined;
  /**
   * Language of the page on which the event happened. If a person has chosen no language, a notice about the event is written in this one.
   * The language is not recorded.
   */
  language?: string | undefined;
  /** Details never hold a token, code, secret or password. As a precaution, anything that looks like one is masked. */
  details?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
}

/** Takes events. Neither `record` nor `note` ever rejects or throws. */
export interface AuditTrail {
  /**
   * Records an event, and resolves after the attempt to store it. If the attempt fails, the event waits and is stored later. Used for
   * refusals, and for every change of rights.
   */
  record(event: AuditEvent): Promise<void>;
  /**
   * Returns at once. The event is stored within a quarter of a second, together with others. Used for events that belong to every sign-on.
   */
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
