// The kinds of mails, and how many of each one account is sent at most: nobody's mailbox is filled by who asks again and again.

/** `notice`: of a critical change; `operator`: to who runs the service; the others hold a link. */
export const LINK_KINDS = ['invitation', 'password-reset', 'email-verification', 'email-change'] as const;
export const MAIL_KINDS = [...LINK_KINDS, 'notice', 'operator'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];
export type MailKind = (typeof MAIL_KINDS)[number];

interface MailLimit {
  most: number;
  /** Seconds. */
  within: number;
}

const HOUR = 3600;
const DAY = 86_400;

const LIMITS: Readonly<Record<MailKind, MailLimit>> = {
  invitation: { most: 10, within: DAY },
  'password-reset': { most: 5, within: HOUR },
  'email-verification': { most: 5, within: HOUR },
  'email-change': { most: 5, within: HOUR },
  // Of each topic.
  notice: { most: 5, within: HOUR },
  // Of each fault: what is tried again and again is not told again the same day.
  operator: { most: 1, within: DAY },
};

/** Browsers of ward computers forget who they know: three a day are enough to be warned. */
const NEW_DEVICES: MailLimit = { most: 3, within: DAY };

/** Seconds after which nothing is counted any more. */
export const COUNTED_FOR = DAY;

/** The limit of a kind, and of what a notice is about. */
export function mailLimit(kind: MailKind, topic: string): MailLimit {
  return topic === 'sign-in.new-device' ? NEW_DEVICES : LIMITS[kind];
}
