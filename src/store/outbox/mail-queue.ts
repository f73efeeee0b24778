// The queue of mails (`src/openid/mail/mail-queue-worker.ts` sends them). No row holds a secret: the token of a link is made when the mail
// is sent.

import { randomInt } from 'node:crypto';
import { digest } from '#shared/crypto/digest.ts';
import { emailKey } from '#shared/names.ts';
import type { OutboxEntry } from '#shared/outbox-worker.ts';
import { present } from '#shared/present.ts';
import { countRows, type Database, epochSeconds, isPostgres, ROWS_AT_ONCE } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import { openOutbox } from './outbox.ts';

/** Mails with a link. */
export type LinkKind = 'invitation' | 'password-reset' | 'email-verification' | 'email-change';
/** `notice` reports a critical change; `operator` goes to the people who run the service. */
export type MailKind = LinkKind | 'notice' | 'operator';

interface MailLimit {
  most: number;
  /** Seconds in which at most `most` of these mails are sent to an account, or to the operator. */
  within: number;
}

const HOUR = 3600;
const DAY = 86_400;

const LIMITS: Readonly<Record<MailKind, MailLimit>> = {
  invitation: { most: 10, within: DAY },
  'password-reset': { most: 5, within: HOUR },
  'email-verification': { most: 5, within: HOUR },
  'email-change': { most: 5, within: HOUR },
  // This is the limit for each topic.
  notice: { most: 5, within: HOUR },
  // This is the limit for each fault: a recurring one is not reported again on the same day.
  operator: { most: 1, within: DAY },
};

/**
 * Limit of notices about a new device. Browsers of ward computers forget their users, so there may be many. Three a day are warning enough.
 */
const NEW_DEVICES: MailLimit = { most: 3, within: DAY };

/** Seconds after which a sent mail is no longer counted for the limits. */
const COUNTED_FOR = DAY;

/** Returns the limit of a kind of mail, or of the topic of a notice. */
function mailLimit(kind: MailKind, topic: string): MailLimit {
  return topic === 'sign-in.new-device' ? NEW_DEVICES : LIMITS[kind];
}

export interface NewMail {
  kind: MailKind;
  /** Empty in a mail to the operator. */
  accountId: string;
  /** The audit event that a notice is about. In a mail to the operator, the event and a digest of its reasons. */
  topic?: string | undefined;
  /** Address of the mail; if undefined, the one that the account has when the mail is sent. */
  to?: string | undefined;
  /** Language of the page on which it was requested. The account's own language has precedence. */
  language?: 'fr' | 'en' | undefined;
  /** Facts for the text of the mail, never a secret. */
  details?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

/** A request for a mail by which a forgotten password is replaced. It may come from a stranger. */
export interface ResetRequest {
  login: string;
  language: 'fr' | 'en';
  /** Data that only the service can open: login and network address of the request. No table holds text typed by strangers. */
  sealed: string;
}

/** A mail that was taken to be sent. If it has no account, it is a `ResetRequest`, with the sealed data in `details`. */
export interface QueuedMail extends Omit<NewMail, 'topic'>, OutboxEntry {
  topic: string;
  details: Readonly<Record<string, string | number | boolean>>;
}

const TABLE = 'mail_queue';
/** Columns of a request for a new password, which belongs to no account yet. */
const REQUEST = { account_id: '', kind: 'password-reset' } as const;
/** Maximum waiting requests, from all networks (SEC-58): some 3 MB. */
const MOST_REQUESTS = 10_000;

export type MailQueue = ReturnType<typeof openMailQueue>;

/** Opens the queue of a database. */
export function openMailQueue(database: Database) {
  const outbox = openOutbox(database, TABLE);
  const ended = { due_at: null, address: null, details: null };
  return {
    ...outbox,
    /**
     * Puts a mail into the queue. Returns false if the account has had as many mails of the kind as it may have. A mail with a link
     * replaces a waiting one of the same purpose, because only the newest link is valid.
     */
    enqueue: (mail: NewMail): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const { kind, accountId, topic = '' } = mail;
        const now = epochSeconds();
        const alike = { account_id: accountId, kind, topic };
        // A simultaneous call waits, so that neither overlooks the mail of the other. On PostgreSQL, this lock makes it wait. On SQLite, it
        // waits because the transaction begins with a write.
        if (isPostgres(database)) await transaction('accounts').select('id').where({ id: accountId }).forUpdate();
        const [added] = (await transaction(TABLE).insert(rowOf(mail, now)).returning('id')) as {
          id: number | string;
        }[];
        const id = added?.id ?? '';
        const { most, within } = mailLimit(kind, topic);
        const recent = transaction(TABLE)
          .where(alike)
          .where('created_at', '>', now - within);
        if ((await countRows(recent)) > most) {
          await transaction(TABLE).where({ id }).delete();
          return false;
        }
        if (kind !== 'notice' && kind !== 'operator')
          await transaction(TABLE).where(alike).whereNotNull('due_at').whereNot({ id }).update(ended);
        return true;
      }),
    /** Queues mails to accounts that the same transaction has created. There are no earlier mails to count or to replace. */
    enqueueFirst: async (mails: readonly NewMail[]): Promise<void> => {
      const now = epochSeconds();
      await database.batchInsert(
        TABLE,
        mails.map((mail) => rowOf(mail, now)),
        ROWS_AT_ONCE,
      );
    },
    /**
     * Stores a request for a new password, in place of an earlier one for the same login. Returns false if too many wait. It works the same
     * for an unknown login: the account is looked up some seconds later, when no response can reveal it (SEC-74).
     */
    request: ({ login, language, sealed }: ResetRequest): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const alike = { ...REQUEST, topic: digest(emailKey(login)) };
        await transaction(TABLE).where(alike).delete();
        if ((await countRows(transaction(TABLE).where(REQUEST))) >= MOST_REQUESTS) return false;
        const now = epochSeconds();
        const row = { language, details: JSON.stringify({ sealed }), created_at: now, attempts: 0 };
        await transaction(TABLE).insert({ ...alike, ...row, due_at: now + randomInt(2, 6) });
        return true;
      }),
    /** Takes at most `most` due mails, for `lease` seconds. */
    take: async ({ most, lease }: { most: number; lease: number }): Promise<QueuedMail[]> => {
      const due = (now: number) =>
        database(TABLE).select('id').where('due_at', '<=', now).orderBy('due_at').limit(most);
      return (await outbox.take(due, lease)).map(mailOf);
    },
    /**
     * Ends a mail that was sent or given up. Address and details are deleted. The rest is kept for a day, because the mail is counted for
     * the limits. A request for a new password is deleted entirely.
     */
    end: async (id: string): Promise<void> => {
      const requests = await database(TABLE)
        .where({ ...REQUEST, id })
        .delete();
      if (requests === 0) await database(TABLE).where({ id }).update(ended);
    },
    /** Returns the ids of the accounts for which a mail of the kind waits. */
    waitingFor: (kind: MailKind): Promise<string[]> =>
      database(TABLE).where({ kind }).whereNotNull('due_at').pluck('account_id'),
    /** Deletes at most `most` mails that are no longer counted for the limits. Returns their number; 0 means that none is left. */
    prune: (most = ROWS_AT_ONCE): Promise<number> => {
      const old = database(TABLE)
        .select('id')
        .whereNull('due_at')
        .where('created_at', '<=', epochSeconds() - COUNTED_FOR)
        .limit(most);
      return database(TABLE).whereIn('id', old).delete();
    },
  };
}

function rowOf({ kind, accountId, topic = '', to, language, details = {} }: NewMail, now: number) {
  const about = { address: to ?? null, language: language ?? null, details: JSON.stringify(details) };
  return { kind, account_id: accountId, topic, ...about, created_at: now, due_at: now, attempts: 0 };
}

function mailOf(row: Row<'mail_queue'>): QueuedMail {
  return {
    id: String(row.id),
    kind: row.kind as MailKind,
    topic: row.topic,
    accountId: row.account_id,
    ...present({ to: row.address, language: row.language as 'fr' | 'en' | null }),
    details: JSON.parse(row.details ?? '{}') as QueuedMail['details'],
    createdAt: Number(row.created_at),
    attempts: row.attempts,
  };
}
