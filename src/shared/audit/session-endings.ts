// Reasons why a session ended, in the audit event `session.ended`. Without a reason, the person signed out.

export const SESSION_ENDINGS = {
  byApplication: 'the application showed an ID token of the session',
  elsewhere: 'the person ended it from another session',
  otherAccount: 'another account was requested',
  otherPerson: 'another person signed in',
  tooMany: 'more than limits.sessionsPerAccount',
} as const;

export type SessionEnding = keyof typeof SESSION_ENDINGS;
